'use client'

import dynamic from 'next/dynamic'
import { type ComponentType, useEffect, useState } from 'react'
import { SHEET_OVERLAY } from '@/components/ui/part'
import { showToast } from '@/components/ui/toast'
import { pendingPayments } from '@/components/wallet/top-up/pending-payments'
import { settleWallet, useTopUpRequest, useWalletRequest, type WalletRequest } from '@/lib/browser/dialogs'
import { hearOtherTabs } from '@/lib/browser/queries'
import { provideWallets } from '@/lib/browser/wallet-port'
import { t } from '@/lib/i18n/t'

provideWallets(() => import('@/components/wallet/connect/wallet'))

type Dialog = ComponentType<{ request: WalletRequest }>

export function WalletHost() {
  const request = useWalletRequest()
  const [Dialog, setDialog] = useState<Dialog>()
  const isMissing = request !== undefined && Dialog === undefined
  useEffect(() => {
    if (!isMissing) return
    import('@/components/wallet/connect/dialog').then(({ WalletDialog }) => setDialog(() => WalletDialog), giveUp)
  }, [isMissing])
  if (!request) return null
  if (!Dialog) return <output aria-busy="true" aria-label={t('Loading wallets')} className={SHEET_OVERLAY} />
  return <Dialog request={request} />
}

function giveUp(): void {
  settleWallet(null)
  showToast({ text: t('This part of the page could not be loaded. Check the connection, then try again.') })
}

const TopUpSheet = dynamic(() => import('@/components/wallet/top-up/sheet').then((module) => module.TopUpSheet), {
  ssr: false,
  loading: () => <output aria-busy="true" aria-label={t('Loading')} className={SHEET_OVERLAY} />,
})

const RESUME_AFTER_MS = 1_500

export function TopUpHost() {
  const request = useTopUpRequest()
  useEffect(hearOtherTabs, [])
  useEffect(() => {
    if (pendingPayments().length === 0) return
    const resume = () => void import('@/components/wallet/top-up/store').then(({ resumePending }) => resumePending())
    const timer = setTimeout(resume, RESUME_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return request ? <TopUpSheet request={request} /> : null
}
