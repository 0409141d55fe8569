'use client'

import { Popover } from 'radix-ui'
import type { RefObject } from 'react'
import { ModelList } from '@/components/chat/model-list'
import { focusComposer } from '@/components/shell/shortcuts'
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
  const isOnAnchor = (target: EventTarget | null) => target instanceof Node && anchor.current?.contains(target) === true
  return (
    <Popover.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Popover.Anchor virtualRef={anchor as RefObject<HTMLElement>} />
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label="Choose a model"
          className={`${OVERLAY} w-[min(26rem,calc(100vw-1rem))]`}
          // The button closes the list by itself; closed here first, its click would open it again.
          onInteractOutside={(event) => isOnAnchor(event.target) && event.preventDefault()}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            focusComposer()
          }}
        >
          <ModelList
            models={models}
            chosenId={chosenId}
            onPick={(id) => {
              onPick(id)
              onClose()
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
