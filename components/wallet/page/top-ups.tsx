'use client'

import { useQuery } from '@tanstack/react-query'
import { CopyButton } from '@/components/ui/copy-button'
import { Lines, Nothing, RetryLine, Section, When } from '@/components/ui/section'
import { isPending, walletQuery } from '@/components/wallet/wallet-data'
import { CHAIN_NAME } from '@/lib/browser/format/address'
import { formatMoney, moneyOf } from '@/lib/browser/format/cost'
import type { Session } from '@/lib/browser/session-type'
import type { TopUpSummary } from '@/lib/contract/billing'
import { EVM_NETWORK } from '@/lib/contract/chains'
import { msg, t } from '@/lib/i18n/t'

/** The payments of this wallet and what became of them. Those without an outcome stand above. */
export function TopUps({ session }: { session: Session }) {
  const wallet = useQuery(walletQuery(session.id))
  const done = wallet.data?.topUps.filter((topUp) => !isPending(topUp)) ?? []
  return (
    <Section title={t('Top-ups')}>
      {wallet.isPending && <Lines count={2} query={wallet} />}
      {wallet.isError && (
        <RetryLine text={t('Your top-ups could not be loaded.')} onRetry={() => void wallet.refetch()} />
      )}
      {wallet.isSuccess && done.length === 0 && <Nothing>{t('Payments you make appear here.')}</Nothing>}
      {done.length > 0 && (
        <ul className="divide-y divide-line">
          {done.map((topUp) => (
            <Row key={topUp.paymentId} topUp={topUp} />
          ))}
        </ul>
      )}
    </Section>
  )
}

function Row({ topUp }: { topUp: TopUpSummary }) {
  const { amount, state, network, transaction, createdAt, paymentId } = topUp
  const names = transaction ?? paymentId
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2 text-14">
      <span className="w-32 text-13 text-ink-3 tabular-nums">
        <When at={createdAt} />
      </span>
      <span className="w-20 font-mono tabular-nums">{formatMoney(moneyOf(amount))}</span>
      <span className={`flex-1 ${state === 'credited' ? 'text-ink-2' : 'text-danger'}`}>
        {t(STATES[state])}{' '}
        <span className="text-13 text-ink-3">
          {t('on {chain}', { chain: CHAIN_NAME[network === EVM_NETWORK ? 'evm' : 'solana'] })}
        </span>
      </span>
      <span className="flex items-center font-mono text-12 text-ink-3">
        {names.slice(0, 10)}…
        <CopyButton text={names} label={transaction ? t('Copy transaction') : t('Copy payment ID')} />
      </span>
    </li>
  )
}

const STATES: Record<TopUpSummary['state'], string> = {
  received: msg('pending'),
  settling: msg('pending'),
  unknown: msg('pending'),
  confirming: msg('pending'),
  credited: msg('credited'),
  failed: msg('failed, not charged'),
  reversed: msg('reversed by the network'),
}
