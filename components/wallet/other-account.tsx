import { Button } from '@/components/ui/button'
import { shortAddress } from '@/lib/client/address'
import type { Session } from '@/lib/client/session'
import type { WalletPort } from '@/lib/client/wallet-port'

type OtherAccountProps = { port: WalletPort; session: Session; onSignIn: () => void; onBack: () => void }

/** The wallet showed another account than the one that is signed in here. */
export function OtherAccount({ port, session, onSignIn, onBack }: OtherAccountProps) {
  return (
    <>
      <p className="mt-1 text-ink-2">
        {port.name} is on <Address of={port.address} />, but you are signed in as <Address of={session.address ?? ''} />
        . Choose that account in {port.name} and try again, or sign in with this one.
      </p>
      <div className="mt-5 flex flex-wrap gap-2">
        <Button kind="primary" onClick={onBack}>
          Try again
        </Button>
        <Button onClick={onSignIn}>Sign in as {shortAddress(port.address)}</Button>
      </div>
    </>
  )
}

function Address({ of }: { of: string }) {
  return <span className="font-mono text-12 whitespace-nowrap text-ink">{shortAddress(of)}</span>
}
