'use client'

import type { RefObject } from 'react'
import { ModelList } from '@/components/chat/models/model-list'
import { AnchoredPopover } from '@/components/ui/anchored-popover'
import { OVERLAY } from '@/components/ui/menu'
import { Sheet } from '@/components/ui/modal'
import { useNarrow } from '@/components/ui/use-narrow'
import { focusComposer } from '@/lib/browser/commands'
import type { ModelCard } from '@/lib/browser/models'
import { t } from '@/lib/i18n/t'

type ModelPopoverProps = {
  isOpen: boolean
  onClose: () => void
  anchor: RefObject<HTMLElement | null>
  models: ModelCard[]
  chosenId: string | undefined
  onPick: (id: string) => void
}

export function ModelPopover({ isOpen, onClose, anchor, models, chosenId, onPick }: ModelPopoverProps) {
  const isNarrow = useNarrow()
  const list = (
    <ModelList
      models={models}
      chosenId={chosenId}
      onPick={(id) => {
        onPick(id)
        onClose()
      }}
    />
  )
  if (isNarrow) {
    return (
      isOpen && (
        <Sheet isOpen onClose={onClose} title={t('Choose a model')}>
          <div className="-mx-6 mt-2 -mb-6 border-t border-line">{list}</div>
        </Sheet>
      )
    )
  }
  return (
    <AnchoredPopover
      {...{ isOpen, onClose, anchor }}
      label={t('Choose a model')}
      align="start"
      className={`${OVERLAY} w-[min(46rem,calc(100vw-1rem))] overflow-hidden`}
      onClosed={focusComposer}
    >
      {list}
    </AnchoredPopover>
  )
}
