'use client'

import { Popover } from 'radix-ui'
import type { RefObject } from 'react'
import { SourceText } from '@/components/markdown/citations/source-messages'
import type { Source } from '@/components/markdown/citations/sources'
import { t } from '@/lib/i18n/t'

type SourceCardProps = {
  source: Source
  anchor: RefObject<HTMLElement | null>
  onEnter: () => void
  onLeave: () => void
  onClose: () => void
}

export function SourceCard({ source, anchor, onEnter, onLeave, onClose }: SourceCardProps) {
  return (
    <Popover.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      {/* The chip is there as long as its card is. */}
      <Popover.Anchor virtualRef={anchor as RefObject<HTMLElement>} />
      <Popover.Portal>
        <Popover.Content
          side="top"
          sideOffset={6}
          collisionPadding={12}
          aria-label={t('Source {number}', { number: source.index + 1 })}
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          onPointerEnter={onEnter}
          onPointerLeave={onLeave}
          className="enter z-30 w-80 max-w-[calc(100vw-1.5rem)] rounded-card border border-line bg-surface p-4 shadow-over"
        >
          <SourceText source={source} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
