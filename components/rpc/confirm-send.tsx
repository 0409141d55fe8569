'use client'

import { Button } from '@/components/ui/button'
import { Sheet } from '@/components/ui/sheet'
import { fullName } from '@/lib/client/rpc-overview'
import type { RpcNetwork } from '@/lib/rpc/networks'

type ConfirmSendProps = {
  network: RpcNetwork
  isLocal: boolean
  method: string
  onSend: () => void
  onClose: () => void
}

const WHAT: Record<string, string> = {
  eth_sendRawTransaction: 'a signed transaction',
  eth_sendUserOperation: 'a signed user operation',
  starknet_addInvokeTransaction: 'a signed transaction',
  starknet_addDeclareTransaction: 'a signed declaration of a class',
  starknet_addDeployAccountTransaction: 'a signed deployment of an account',
}

/** Says what a broadcast will do, and asks. */
export function ConfirmSend({ network, isLocal, method, onSend, onClose }: ConfirmSendProps) {
  const name = fullName(network)
  return (
    <Sheet isOpen onClose={onClose} title={`Send to ${name}?`}>
      <p className="mt-3 text-ink-2">
        This sends {WHAT[method] ?? 'what was signed'} to {name}. What a chain has taken cannot be taken back.
      </p>
      <p className={`mt-2 ${network.isTestnet || isLocal ? 'text-ink-2' : 'font-medium text-ink'}`}>
        {isLocal
          ? 'A test chain on this machine stands in for it, so nothing of value moves.'
          : network.isTestnet
            ? 'It is a test network: nothing of value moves.'
            : `It is a main network: real ${network.currency} moves.`}
      </p>
      <p className="mt-2 text-ink-2">If the answer gets lost, running it again does not send it twice.</p>
      <div className="mt-5 flex gap-2">
        <Button kind="primary" className="min-h-11 flex-1" autoFocus onClick={onSend}>
          Send
        </Button>
        <Button className="min-h-11 flex-1" onClick={onClose}>
          Do not send
        </Button>
      </div>
    </Sheet>
  )
}
