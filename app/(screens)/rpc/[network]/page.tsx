import type { Metadata } from 'next'
import { ready } from '@/app/page-language'
import { Playground } from '@/components/rpc/playground'
import { networkOf } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

type NetworkPageProps = { params: Promise<{ network: string }> }

export async function generateMetadata({ params }: NetworkPageProps): Promise<Metadata> {
  const network = networkOf((await params).network)
  await ready()
  if (!network) return { title: 'RPC' }
  const name: string = `${network.group} ${network.name}`
  return { title: t('RPC on {network}', { network: name }) }
}

export default async function NetworkPage({ params }: NetworkPageProps) {
  return <Playground {...(await params)} />
}
