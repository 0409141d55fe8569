'use client'

// By itself: through `radix-ui` every page would fetch parts of it that only some need.
import { DirectionProvider } from '@radix-ui/react-direction'
import type { ReactNode } from 'react'

/** Tells tabs and menus the direction of the page: they write `dir="ltr"` into it otherwise. */
export default function RightToLeft({ children }: { children: ReactNode }) {
  return <DirectionProvider dir="rtl">{children}</DirectionProvider>
}
