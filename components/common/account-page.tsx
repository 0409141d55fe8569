'use client'

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { TopBar } from '@/components/common/top-bar'
import { Button } from '@/components/ui/button'
import { RetryLine } from '@/components/ui/section'
import { openWallet } from '@/lib/browser/dialogs'
import { sessionQuery } from '@/lib/browser/queries'
import type { Session } from '@/lib/contract/session'
import { t } from '@/lib/i18n/t'

type AccountPageProps = {
  title: string
  width: 'max-w-180' | 'max-w-220'
  loading: (query: { isPaused: boolean }) => ReactNode
  failed: string
  signedOut: ReactNode
  children: (session: Session) => ReactNode
}

/** Draws a page of the signed-in account, and what stands there without one. */
export function AccountPage({ title, width, loading, failed, signedOut, children }: AccountPageProps) {
  const session = useQuery(sessionQuery())
  return (
    <>
      <TopBar>
        <h1 className="px-2 text-14 font-medium">{title}</h1>
      </TopBar>
      <div className="thin-scroll min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <div className={`mx-auto w-full ${width} px-4 pt-8 pb-16 md:pt-12`}>
          {session.isPending && loading(session)}
          {session.isError && session.data === undefined && (
            <RetryLine text={failed} onRetry={() => void session.refetch()} />
          )}
          {session.data === null && signedOut}
          {session.data && children(session.data)}
        </div>
      </div>
    </>
  )
}

export function NeedsWallet({ title, text }: { title: string; text: string }) {
  return (
    <div className="flex flex-col items-center gap-5 pt-[12vh] text-center">
      <h2 className="font-serif text-24 text-balance md:text-40 md:font-[420] md:tracking-[-0.02em]">{title}</h2>
      <p className="max-w-100 text-14 text-ink-2">{text}</p>
      <Button kind="primary" className="min-h-11 px-5" onClick={() => void openWallet()}>
        {t('Connect a wallet')}
      </Button>
    </div>
  )
}
