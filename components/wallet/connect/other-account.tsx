import { Button } from '@/components/ui/button'
import { Sentence } from '@/components/ui/sentence'
import { shortAddress } from '@/lib/browser/format/address'
import type { Session } from '@/lib/browser/session'
import type { WalletPort } from '@/lib/browser/wallet-port'
import { t } from '@/lib/i18n/t'

type OtherAccountProps = { port: WalletPort; session: Session; onSignIn: () => void; onBack: () => void }

/** The wallet showed another account than the one that is signed in here. */
export function OtherAccount({ port, session, onSignIn, onBack }: OtherAccountProps) {
  return (
    <>
      <p className="mt-1 text-ink-2">
        <Sentence
          text="{wallet} uses <other/>, but you are signed in as <own/>. Switch accounts in {wallet} and try again, or sign in with the wallet’s account."
          values={{ wallet: port.name }}
          parts={{
            other: () => <Address of={port.address} />,
            own: () => <Address of={session.address ?? ''} />,
          }}
        />
      </p>
      <div className="mt-5 flex flex-wrap gap-2">
        <Button kind="primary" onClick={onBack}>
          {t('Try again')}
        </Button>
        <Button onClick={onSignIn}>{t('Sign in as {address}', { address: shortAddress(port.address) })}</Button>
      </div>
    </>
  )
}

function Address({ of }: { of: string }) {
  return <span className="font-mono text-12 whitespace-nowrap text-ink">{shortAddress(of)}</span>
}
