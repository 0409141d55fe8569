'use client'

import type { TurnActions } from '@/components/chat/chat-actions'
import { Button } from '@/components/ui/button'
import { createPart, usePopover } from '@/components/ui/part'
import type { ModelCard } from '@/lib/browser/models'
import type { Turn } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

type ModelNoticeProps = { turn: Turn; models: ModelCard[]; actions: TurnActions }

export function ModelNotice({ turn, models, actions }: ModelNoticeProps) {
  return (
    <div className="mt-3 border-s-2 border-control ps-3">
      <PickAnother reason={turn.notice ?? ''} models={models} chosenId={turn.modelId} onPick={actions.pickModel} />
    </div>
  )
}

const modelPopover = createPart(() => import('@/components/chat/models/model-popover'))

type PickAnotherProps = {
  reason: string
  models: ModelCard[]
  chosenId: string | undefined
  onPick: (id: string) => void
}

function PickAnother({ reason, models, chosenId, onPick }: PickAnotherProps) {
  const { trigger, popover } = usePopover(modelPopover)
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="text-13 text-ink-2">{reason}</p>
      <Button {...trigger}>{t('Select another model')}</Button>
      {popover && <popover.part.ModelPopover {...popover.props} models={models} chosenId={chosenId} onPick={onPick} />}
    </div>
  )
}
