import type { ReactNode } from 'react'
import { Frame } from '@/components/shell/frame'
import { TopUpHost } from '@/components/top-up/host'
import { WalletHost } from '@/components/wallet/host'

export default function ScreensLayout({ children }: { children: ReactNode }) {
  return (
    <Frame>
      {children}
      <WalletHost />
      <TopUpHost />
    </Frame>
  )
}
