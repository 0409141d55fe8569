'use client'

import type { TurnActions } from '@/components/chat/chat-actions'
import { Button } from '@/components/ui/button'
import { createPart, usePopover } from '@/components/ui/part'
import type { ModelCard } from '@/lib/browser/models'
import type { Turn } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

type ModelNoticeProps = { turn: Turn; models: ModelCard[]; actions: TurnActions }

const modelPopover = createPart(() => import('@/components/chat/models/model-popover'))

export function ModelNotice({ turn, models, actions }: ModelNoticeProps) {
  const { trigger, popover } = usePopover(modelPopover)
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 border-s-2 border-control ps-3">
      <p className="text-13 text-ink-2">{turn.notice}</p>
      <Button {...trigger}>{t('Select another model')}</Button>
      {popover && (
        <popover.part.ModelPopover
          {...{ ...popover.props, models }}
          chosenId={turn.modelId}
          onPick={actions.pickModel}
        />
      )}
    </div>
  )
}
