'use client'

import { Paperclip } from 'lucide-react'
import { createRoot } from 'react-dom/client'
import { useObjectUrl } from '@/components/common/stored-bytes'
import { Markdown } from '@/components/markdown/markdown'
import type { ModelCard } from '@/lib/browser/models'
import { modelsQuery, queryClient } from '@/lib/browser/queries'
import type { StoredThread } from '@/lib/browser/storage/chats'
import { shownTurns } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

type ReadOnlyThreadProps = { thread: StoredThread; files?: ReadonlyMap<string, Blob>; models?: readonly ModelCard[] }

export function ReadOnlyThread({ thread, files, models = [] }: ReadOnlyThreadProps) {
  const messages = new Map(thread.messages.map((message) => [message.id, message]))
  return (
    <div className="mx-auto w-full max-w-180 px-4 py-8">
      <h1 dir="auto" className="font-serif text-24 text-balance">
        {thread.conversation.title}
      </h1>
      {shownTurns(thread).map(({ id, role, text, modelId }) => {
        const { attachments = [], citations, character } = messages.get(id) ?? {}
        return role === 'user' ? (
          <article key={id} aria-label={t('Question')} className="flex flex-col items-end gap-1 pt-8">
            {attachments.map((file) => (
              <SentFile key={file.id} name={file.name} data={files?.get(file.hash)} />
            ))}
            {text && (
              <p
                dir="auto"
                className="max-w-[85%] rounded-[18px] bg-bubble px-4 py-2.5 text-16 whitespace-pre-wrap wrap-anywhere"
              >
                {text}
              </p>
            )}
          </article>
        ) : (
          <article key={id} aria-label={t('Answer')} className="pt-6">
            <p className="pb-2 text-12 text-ink-3">
              {character?.name ?? models.find((model) => model.id === modelId)?.name ?? modelId}
            </p>
            {attachments.map((file) => (
              <SentFile key={file.id} name={file.name} data={files?.get(file.hash)} />
            ))}
            {text && <Markdown text={text} isStreaming={false} citations={citations} />}
          </article>
        )
      })}
    </div>
  )
}

const IMAGES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'])

function SentFile({ name, data }: { name: string; data: Blob | undefined }) {
  const url = useObjectUrl(data && IMAGES.has(data.type) ? data : undefined)
  if (url) {
    // biome-ignore lint/performance/noImgElement: the bytes are in this page
    return <img src={url} alt={name} className="max-h-72 max-w-[85%] rounded-card border border-line" />
  }
  return (
    <p className="flex items-center gap-1.5 text-13 text-ink-2 wrap-anywhere">
      <Paperclip aria-hidden="true" className="size-4 shrink-0" strokeWidth={1.5} />
      {name}
    </p>
  )
}

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
