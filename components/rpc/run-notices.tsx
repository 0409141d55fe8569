'use client'

import { RaiseCap } from '@/components/common/raise-cap'
import { fullName } from '@/components/rpc/networks'
import type { RunState } from '@/components/rpc/run'
import { Button } from '@/components/ui/button'
import { Sheet } from '@/components/ui/modal'
import { NoticeLine } from '@/components/ui/notice'
import { openTopUp, openWallet } from '@/lib/browser/dialogs'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
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

type RunNoticeProps = { run: RunState; isBusy: boolean; onRun: (options?: { isDayWaived?: boolean }) => void }

export function RunNotice({ run, isBusy, onRun }: RunNoticeProps) {
  const { refusal, failure } = run
  if (refusal === 'not-signed-in') {
    const signIn = async () => (await openWallet({ why: t('To run this call') })) && onRun()
    return (
      <NoticeLine text={t('Sign in with a wallet to run this call. Your call is saved.')}>
        <Button onClick={() => void signIn()}>{t('Sign in')}</Button>
      </NoticeLine>
    )
  }
  if (refusal === 'no-credit') {
    const addCredit = async () => (await openTopUp({ why: t('Your call runs as soon as you add credit.') })) && onRun()
    return (
      <NoticeLine text={t('Add credit to run this call. Your call is saved.')}>
        <Button onClick={() => void addCredit()}>{t('Add credit')}</Button>
      </NoticeLine>
    )
  }
  if (failure?.code !== 'CAP_PER_DAY') return null
  return (
    <NoticeLine text={failure.message}>
      <RaiseCap name="capPerDay" isBusy={isBusy} onRaised={() => onRun()} />
      <Button onClick={() => onRun({ isDayWaived: true })}>{t('Run anyway, just once')}</Button>
    </NoticeLine>
  )
}
