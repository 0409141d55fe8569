import { titled } from '@/app/page-language'
import { UsagePage } from '@/components/usage/usage-page'
import { msg } from '@/lib/i18n/t'

export const generateMetadata = titled(msg('Usage'))

export default function UsageScreen() {
  return <UsagePage />
}
