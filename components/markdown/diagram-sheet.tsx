'use client'

import { ZoomIn, ZoomOut } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useState } from 'react'
import { DiagramPicture } from '@/components/markdown/diagram-picture'
import type { Drawing } from '@/components/markdown/diagrams/draw'
import { IconButton } from '@/components/ui/button'
import { CloseButton, Modal } from '@/components/ui/modal'
import { t } from '@/lib/i18n/t'

const STEP = 1.25
const [LEAST, MOST] = [0.25, 6]

/** A diagram on the whole screen. */
export function DiagramSheet({ drawing, onClose }: { drawing: Drawing; onClose: () => void }) {
  const [scale, setScale] = useState(1)
  const by = (factor: number) => setScale(Math.min(MOST, Math.max(LEAST, scale * factor)))
  return (
    <Modal
      onClose={onClose}
      overlay={null}
      onKeyDown={({ key }) => {
        if (key === '+' || key === '=') by(STEP)
        if (key === '-') by(1 / STEP)
      }}
      className="inset-0 z-40 flex flex-col bg-paper"
    >
      <div className="flex items-center justify-end px-3 py-2">
        <Dialog.Title className="flex-1 ps-3 text-14 font-medium">{t('Diagram')}</Dialog.Title>
        <IconButton label={t('Zoom out')} onClick={() => by(1 / STEP)}>
          <ZoomOut aria-hidden="true" />
        </IconButton>
        <IconButton label={t('Zoom in')} onClick={() => by(STEP)}>
          <ZoomIn aria-hidden="true" />
        </IconButton>
        <CloseButton />
      </div>
      <DiagramPicture drawing={drawing} scale={scale} className="min-h-0 flex-1" />
    </Modal>
  )
}
