'use client'

import { X, ZoomIn, ZoomOut } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useState } from 'react'
import { DiagramPicture } from '@/components/chat/markdown/diagram'
import { IconButton } from '@/components/ui/button'
import type { Drawing } from '@/lib/client/diagrams/draw'
import { t } from '@/lib/i18n/t'

const STEP = 1.25
const [LEAST, MOST] = [0.25, 6]

/** A diagram on the whole screen. */
export function DiagramSheet({ drawing, onClose }: { drawing: Drawing; onClose: () => void }) {
  const [scale, setScale] = useState(1)
  const [opener] = useState(() => document.activeElement)
  const by = (factor: number) => setScale(Math.min(MOST, Math.max(LEAST, scale * factor)))
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (opener instanceof HTMLElement) opener.focus()
          }}
          onKeyDown={({ key }) => {
            if (key === '+' || key === '=') by(STEP)
            if (key === '-') by(1 / STEP)
          }}
          className="enter fixed inset-0 z-40 flex flex-col bg-paper outline-none"
        >
          <div className="flex items-center justify-end px-3 py-2">
            <Dialog.Title className="flex-1 ps-3 text-14 font-medium">{t('Diagram')}</Dialog.Title>
            <IconButton label={t('Smaller')} onClick={() => by(1 / STEP)}>
              <ZoomOut aria-hidden="true" />
            </IconButton>
            <IconButton label={t('Larger')} onClick={() => by(STEP)}>
              <ZoomIn aria-hidden="true" />
            </IconButton>
            <Dialog.Close asChild>
              <IconButton label={t('Close')}>
                <X aria-hidden="true" />
              </IconButton>
            </Dialog.Close>
          </div>
          <DiagramPicture drawing={drawing} scale={scale} className="min-h-0 flex-1" />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
