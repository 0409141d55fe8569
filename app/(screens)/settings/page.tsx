import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { SettingsScreen } from '@/components/settings/settings-screen'
import { t } from '@/lib/i18n/t'

export async function generateMetadata(): Promise<Metadata> {
  await ready()
  return { title: t('Settings') }
}

export default function SettingsPage() {
  return <SettingsScreen />
}
