'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { useMemo } from 'react'
import { useDocumentTitle } from '@/lib/browser/document-title'
import { compactTokens } from '@/lib/browser/format/numbers'
import type { ModelCard } from '@/lib/browser/models'
import { loadConversation } from '@/lib/browser/storage/chats'
import { isTemporary } from '@/lib/browser/storage/records'
import { branchTokens } from '@/lib/browser/storage/thread'
import { useThread } from '@/lib/browser/storage/use-thread'
import { t } from '@/lib/i18n/t'

const NEARLY_FULL = 0.8

type ContextGaugeProps = { chatId: string; model: ModelCard }

export function ContextGauge({ chatId, model }: ContextGaugeProps) {
  const thread = useThread(chatId)
  const used = useMemo(() => (thread ? branchTokens(thread.turns) : 0), [thread])
  const window = model.contextTokens
  if (used === 0 || window === 0) return null
  const share = Math.min(1, used / window)
  const isFull = share >= NEARLY_FULL
  const filling = { used: compactTokens(used), window: compactTokens(window), model: model.name }
  const text = isFull
    ? t(
        'This chat uses about {used} of {window} tokens of context for {model}. Start a new chat soon, or select a model with a larger context.',
        filling,
      )
    : t('This chat uses about {used} of {window} tokens of context for {model}.', filling)
  return (
    <span
      role="img"
      aria-label={text}
      title={text}
      className={`hidden shrink-0 items-center gap-1.5 px-1.5 font-mono text-12 tabular-nums sm:inline-flex ${isFull ? 'text-danger' : 'text-ink-3'}`}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true" className="size-4 -rotate-90">
        <circle cx="8" cy="8" r="6" fill="none" stroke="var(--color-line)" strokeWidth="2.5" />
        <circle
          cx="8"
          cy="8"
          r="6"
          fill="none"
          stroke="currentColor"
          strokeWidth="2.5"
          pathLength="1"
          strokeDasharray={`${Math.max(0.02, share)} 1`}
        />
      </svg>
      <span dir="ltr" className="max-lg:hidden">
        {compactTokens(used)}/{compactTokens(window)}
      </span>
    </span>
  )
}

export function ChatTitle({ chatId }: { chatId: string }) {
  const title = useLiveQuery(async () => (await loadConversation(chatId))?.title, [chatId])
  // A browser writes the titles of its tabs into its history, where nothing of a temporary chat may be.
  useDocumentTitle(isTemporary(chatId) ? undefined : title || undefined)
  return (
    <h1 className="sr-only text-14 font-medium md:not-sr-only md:me-1 md:max-w-[50%] md:border-e md:border-line">
      <span dir="auto" className="block truncate px-2 md:pe-3">
        {title ?? t('Chat')}
      </span>
    </h1>
  )
}
