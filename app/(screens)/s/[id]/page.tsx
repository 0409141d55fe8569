import { titled } from '@/app/page-language'
import { SharedScreen } from '@/components/history/shared-screen'
import { msg } from '@/lib/i18n/t'

export const generateMetadata = titled(msg('Shared chat'), { robots: { index: false }, referrer: 'no-referrer' })

export default function SharedPage() {
  return <SharedScreen />
}
