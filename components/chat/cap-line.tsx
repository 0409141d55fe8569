'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { useMemo } from 'react'
import { fitToCap, parseCap, promptTokens } from '@/lib/client/caps'
import { formatCap, formatCost } from '@/lib/client/cost'
import { loadThread } from '@/lib/client/history'
import type { ModelCard } from '@/lib/client/models'
import { usePreference } from '@/lib/client/preferences'
import { shownTurns } from '@/lib/client/thread'

type CapLineProps = { chatId: string | null; draft: string; model: ModelCard | undefined }

/** While a cap on messages is set: the most that sending what is written would cost. */
export function CapLine({ chatId, draft, model }: CapLineProps) {
  const [kept] = usePreference('capPerMessage')
  const cap = parseCap(kept)
  const before = useLiveQuery(() => tokensOf(chatId), [chatId], 0)
  const fit = useMemo(
    () => fitToCap(cap, before + promptTokens([{ content: draft }]), model?.price),
    [cap, before, draft, model],
  )
  if (cap === undefined || draft.trim() === '' || fit.kind === 'free') return null
  if (fit.kind === 'bounded') return `~${formatCost(fit.atMost)} at most · cap ${formatCap(cap)}`
  return (
    <span className="text-brass">
      Over your cap of {formatCap(cap)}: even a short answer may cost {formatCost(fit.least)}
    </span>
  )
}

/** The chat so far is sent along, and paid for. */
async function tokensOf(chatId: string | null): Promise<number> {
  const thread = chatId ? await loadThread(chatId) : undefined
  return thread ? promptTokens(shownTurns(thread).map(({ text }) => ({ content: text }))) : 0
}
