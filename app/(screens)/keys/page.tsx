import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { KeysPage } from '@/components/keys/keys-page'
import { t } from '@/lib/i18n/t'

export async function generateMetadata(): Promise<Metadata> {
  await ready()
  return { title: t('API keys') }
}

export default function KeysScreen() {
  return <KeysPage />
}
