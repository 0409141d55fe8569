'use client'

import { Button } from '@/components/ui/button'
import { TestMoney } from '@/components/wallet/top-up/test-money'
import type { Service, Session } from '@/lib/browser/session'
import { openWallet } from '@/lib/browser/wallet-dialog'
import { t } from '@/lib/i18n/t'

type ConnectFirstProps = { session: Session | null; service: Service }

/** Credit belongs to a wallet, and this browser has none yet. */
export function ConnectFirst({ session, service }: ConnectFirstProps) {
  if (service.rails.length === 0) {
    return (
      <p className="mt-3 text-ink-2">{t('Payments are unavailable right now. The operator can add credit for you.')}</p>
    )
  }
  return (
    <div className="mt-3 space-y-4">
      {service.sandbox && <TestMoney />}
      <p className="text-ink-2">
        {session?.kind === 'account'
          ? t(
              'You are signed in with an account. To pay yourself, connect a wallet. Credit belongs to the wallet that pays.',
            )
          : t('Credit belongs to a wallet: no account, no email. Connect your wallet first. Connecting is free.')}
      </p>
      <Button kind="primary" className="w-full" onClick={() => void openWallet({ why: t('To add credit') })}>
        {t('Connect a wallet')}
      </Button>
    </div>
  )
}
