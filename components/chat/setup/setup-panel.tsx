'use client'

import { type RefObject, useSyncExternalStore } from 'react'
import { SetupFields } from '@/components/chat/setup/setup-fields'
import { AnchoredPopover } from '@/components/ui/anchored-popover'
import { OVERLAY } from '@/components/ui/menu'
import { Sheet } from '@/components/ui/sheet'
import type { ModelCard } from '@/lib/browser/models'
import { msg, t } from '@/lib/i18n/t'

type SetupPanelProps = {
  isOpen: boolean
  onClose: () => void
  anchor: RefObject<HTMLElement | null>
  chatId: string | null
  model: ModelCard | undefined
}

const TITLE = msg('Chat settings')

/** How a chat asks: beside its button on a desk, a sheet from below on a phone. */
export function SetupPanel({ isOpen, onClose, anchor, chatId, model }: SetupPanelProps) {
  const isPhone = useSyncExternalStore(subscribe, isNarrow, () => false)
  const fields = <SetupFields key={chatId} chatId={chatId} model={model} />
  if (isPhone) {
    return isOpen ? (
      <Sheet isOpen onClose={onClose} title={t(TITLE)}>
        {fields}
      </Sheet>
    ) : null
  }
  return (
    <AnchoredPopover
      isOpen={isOpen}
      onClose={onClose}
      anchor={anchor}
      label={t(TITLE)}
      align="end"
      className={`${OVERLAY} thin-scroll max-h-[min(40rem,var(--radix-popover-content-available-height))] w-88 overflow-y-auto p-4 pt-3`}
    >
      <h2 className="text-14 font-medium">{t(TITLE)}</h2>
      {fields}
    </AnchoredPopover>
  )
}

/** Below this the sheet has more room than what hangs from a button. As the style sheet's own boundary. */
const NARROW = '(width < 56.25rem)'

const isNarrow = () => window.matchMedia(NARROW).matches

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(NARROW)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}
