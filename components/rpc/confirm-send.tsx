'use client'

import { fullName } from '@/components/rpc/networks'
import { Button } from '@/components/ui/button'
import { Sheet } from '@/components/ui/sheet'
import type { RpcNetwork } from '@/lib/contract/rpc'
import { msg, t } from '@/lib/i18n/t'

type ConfirmSendProps = {
  network: RpcNetwork
  isLocal: boolean
  method: string
  onSend: () => void
  onClose: () => void
}

const SENDS_TRANSACTION = msg('A signed transaction will be sent to {network}. Sending can’t be undone.')
const SENDS: Record<string, string> = {
  eth_sendRawTransaction: SENDS_TRANSACTION,
  eth_sendUserOperation: msg('A signed user operation will be sent to {network}. Sending can’t be undone.'),
  starknet_addInvokeTransaction: SENDS_TRANSACTION,
  starknet_addDeclareTransaction: msg('A signed class declaration will be sent to {network}. Sending can’t be undone.'),
  starknet_addDeployAccountTransaction: msg(
    'A signed account deployment will be sent to {network}. Sending can’t be undone.',
  ),
}
const SENDS_SOMETHING = msg('Signed data will be sent to {network}. Sending can’t be undone.')

export function ConfirmSend({ network, isLocal, method, onSend, onClose }: ConfirmSendProps) {
  const name = fullName(network)
  return (
    <Sheet isOpen onClose={onClose} title={t('Send to {network}?', { network: name })}>
      <p className="mt-3 text-ink-2">{t(SENDS[method] ?? SENDS_SOMETHING, { network: name })}</p>
      <p className={`mt-2 ${network.isTestnet || isLocal ? 'text-ink-2' : 'font-medium text-ink'}`}>
        {isLocal
          ? t('Runs on a local test chain. No real funds move.')
          : network.isTestnet
            ? t('Test network: no real funds move.')
            : t('Mainnet: real {currency} will be moved.', { currency: network.currency })}
      </p>
      <p className="mt-2 text-ink-2">
        {t('If no response arrives, you can run the call again without sending it twice.')}
      </p>
      <div className="mt-5 flex gap-2">
        <Button kind="primary" className="min-h-11 flex-1" autoFocus onClick={onSend}>
          {t('Send')}
        </Button>
        <Button className="min-h-11 flex-1" onClick={onClose}>
          {t('Cancel')}
        </Button>
      </div>
    </Sheet>
  )
}
