'use client'

import type { RefObject } from 'react'
import { MethodList } from '@/components/rpc/method-list'
import type { MethodEntry } from '@/components/rpc/methods/list-methods'
import { AnchoredPopover } from '@/components/ui/anchored-popover'
import { OVERLAY } from '@/components/ui/menu'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

type MethodPopoverProps = {
  isOpen: boolean
  onClose: () => void
  /** The button that it hangs from. */
  anchor: RefObject<HTMLElement | null>
  network: RpcNetwork
  entries: readonly MethodEntry[] | undefined
  chosen: string
  onPick: (method: string) => void
}

/** The list of methods, over the page. */
export function MethodPopover({ isOpen, onClose, anchor, network, entries, chosen, onPick }: MethodPopoverProps) {
  return (
    <AnchoredPopover
      {...{ isOpen, onClose, anchor }}
      label={t('Choose a method')}
      align="start"
      className={`${OVERLAY} w-[min(30rem,calc(100vw-1rem))]`}
    >
      <MethodList
        network={network}
        entries={entries}
        chosen={chosen}
        onPick={(method) => {
          onPick(method)
          onClose()
        }}
      />
    </AnchoredPopover>
  )
}
