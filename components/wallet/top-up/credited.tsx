'use client'

import { useEffect, useRef } from 'react'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import type { Credited as Receipt } from '@/components/wallet/top-up/top-up'
import { CHAIN_NAME } from '@/lib/browser/format/address'
import { formatMoney, formatUnitless, moneyOf } from '@/lib/browser/format/cost'
import { t } from '@/lib/i18n/t'

/** The receipt of a top-up. */
export function Credited({ receipt, onDone }: { receipt: Receipt; onDone: () => void }) {
  const done = useRef<HTMLButtonElement>(null)
  useEffect(() => done.current?.focus(), [])
  const { amountUsd, newBalanceUsd, family, transaction, paymentId } = receipt
  return (
    <div className="mt-3">
      <dl aria-label={t('Receipt')} className="space-y-1 text-14">
        <Row name={t('Paid')} value={`${formatUnitless(moneyOf(amountUsd))} USDC`} />
        <Row name={t('Network')} value={CHAIN_NAME[family]} />
        {transaction && (
          <Row name={t('Transaction')} value={short(transaction)} copies={transaction} label={t('Copy transaction')} />
        )}
        {paymentId && (
          <Row name={t('Payment')} value={short(paymentId)} copies={paymentId} label={t('Copy payment ID')} />
        )}
        <div className="flex min-h-9 items-center justify-between gap-4 border-t-3 border-double border-line pt-2">
          <dt>{t('New balance')}</dt>
          <dd className="font-mono text-18 text-brass tabular-nums">{formatMoney(moneyOf(newBalanceUsd))}</dd>
        </div>
      </dl>
      <Button ref={done} kind="primary" className="mt-5 min-h-11 w-full" onClick={onDone}>
        {t('Done')}
      </Button>
    </div>
  )
}

type RowProps = { name: string; value: string; copies?: string; label?: string }

function Row({ name, value, copies, label = '' }: RowProps) {
  return (
    <div className="flex min-h-9 items-center justify-between gap-4">
      <dt className="text-ink-2">{name}</dt>
      <dd className="flex items-center font-mono text-13 tabular-nums">
        {value}
        {copies && <CopyButton text={copies} label={label} className="-me-2" />}
      </dd>
    </div>
  )
}

const SHOWN_CHARS = 16

/** The two ends of a long name. */
function short(name: string): string {
  return name.length <= SHOWN_CHARS + 4 ? name : `${name.slice(0, 10)}…${name.slice(-6)}`
}
