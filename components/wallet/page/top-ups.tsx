'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Lines, Nothing, RetryLine, Section, When } from '@/components/ui/section'
import { Sentence } from '@/components/ui/sentence'
import { isPending, walletQuery } from '@/components/wallet/page/transactions'
import { pendingPayments } from '@/components/wallet/top-up/pending-payments'
import { resume, useTopUp } from '@/components/wallet/top-up/store'
import { isUnderWay, type PendingPayment } from '@/components/wallet/top-up/top-up'
import { openTopUp } from '@/lib/browser/dialogs'
import { CHAIN_NAME, isSameAddress } from '@/lib/browser/format/address'
import { usdOfUnits } from '@/lib/browser/format/amounts'
import { formatMoney, moneyOf } from '@/lib/browser/format/cost'
import { refreshMoney } from '@/lib/browser/queries'
import type { TopUpSummary } from '@/lib/contract/billing'
import { EVM_NETWORK } from '@/lib/contract/chains'
import type { Session } from '@/lib/contract/session'
import { msg, t } from '@/lib/i18n/t'

export function Pending({ session }: { session: Session }) {
  const wallet = useQuery(walletQuery(session.id))
  // Drawn anew with each step of a top-up, which is when what is kept changes.
  const topUp = useTopUp()
  const pending = pendingPayments().filter((payment) => isSameAddress(payment.wallet, session.address ?? ''))
  const known = wallet.data?.topUps.filter(isPending) ?? []
  const unknown = pending.filter((payment) => !known.some(({ paymentId }) => paymentId === payment.paymentId))
  if (known.length + unknown.length === 0) return null
  return (
    <section aria-label={t('Pending payments')} className="mt-6 space-y-2">
      {unknown.map((payment) => (
        <PendingRow
          key={payment.id}
          amount={formatMoney(usdOfUnits(payment.units))}
          at={new Date(payment.signedAt).toISOString()}
          text={msg('<amount/> signed in this browser, not confirmed yet')}
          id={payment.paymentId}
          isChecking={isUnderWay(topUp) && topUp.payment.id === payment.id && topUp.step === 'sending'}
          check={() => checkPending(payment)}
        />
      ))}
      {known.map(({ paymentId, amount, createdAt, state }) => {
        const own = pending.find((payment) => payment.paymentId === paymentId)
        return (
          <PendingRow
            key={paymentId}
            amount={formatMoney(moneyOf(amount))}
            at={createdAt}
            text={
              state === 'confirming'
                ? msg('<amount/> waiting for network confirmation')
                : msg('<amount/> not confirmed yet')
            }
            id={paymentId}
            isChecking={wallet.isFetching}
            check={() => (own ? checkPending(own) : wallet.refetch())}
          />
        )
      })}
    </section>
  )
}

async function checkPending(payment: PendingPayment): Promise<void> {
  const checking = resume(payment)
  await openTopUp()
  await checking
  refreshMoney()
}

type PendingRowProps = {
  amount: string
  at: string
  text: string
  id: string | undefined
  isChecking: boolean
  check: () => Promise<unknown>
}

function PendingRow({ amount, at, text, id, isChecking, check }: PendingRowProps) {
  const [isAsking, setIsAsking] = useState(false)
  const ask = () => {
    setIsAsking(true)
    void check().finally(() => setIsAsking(false))
  }
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-brass bg-surface py-3 ps-4 pe-3 text-14">
      <p className="min-w-0 flex-1">
        <Sentence
          text={text}
          parts={{ amount: () => <span className="font-mono font-medium text-brass tabular-nums">{amount}</span> }}
        />
        <span className="block text-13 text-ink-3">
          <When at={at} />
          {id && (
            <>
              {' · '}
              <span className="font-mono text-12 wrap-anywhere">{id}</span>
            </>
          )}
        </span>
      </p>
      {id && <CopyButton text={id} label={t('Copy payment ID')} />}
      <Button disabled={isChecking || isAsking} onClick={ask}>
        {isChecking || isAsking ? t('Checking…') : t('Check again')}
      </Button>
    </div>
  )
}

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
            <TopUpRow key={topUp.paymentId} topUp={topUp} />
          ))}
        </ul>
      )}
    </Section>
  )
}

function TopUpRow({ topUp }: { topUp: TopUpSummary }) {
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
