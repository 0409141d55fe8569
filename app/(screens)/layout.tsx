import type { ReactNode } from 'react'
import { Frame } from '@/components/shell/frame'
import { WalletHost } from '@/components/wallet/connect/host'
import { TopUpHost } from '@/components/wallet/top-up/host'

export default function ScreensLayout({ children }: { children: ReactNode }) {
  return (
    <Frame>
      {children}
      <WalletHost />
      <TopUpHost />
    </Frame>
  )
}
