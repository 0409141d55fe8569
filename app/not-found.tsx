import type { Metadata } from 'next'
import { Notice } from '@/components/shell/notice'

export const metadata: Metadata = { title: 'Not found' }

export default function NotFound() {
  return (
    <Notice title="There is nothing at this address.">
      <a href="/" className="text-accent underline underline-offset-4">
        Start a new chat
      </a>
    </Notice>
  )
}
