'use client'

import { Lock } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { t } from '@/lib/i18n/t'

export function LockedList() {
  const pathname = usePathname()
  return (
    <div className="min-h-0 flex-1 px-4 pt-4">
      <p className="flex items-center gap-2 text-13 text-ink-2">
        <Lock aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.5} />
        {t('Your chats are locked.')}
      </p>
      {!pathname.startsWith('/c/') && pathname !== '/' && (
        <a href="/" className="mt-2 inline-block text-14 underline underline-offset-4">
          {t('Unlock')}
        </a>
      )}
    </div>
  )
}

export function LockButton() {
  const lock = async () => (await import('@/lib/browser/vault/vault')).lock()
  return (
    <button
      type="button"
      onClick={() => void lock()}
      className="flex min-h-10 w-full items-center gap-2.5 rounded-control px-2 text-14 hover:bg-hover pointer-coarse:min-h-11"
    >
      <Lock aria-hidden="true" className="size-[18px] text-ink-3" strokeWidth={1.5} />
      {t('Lock chats')}
    </button>
  )
}
