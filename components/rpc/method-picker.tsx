'use client'

import { ChevronDown } from 'lucide-react'
import type { MethodEntry } from '@/components/rpc/method-list'
import { createPart, usePopover } from '@/components/ui/part'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

const methodPopover = createPart(() => import('@/components/rpc/method-popover'))

type MethodPickerProps = {
  network: RpcNetwork
  entries?: readonly MethodEntry[]
  method: string
  isRefused: boolean
  onPick: (method: string) => void
}

export function MethodPicker({ network, entries, method, isRefused, onPick }: MethodPickerProps) {
  const { trigger, popover } = usePopover(methodPopover)
  return (
    <>
      <button
        {...trigger}
        type="button"
        aria-label={t('Method: {method}', { method })}
        className="inline-flex min-h-9 min-w-0 flex-1 items-center gap-1.5 rounded-control border border-control bg-surface px-3 text-start text-14 hover:border-ink-3 pointer-coarse:min-h-11"
      >
        <span
          dir="ltr"
          className={`min-w-0 flex-1 truncate rtl:text-end font-mono text-13 ${isRefused ? 'text-ink-3 line-through' : ''}`}
        >
          {method}
        </span>
        <ChevronDown aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.5} />
      </button>
      {popover && <popover.part.MethodPopover {...popover.props} {...{ network, entries, onPick }} chosen={method} />}
    </>
  )
}
