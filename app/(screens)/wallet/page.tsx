import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { WalletPage } from '@/components/wallet/page/wallet-page'
import { t } from '@/lib/i18n/t'

export async function generateMetadata(): Promise<Metadata> {
  await ready()
  return { title: t('Wallet') }
}

export default function WalletScreen() {
  return <WalletPage />
}
