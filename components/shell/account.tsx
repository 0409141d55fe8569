'use client'

import { useQuery } from '@tanstack/react-query'
import { ChevronsUpDown, WalletMinimal } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { createPart } from '@/components/ui/part'
import { Sentence } from '@/components/ui/sentence'
import { usePopover } from '@/components/ui/use-popover'
import { openWallet } from '@/lib/browser/dialogs'
import { CHAIN_NAME, shortAddress } from '@/lib/browser/format/address'
import { sessionQuery } from '@/lib/browser/queries'
import { t } from '@/lib/i18n/t'

/** Fetched when it is first opened, or about to be. */
const accountMenu = createPart(() => import('@/components/shell/account-menu'))

type AccountProps = {
  /** Called when something was chosen that opens over the page. */
  onDone?: () => void
}

/** Who is signed in, and what one can do about it. */
export function Account({ onDone }: AccountProps) {
  const session = useQuery(sessionQuery())
  const { trigger, popover } = usePopover(accountMenu)
  if (session.isPending) return <div aria-hidden="true" className="skeleton mx-2 my-3 h-4 w-32" />
  const { address, family } = session.data ?? {}
  if (!address || !family) return <SignInRow {...(onDone && { onDone })} />
  return (
    <>
      <button
        {...trigger}
        type="button"
        className="flex min-h-10 w-full items-center gap-2.5 rounded-control px-2 text-start text-14 hover:bg-hover aria-expanded:bg-hover pointer-coarse:min-h-11"
      >
        <span aria-hidden="true" className="flex size-[18px] shrink-0 items-center justify-center">
          <span className="size-2 rounded-chip bg-ok" />
        </span>
        <Sentence
          text="<said>Wallet</said> <address/> <said>on</said> <network/>"
          parts={{
            said: (words) => <span className="sr-only">{` ${words} `}</span>,
            address: () => (
              <span className="min-w-0 flex-1 truncate font-mono text-13">
                <bdi dir="ltr">{shortAddress(address)}</bdi>
              </span>
            ),
            network: () => <span className="sr-only">{CHAIN_NAME[family]}</span>,
          }}
        />
        <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.5} />
      </button>
      {popover && session.data && (
        <popover.part.AccountMenu {...popover.props} address={address} family={family} {...(onDone && { onDone })} />
      )}
    </>
  )
}

function SignInRow({ onDone }: AccountProps) {
  const start = () => {
    onDone?.()
    void openWallet()
  }
  return (
    <Button className="w-full" onClick={start}>
      <WalletMinimal aria-hidden="true" className="size-[18px] text-accent" strokeWidth={1.5} />
      {t('Sign in')}
    </Button>
  )
}
