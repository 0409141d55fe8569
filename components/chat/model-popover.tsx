'use client'

import type { RefObject } from 'react'
import { ModelList } from '@/components/chat/model-list'
import { focusComposer } from '@/components/shell/shortcuts'
import { AnchoredPopover } from '@/components/ui/anchored-popover'
import { OVERLAY } from '@/components/ui/menu'
import type { ModelCard } from '@/lib/client/models'

type ModelPopoverProps = {
  isOpen: boolean
  onClose: () => void
  /** The button that it hangs from. */
  anchor: RefObject<HTMLElement | null>
  models: ModelCard[]
  chosenId: string | undefined
  onPick: (id: string) => void
}

/** The list of models, over the page. */
export function ModelPopover({ isOpen, onClose, anchor, models, chosenId, onPick }: ModelPopoverProps) {
  return (
    <AnchoredPopover
      {...{ isOpen, onClose, anchor }}
      label="Choose a model"
      align="start"
      className={`${OVERLAY} w-[min(26rem,calc(100vw-1rem))]`}
      onClosed={focusComposer}
    >
      <ModelList
        models={models}
        chosenId={chosenId}
        onPick={(id) => {
          onPick(id)
          onClose()
        }}
      />
    </AnchoredPopover>
  )
}
