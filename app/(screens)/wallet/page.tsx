import type { Metadata } from 'next'
import { WalletPage } from '@/components/wallet-page/wallet-page'

export const metadata: Metadata = { title: 'Wallet' }

/** Balance, receipts, sessions and caps. */
export default function WalletScreen() {
  return <WalletPage />
}
