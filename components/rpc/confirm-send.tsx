'use client'

import { fullName } from '@/components/rpc/overview'
import { Button } from '@/components/ui/button'
import { Sheet } from '@/components/ui/sheet'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { msg, t } from '@/lib/i18n/t'

type ConfirmSendProps = {
  network: RpcNetwork
  isLocal: boolean
  method: string
  onSend: () => void
  onClose: () => void
}

const SENDS_TRANSACTION = msg(
  'This sends a signed transaction to {network}. What a chain has taken cannot be taken back.',
)
const SENDS: Record<string, string> = {
  eth_sendRawTransaction: SENDS_TRANSACTION,
  eth_sendUserOperation: msg(
    'This sends a signed user operation to {network}. What a chain has taken cannot be taken back.',
  ),
  starknet_addInvokeTransaction: SENDS_TRANSACTION,
  starknet_addDeclareTransaction: msg(
    'This sends a signed declaration of a class to {network}. What a chain has taken cannot be taken back.',
  ),
  starknet_addDeployAccountTransaction: msg(
    'This sends a signed deployment of an account to {network}. What a chain has taken cannot be taken back.',
  ),
}
const SENDS_SOMETHING = msg('This sends what was signed to {network}. What a chain has taken cannot be taken back.')

/** Says what a broadcast will do, and asks. */
export function ConfirmSend({ network, isLocal, method, onSend, onClose }: ConfirmSendProps) {
  const name = fullName(network)
  return (
    <Sheet isOpen onClose={onClose} title={t('Send to {network}?', { network: name })}>
      <p className="mt-3 text-ink-2">{t(SENDS[method] ?? SENDS_SOMETHING, { network: name })}</p>
      <p className={`mt-2 ${network.isTestnet || isLocal ? 'text-ink-2' : 'font-medium text-ink'}`}>
        {isLocal
          ? t('A test chain on this machine stands in for it, so nothing of value moves.')
          : network.isTestnet
            ? t('It is a test network: nothing of value moves.')
            : t('It is a main network: real {currency} moves.', { currency: network.currency })}
      </p>
      <p className="mt-2 text-ink-2">{t('If the answer gets lost, running it again does not send it twice.')}</p>
      <div className="mt-5 flex gap-2">
        <Button kind="primary" className="min-h-11 flex-1" autoFocus onClick={onSend}>
          {t('Send')}
        </Button>
        <Button className="min-h-11 flex-1" onClick={onClose}>
          {t('Do not send')}
        </Button>
      </div>
    </Sheet>
  )
}
