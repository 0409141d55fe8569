import type { ReactNode } from 'react'
import { ScreenFrame } from '@/app/(screens)/frame'

export default function ScreensLayout({ children }: { children: ReactNode }) {
  return <ScreenFrame>{children}</ScreenFrame>
}
