import { titled } from '@/app/page-language'
import { WalletPage } from '@/components/wallet/page/wallet-page'
import { msg } from '@/lib/i18n/t'

export const generateMetadata = titled(msg('Wallet'))

export default function WalletScreen() {
  return <WalletPage />
}
