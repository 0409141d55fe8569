'use client'

import { Button } from '@/components/ui/button'
import { openWallet } from '@/lib/browser/wallet-dialog'
import { t } from '@/lib/i18n/t'

/** Nobody is signed in: what a wallet is for here. */
export function SignedOut() {
  return (
    <div className="flex flex-col items-center gap-5 pt-[12vh] text-center">
      <h2 className="font-serif text-24 text-balance md:text-40 md:font-[420] md:tracking-[-0.02em]">
        {t('Your wallet is your account.')}
      </h2>
      <p className="max-w-100 text-14 text-ink-2">
        {t('Connect a wallet to add credit with USDC and see every charge. No email, no password; signing in is free.')}
      </p>
      <Button kind="primary" className="min-h-11 px-5" onClick={() => void openWallet()}>
        {t('Connect a wallet')}
      </Button>
    </div>
  )
}
