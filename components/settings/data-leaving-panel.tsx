'use client'

import type { RefObject } from 'react'
import { DataLeaving } from '@/components/settings/data-leaving'
import { AnchoredPopover } from '@/components/ui/anchored-popover'
import { OVERLAY } from '@/components/ui/menu'
import type { ModelCard } from '@/lib/browser/models'
import { t } from '@/lib/i18n/t'

type DataLeavingPanelProps = {
  chatId: string | null
  model: ModelCard
  isOpen: boolean
  onClose: () => void
  anchor: RefObject<HTMLElement | null>
}

export function DataLeavingPanel({ chatId, model, ...place }: DataLeavingPanelProps) {
  return (
    <AnchoredPopover
      {...place}
      label={t('Data leaving this device')}
      align="start"
      className={`${OVERLAY} thin-scroll max-h-[min(36rem,80dvh)] w-[min(26rem,92vw)] overflow-y-auto p-4`}
    >
      <DataLeaving chatId={chatId} model={model} />
    </AnchoredPopover>
  )
}
