'use client'

import { useQuery } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Facts } from '@/components/wallet/connect/facts'
import { testFundsQuery } from '@/components/wallet/top-up/test-funds'
import { CHAIN_NAME } from '@/lib/browser/format/address'
import { formatMoney, moneyOf } from '@/lib/browser/format/cost'
import { sessionQuery } from '@/lib/browser/queries'
import { useService } from '@/lib/browser/session'
import type { Session } from '@/lib/browser/session-type'
import type { WalletPort } from '@/lib/browser/wallet-port'
import { NANO_PER_USDC_UNIT } from '@/lib/contract/chains'
import { formatUsd, nano } from '@/lib/contract/money'
import { t } from '@/lib/i18n/t'

type ReadyProps = {
  port: WalletPort
  session: Session
  onAddCredit: () => void
  onDone: () => void
}

/** Step three: who one is here now, and what there is to spend. */
export function Ready({ port, session, onAddCredit, onDone }: ReadyProps) {
  const { balanceUsd } = useQuery(sessionQuery()).data ?? session
  return (
    <>
      <div className="mt-1 flex items-start justify-between gap-2">
        <p className="min-w-0 pt-2 font-mono text-12 text-ink-2 wrap-anywhere">{port.address}</p>
        <CopyButton text={port.address} label={t('Copy address')} />
      </div>
      <Facts
        facts={[
          {
            name: t('Wallet'),
            value: t('{wallet} on {chain}', { wallet: port.name, chain: CHAIN_NAME[port.family] }),
          },
          {
            name: t('Credit'),
            value: (
              <span className="text-14 font-medium text-brass tabular-nums">{formatMoney(moneyOf(balanceUsd))}</span>
            ),
          },
        ]}
      />
      {port.isTest ? <TestMoney port={port} /> : <SandboxNote className="mt-3" />}
      <div className="mt-5 flex flex-wrap gap-2">
        <Button kind="primary" onClick={onAddCredit}>
          {t('Add credit')}
        </Button>
        <Button onClick={onDone}>{t('Start exploring')}</Button>
      </div>
    </>
  )
}

/** What the faucet gave the test wallet, on its chain: that is what credit is bought with. */
function TestMoney({ port }: { port: WalletPort }) {
  const funding = useQuery(testFundsQuery(port.family, port.address))
  return (
    <div className="mt-3 text-13 text-ink-3">
      {funding.isPending && <p>{t('Adding test USDC to your wallet…')}</p>}
      {funding.isSuccess && (
        <p>
          {t(
            'Your wallet holds {amount} test USDC, enough to try a top-up. The chains are local and no money is real.',
            { amount: formatUsd(nano(funding.data * NANO_PER_USDC_UNIT), 2) },
          )}
        </p>
      )}
      {funding.isError && (
        <p>
          {t('Could not add test USDC to your wallet.')}{' '}
          <button
            type="button"
            className="min-h-9 text-accent underline underline-offset-4 pointer-coarse:min-h-11"
            onClick={() => void funding.refetch()}
          >
            {t('Try again')}
          </button>
        </p>
      )}
    </div>
  )
}

/** Said where money is spoken of, and only while it is no money. */
function SandboxNote({ className = '' }: { className?: string }) {
  if (!useService()?.sandbox) return null
  return (
    <p className={`flex items-center gap-2 text-13 text-ink-3 ${className}`}>
      <FlaskConical aria-hidden="true" className="size-4 shrink-0" strokeWidth={1.5} />
      {t('Test money on local chains. No funds are real.')}
    </p>
  )
}
