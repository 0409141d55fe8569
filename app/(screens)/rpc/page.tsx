import type { Metadata } from 'next'
import { Playground } from '@/components/rpc/playground'

export const metadata: Metadata = { title: 'RPC' }

export default function RpcPage() {
  return <Playground />
}
