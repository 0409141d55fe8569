import type { ComponentProps, ReactNode } from 'react'
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

/** A primary button without the other kinds: every page loads its error pages with it. */
export function NoticeButton(props: ComponentProps<'button'>) {
  return (
    <button
      type="button"
      className="inline-flex min-h-9 items-center justify-center rounded-control bg-accent px-3 text-14 font-medium text-on-accent transition-colors hover:bg-accent-strong pointer-coarse:min-h-11"
      {...props}
    />
  )
}
