import type { ReactNode } from 'react'
import { Mark } from '@/components/common/wordmark'

export function Notice({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-5 px-6 text-center">
      <Mark className="size-10" />
      <h1 className="font-serif text-24 text-balance md:text-40">{title}</h1>
      {children}
    </main>
  )
}
