import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { UsagePage } from '@/components/usage/usage-page'
import { t } from '@/lib/i18n/t'

export async function generateMetadata(): Promise<Metadata> {
  await ready()
  return { title: t('Usage') }
}

export default function UsageScreen() {
  return <UsagePage />
}
