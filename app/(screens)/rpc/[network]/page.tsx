import type { Metadata } from 'next'
import { Playground } from '@/components/rpc/playground'
import { networkOf } from '@/lib/rpc/networks'

type NetworkPageProps = { params: Promise<{ network: string }> }

export async function generateMetadata({ params }: NetworkPageProps): Promise<Metadata> {
  const network = networkOf((await params).network)
  return { title: network ? `RPC on ${network.group} ${network.name}` : 'RPC' }
}

/** The playground, open at a network. */
export default async function NetworkPage({ params }: NetworkPageProps) {
  return <Playground {...(await params)} />
}
