'use client'

import type { TurnActions } from '@/components/chat/chat-actions'
import { PickAnother } from '@/components/chat/models/pick-another'
import type { ModelCard } from '@/lib/browser/models'
import type { Turn } from '@/lib/browser/storage/thread'

type ModelNoticeProps = { turn: Turn; models: ModelCard[]; actions: TurnActions }

/** What the service said about the model while it answered: that it will be retired, and when. */
export function ModelNotice({ turn, models, actions }: ModelNoticeProps) {
  return (
    <div className="mt-3 border-s-2 border-control ps-3">
      <PickAnother reason={turn.notice ?? ''} models={models} chosenId={turn.modelId} onPick={actions.pickModel} />
    </div>
  )
}
