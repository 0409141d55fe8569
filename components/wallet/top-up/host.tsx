'use client'

import dynamic from 'next/dynamic'
import { useEffect } from 'react'
import { SHEET_OVERLAY } from '@/components/ui/sheet-overlay'
import { keptPayments } from '@/components/wallet/top-up/pending-payments'
import { hearOtherTabs } from '@/lib/browser/refresh-money'
import { useTopUpRequest } from '@/lib/browser/top-up-dialog'
import { t } from '@/lib/i18n/t'

/** Fetched when it is first opened; the click shows at once. */
const TopUpSheet = dynamic(() => import('@/components/wallet/top-up/sheet').then((module) => module.TopUpSheet), {
  ssr: false,
  loading: () => <output aria-busy="true" aria-label={t('Loading')} className={SHEET_OVERLAY} />,
})

/** A payment that a reload left open is asked about once the page has started. */
const RESUME_AFTER_MS = 1_500

/** Where the sheet that adds credit appears. Mounted once, in the frame. */
export function TopUpHost() {
  const request = useTopUpRequest()
  useEffect(hearOtherTabs, [])
  useEffect(() => {
    if (keptPayments().length === 0) return
    const resume = () => void import('@/components/wallet/top-up/machine').then(({ resumeKept }) => resumeKept())
    const timer = setTimeout(resume, RESUME_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return request ? <TopUpSheet request={request} /> : null
}
