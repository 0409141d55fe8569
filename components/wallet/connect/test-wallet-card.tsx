'use client'

import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { TEST_WALLET, wayOf } from '@/components/wallet/connect/offers'
import type { Chosen } from '@/components/wallet/connect/use-wallet-steps'
import { WalletIcon } from '@/components/wallet/connect/wallet-icon'
import { CHAIN_NAME } from '@/lib/browser/format/address'
import { readPreference } from '@/lib/browser/preferences'
import type { Family } from '@/lib/contract/chains'
import { t } from '@/lib/i18n/t'

const FAMILIES: Family[] = ['evm', 'solana']

type TestWalletCardProps = {
  /** No other wallet is offered. */
  isAlone: boolean
  onChoose: (chosen: Chosen) => void
}

/** The built-in wallet of the sandbox, so that everything can be tried without having one. */
export function TestWalletCard({ isAlone, onChoose }: TestWalletCardProps) {
  const [family, setFamily] = useState<Family>(lastFamily)
  return (
    <section aria-label={t('Test wallet')} className="mt-5 rounded-card border border-line bg-surface p-4">
      <div className="flex items-center gap-3">
        <WalletIcon isTest />
        <div className="min-w-0 flex-1">
          <p className="font-medium">{t('Test wallet')}</p>
          <p className="text-13 text-ink-3">{t('Created in this browser, funded with test money')}</p>
        </div>
      </div>
      <div className="mt-4 flex flex-wrap items-center justify-between gap-3">
        <fieldset className="flex rounded-control border border-line p-0.5">
          <legend className="sr-only">{t('Network')}</legend>
          {FAMILIES.map((each) => (
            <label
              key={each}
              className="inline-flex min-h-8 items-center rounded-[4px] px-3 text-13 text-ink-3 has-checked:bg-accent-soft has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:min-h-11"
            >
              <input
                type="radio"
                name="test-wallet-chain"
                checked={family === each}
                onChange={() => setFamily(each)}
                className="sr-only"
              />
              {CHAIN_NAME[each]}
            </label>
          ))}
        </fieldset>
        <Button kind="primary" onClick={() => onChoose({ name: t('Test wallet'), way: { family, id: TEST_WALLET } })}>
          {t('Use test wallet')}
        </Button>
      </div>
      {isAlone && (
        <p className="mt-4 border-t border-line pt-3 text-13 text-ink-3">
          {t(
            'For your safety, real wallets are off in this sandbox: a signature made here could be used on the real network.',
          )}
        </p>
      )}
    </section>
  )
}

/** The chain of last time, where it was this wallet. */
function lastFamily(): Family {
  const way = wayOf(readPreference('wallet'))
  return way?.id === TEST_WALLET ? way.family : 'evm'
}
