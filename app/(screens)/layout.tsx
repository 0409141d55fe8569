import type { ReactNode } from 'react'
import { Frame } from '@/components/shell/frame'

export default function ScreensLayout({ children }: { children: ReactNode }) {
  return <Frame>{children}</Frame>
}
