'use client'

import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import type { RefObject } from 'react'
import { NetworkRail } from '@/components/rpc/network-rail'
import { IconButton } from '@/components/ui/button'
import type { RpcNetwork } from '@/lib/rpc/networks'

type NetworkSheetProps = {
  isOpen: boolean
  onClose: () => void
  /** Where the focus goes back to. */
  opener: RefObject<HTMLElement | null>
  chosen: RpcNetwork
  onPick: (network: RpcNetwork) => void
}

/** The networks as a sheet from the left, where there is no room beside the page. */
export function NetworkSheet({ isOpen, onClose, opener, chosen, onPick }: NetworkSheetProps) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-30 bg-[rgb(10_12_16/0.45)]" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            opener.current?.focus()
          }}
          className="enter fixed inset-y-0 start-0 z-30 flex w-[min(22rem,90vw)] flex-col border-e border-line bg-paper pt-[env(safe-area-inset-top)] pb-[env(safe-area-inset-bottom)] outline-none"
        >
          <div className="flex h-12 shrink-0 items-center justify-between ps-5 pe-2">
            <Dialog.Title className="text-14 font-medium">Networks</Dialog.Title>
            <Dialog.Close asChild>
              <IconButton label="Close">
                <X aria-hidden="true" />
              </IconButton>
            </Dialog.Close>
          </div>
          <NetworkRail
            chosen={chosen}
            onPick={(network) => {
              onPick(network)
              onClose()
            }}
          />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
