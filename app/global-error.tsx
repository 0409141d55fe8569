'use client'

import { Notice } from '@/components/shell/notice'
import { Button } from '@/components/ui/button'
import '@/app/globals.css'

export default function GlobalError({ reset }: { reset: () => void }) {
  return (
    <html lang="en">
      <body>
        <Notice title="Something went wrong.">
          <p className="text-14 text-ink-2">Your chats are safe in this browser.</p>
          <Button kind="primary" onClick={reset}>
            Reload
          </Button>
        </Notice>
      </body>
    </html>
  )
}
