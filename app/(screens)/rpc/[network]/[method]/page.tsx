import type { Metadata } from 'next'
import { Playground } from '@/components/rpc/playground'
import { isMethodName } from '@/lib/client/rpc-link'
import { networkOf } from '@/lib/rpc/networks'

type MethodPageProps = { params: Promise<{ network: string; method: string }> }

export async function generateMetadata({ params }: MethodPageProps): Promise<Metadata> {
  const { network: slug, method } = await params
  const network = networkOf(slug)
  return { title: network && isMethodName(method) ? `${method} on ${network.group} ${network.name}` : 'RPC' }
}

/** The playground, open at a method of a network. The parameters in the address are read by the browser. */
export default async function MethodPage({ params }: MethodPageProps) {
  return <Playground {...(await params)} />
}
