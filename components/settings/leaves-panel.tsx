'use client'

import type { RefObject } from 'react'
import { WhatLeaves } from '@/components/settings/what-leaves'
import { AnchoredPopover } from '@/components/ui/anchored-popover'
import { OVERLAY } from '@/components/ui/menu'
import type { ModelCard } from '@/lib/browser/models'
import { t } from '@/lib/i18n/t'

type LeavesPanelProps = {
  chatId: string | null
  model: ModelCard
  isOpen: boolean
  onClose: () => void
  anchor: RefObject<HTMLElement | null>
}

/** What leaves this device, hanging from the lock. */
export function LeavesPanel({ chatId, model, ...place }: LeavesPanelProps) {
  return (
    <AnchoredPopover
      {...place}
      label={t('Data leaving this device')}
      align="start"
      className={`${OVERLAY} thin-scroll max-h-[min(36rem,80dvh)] w-[min(26rem,92vw)] overflow-y-auto p-4`}
    >
      <WhatLeaves chatId={chatId} model={model} />
    </AnchoredPopover>
  )
}
