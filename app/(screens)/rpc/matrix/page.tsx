import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { MatrixScreen } from '@/components/rpc/matrix/matrix'
import { t } from '@/lib/i18n/t'

export async function generateMetadata(): Promise<Metadata> {
  await ready()
  return { title: t('RPC matrix') }
}

export default function MatrixPage() {
  return <MatrixScreen />
}
