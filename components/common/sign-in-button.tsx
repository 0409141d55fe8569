'use client'

import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '@/lib/browser/queries'
import { openWallet } from '@/lib/browser/wallet-dialog'
import { t } from '@/lib/i18n/t'

/** The way to sign in where the sidebar is away: on a phone, and where it was closed. */
export function SignInButton() {
  const session = useQuery(sessionQuery())
  if (!session.isSuccess || session.data) return null
  return (
    <button
      type="button"
      className="inline-flex h-8 shrink-0 items-center rounded-chip border border-line px-3 text-14 font-medium transition-colors hover:border-control md:[:root:not([data-sidebar=closed])_&]:hidden pointer-coarse:h-11"
      onClick={() => void openWallet()}
    >
      {t('Sign in')}
    </button>
  )
}
