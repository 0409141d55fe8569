'use client'

import { Notice, NoticeButton } from '@/components/shell/notice'
import '@/app/globals.css'

export default function GlobalError({ reset }: { reset: () => void }) {
  return (
    <html lang="en">
      <body>
        <Notice title="Something went wrong.">
          <p className="text-14 text-ink-2">Your chats are safe in this browser.</p>
          <NoticeButton onClick={reset}>Reload</NoticeButton>
        </Notice>
      </body>
    </html>
  )
}
