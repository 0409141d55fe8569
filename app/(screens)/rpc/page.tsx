import type { Metadata } from 'next'
import { Playground } from '@/components/rpc/playground'

export const metadata: Metadata = { title: 'RPC' }

/** The playground of the networks; what it calls is put together in the browser. */
export default function RpcPage() {
  return <Playground />
}
