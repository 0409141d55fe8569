import type { Metadata } from 'next'
import { ready } from '@/app/page-language'
import { isMethodName } from '@/components/rpc/link'
import { Playground } from '@/components/rpc/playground'
import { networkOf } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

type MethodPageProps = { params: Promise<{ network: string; method: string }> }

export async function generateMetadata({ params }: MethodPageProps): Promise<Metadata> {
  const { network: slug, method } = await params
  const network = networkOf(slug)
  await ready()
  if (!network || !isMethodName(method)) return { title: 'RPC' }
  return { title: t('{method} on {network}', { method, network: `${network.group} ${network.name}` }) }
}

export default async function MethodPage({ params }: MethodPageProps) {
  return <Playground {...(await params)} />
}
