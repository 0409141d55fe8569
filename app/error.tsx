'use client'

import { Notice } from '@/components/shell/notice'
import { Button } from '@/components/ui/button'

type ErrorPageProps = { error: Error & { digest?: string }; reset: () => void }

/** A screen that failed to draw. Chats are in the browser's database and are not touched by it. */
export default function ErrorPage({ error, reset }: ErrorPageProps) {
  return (
    <Notice title="This page failed to draw.">
      <p className="max-w-110 text-14 text-ink-2">
        Your chats are safe. If it happens again, report this:{' '}
        <span className="font-mono text-12">{error.digest ?? error.message}</span>
      </p>
      <Button kind="primary" onClick={reset}>
        Draw it again
      </Button>
    </Notice>
  )
}
