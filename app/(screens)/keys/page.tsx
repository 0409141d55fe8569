import { titled } from '@/app/page-language'
import { KeysPage } from '@/components/keys/keys-page'
import { msg } from '@/lib/i18n/t'

export const generateMetadata = titled(msg('API keys'))

export default function KeysScreen() {
  return <KeysPage />
}
