import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { SharedScreen } from '@/components/history/shared-screen'
import { t } from '@/lib/i18n/t'

export async function generateMetadata(): Promise<Metadata> {
  await ready()
  return { title: t('Shared chat'), robots: { index: false }, referrer: 'no-referrer' }
}

export default function SharedPage() {
  return <SharedScreen />
}
