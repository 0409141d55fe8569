import { createRoot } from 'react-dom/client'
import { ReadOnlyThread } from '@/components/history/read-only-thread'
import { modelsQuery, queryClient } from '@/lib/browser/queries'
import type { StoredThread } from '@/lib/browser/storage/chats'

const SETTLES_MS = 600

export async function printThread(thread: StoredThread): Promise<void> {
  const style = document.createElement('style')
  style.textContent =
    '@media print { body > :not(#print-sheet) { display: none } html, body { height: auto } } @media screen { #print-sheet { display: none } }'
  const sheet = document.createElement('div')
  sheet.id = 'print-sheet'
  document.head.append(style)
  document.body.append(sheet)
  const root = createRoot(sheet)
  // Whether or not they were asked for before: what is printed is on this device.
  const models = queryClient().getQueryData(modelsQuery().queryKey) ?? []
  root.render(<ReadOnlyThread thread={thread} models={models} />)
  const title = document.title
  try {
    await new Promise((resolve) => setTimeout(resolve, SETTLES_MS))
    // The name that a PDF is saved under.
    document.title = thread.conversation.title
    window.print()
  } finally {
    document.title = title
    root.unmount()
    sheet.remove()
    style.remove()
  }
}
