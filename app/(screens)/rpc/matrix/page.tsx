import type { Metadata } from 'next'
import { MatrixScreen } from '@/components/rpc/matrix-screen'

export const metadata: Metadata = { title: 'RPC matrix' }

/** One call on many networks at once. */
export default function MatrixPage() {
  return <MatrixScreen />
}
