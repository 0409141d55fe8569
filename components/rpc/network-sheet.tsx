'use client'

import { Dialog } from 'radix-ui'
import type { RefObject } from 'react'
import { NetworkRail } from '@/components/rpc/network-rail'
import { CloseButton, SideSheet } from '@/components/ui/modal'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

type NetworkSheetProps = {
  isOpen: boolean
  onClose: () => void
  anchor: RefObject<HTMLElement | null>
  chosen: RpcNetwork
  onPick: (network: RpcNetwork) => void
}

export function NetworkSheet({ isOpen, onClose, anchor, chosen, onPick }: NetworkSheetProps) {
  const pick = (network: RpcNetwork) => {
    onPick(network)
    onClose()
  }
  return (
    <SideSheet isOpen={isOpen} onClose={onClose} opener={anchor} className="flex w-[min(22rem,90vw)] flex-col">
      <div className="flex h-12 shrink-0 items-center justify-between ps-5 pe-2">
        <Dialog.Title className="text-14 font-medium">{t('Networks')}</Dialog.Title>
        <CloseButton />
      </div>
      <NetworkRail chosen={chosen} onPick={pick} />
    </SideSheet>
  )
}
