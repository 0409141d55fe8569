import { titled } from '@/app/page-language'
import { SettingsScreen } from '@/components/settings/settings-screen'
import { msg } from '@/lib/i18n/t'

export const generateMetadata = titled(msg('Settings'))

export default function SettingsPage() {
  return <SettingsScreen />
}
