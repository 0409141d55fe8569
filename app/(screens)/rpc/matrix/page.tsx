import { titled } from '@/app/page-language'
import { MatrixScreen } from '@/components/rpc/matrix/matrix'
import { msg } from '@/lib/i18n/t'

export const generateMetadata = titled(msg('RPC matrix'))

export default function MatrixPage() {
  return <MatrixScreen />
}
