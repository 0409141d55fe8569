'use client'

import { Button } from '@/components/ui/button'
import { TEST_WALLET } from '@/components/wallet/connect/offers'
import type { Chosen } from '@/components/wallet/connect/use-wallet-steps'
import { WalletIcon } from '@/components/wallet/connect/wallet-icon'
import { CHAIN_NAME } from '@/lib/browser/format/address'
import { t } from '@/lib/i18n/t'

type ConnectingProps = { chosen: Chosen; onCancel: () => void }

/** While the wallet's own window is open. It ends when the wallet answers or the person gives up, and not by a clock. */
export function Connecting({ chosen: { name, icon, way }, onCancel }: ConnectingProps) {
  return (
    <div className="flex flex-col items-center pt-8 text-center">
      <WalletIcon icon={icon} isTest={way.id === TEST_WALLET} size="large" />
      <p className="mt-4 font-medium">
        {t('Waiting for {name}', { name })}
        <span className="caret" />
      </p>
      <p className="mt-1 max-w-75 text-ink-2">
        {t('Approve the request in your wallet to share your {chain} address with this site.', {
          chain: CHAIN_NAME[way.family],
        })}
      </p>
      <p className="mt-3 max-w-75 text-13 text-ink-3">
        {t(
          'No window? It may be behind this one, or your wallet may be locked. Check the wallet icon in the browser toolbar.',
        )}
      </p>
      <Button className="mt-5" onClick={onCancel}>
        {t('Cancel')}
      </Button>
    </div>
  )
}
