'use client'

import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useSecondModel } from '@/components/chat/asking/answer-store'
import { hearingPricesQuery } from '@/components/chat/voice/voice-models'
import {
  type Estimate,
  estimate,
  fileTokens,
  type HearingPrices,
  needsHearing,
  readingPrice,
  sourcesPrice,
} from '@/lib/browser/estimate'
import { formatExactMoney, formatMoney, ONE_CENT } from '@/lib/browser/format/cost'
import { roundTokens } from '@/lib/browser/format/numbers'
import type { ModelCard } from '@/lib/browser/models'
import { usePreference } from '@/lib/browser/preferences'
import { type Fit, fitWithOtherCosts, parseCap, promptTokens } from '@/lib/browser/spending-cap'
import { type Attachment, type ChatSettings, filesSent } from '@/lib/browser/storage/records'
import { type ThreadRead, useThread } from '@/lib/browser/storage/use-thread'
import { nano, type Usd } from '@/lib/contract/money'
import { plural, t } from '@/lib/i18n/t'

/** With the frame that follows, the estimate stays under 150 ms after the last key. */
const SETTLE_MS = 100

type EstimateLineProps = {
  chatId: string | null
  draft: string
  attachments: Attachment[]
  model: ModelCard
  models: ModelCard[]
  settings: ChatSettings
}

type Before = { turns: { text: string; attachments?: Attachment[] }[]; answers: number[] }
const NOTHING: Before = { turns: [], answers: [] }

export function EstimateLine({ chatId, draft, attachments, model, models, settings }: EstimateLineProps) {
  const [stored] = usePreference('capPerMessage')
  const secondId = useSecondModel()
  const second = models.find(({ id }) => id === secondId && id !== model.id)
  const thread = useThread(chatId)
  const before = useMemo(() => (thread ? priorTurns(thread) : NOTHING), [thread])
  const text = useSettled(draft)
  const cap = parseCap(stored)
  // All words of the chat are counted: not anew for each key.
  const hearing = useHearing(allFiles(before, attachments), model)
  const both = useMemo(() => (second ? [model, second] : [model]), [model, second])
  const fits = useMemo(
    () =>
      both.map((one) => {
        // Each has its part of what a message may cost.
        const part = cap === undefined ? undefined : nano(cap / BigInt(both.length))
        return capFit(part, { before, text, attachments, model: one, hearing })
      }),
    [both, cap, before, text, attachments, hearing],
  )
  const guess = useMemo(() => {
    const guesses = both.map((one, at) => {
      const fit = fits[at]
      const max = Math.min(
        fit?.kind === 'bounded' ? fit.maxOutputTokens : Number.POSITIVE_INFINITY,
        settings.maxOutputTokens ?? Number.POSITIVE_INFINITY,
      )
      return estimate({
        model: one,
        text,
        attachments,
        before: before.turns,
        answers: before.answers,
        ...(hearing && { hearing }),
        ...(settings.sources && { sources: settings.sources }),
        isThinkingOff: settings.isThinkingOff === true,
        ...(Number.isFinite(max) && { maxOutputTokens: max }),
      })
    })
    return totalEstimate(guesses)
  }, [both, fits, text, attachments, before, hearing, settings])
  const tooMuch = fits.find((fit) => fit.kind === 'too-much')
  if (tooMuch && cap !== undefined) {
    return (
      <span className="text-brass">
        {t('Over your cap of {cap}: even a short answer may cost {cost}', {
          cap: formatExactMoney(cap),
          cost: formatExactMoney(tooMuch.minimum),
        })}
      </span>
    )
  }
  const tokens = plural(roundTokens(guess.tokens), { one: 'about {count} token', other: 'about {count} tokens' })
  const bounded = fits.filter((fit) => fit.kind === 'bounded')
  if (bounded.length > 0 && cap !== undefined) {
    const atMost = nano(bounded.reduce((sum, fit) => sum + fit.atMost, 0n))
    const sources = nano(sourcesPrice(settings.sources, text).high * BigInt(both.length))
    return <span title={tokens}>{cappedText(atMost, sources, cap)}</span>
  }
  if (guess.high === 0n) return t('free · {tokens}', { tokens })
  return <span title={exactRangeText(guess.low, guess.high)}>{`${rangeText(guess.low, guess.high)} · ${tokens}`}</span>
}

const totalEstimate = (guesses: Estimate[]): Estimate => ({
  tokens: guesses.reduce((sum, { tokens }) => sum + tokens, 0),
  low: nano(guesses.reduce((sum, { low }) => sum + low, 0n)),
  high: nano(guesses.reduce((sum, { high }) => sum + high, 0n)),
})

function cappedText(atMost: Usd, sourcesAtMost: Usd, cap: Usd): string {
  const values = { cost: formatExactMoney(atMost), cap: formatExactMoney(cap) }
  return sourcesAtMost > 0n
    ? t('up to ~{cost} · sources up to {sources} · cap {cap}', {
        ...values,
        sources: formatExactMoney(sourcesAtMost),
      })
    : t('up to ~{cost} · cap {cap}', values)
}

function rangeText(low: Usd, high: Usd): string {
  if (high < ONE_CENT) return formatMoney(high)
  if (low < ONE_CENT) return t('up to ~{cost}', { cost: formatMoney(high) })
  const [from, to] = [formatMoney(low), formatMoney(high)]
  return from === to ? `~${to}` : t('~{from} to {to}', { from, to })
}

const exactRangeText = (low: Usd, high: Usd): string =>
  t('{from} to {to}, estimated from the model’s price and typical answers', {
    from: formatExactMoney(low),
    to: formatExactMoney(high),
  })

type CapInput = {
  before: Before
  text: string
  attachments: Attachment[]
  model: ModelCard
  hearing: HearingPrices | undefined
}

function capFit(cap: Usd | undefined, { before, text, attachments, model, hearing }: CapInput): Fit {
  const files = allFiles(before, attachments)
  const messages = [...before.turns, { text }].map((turn) => ({ content: turn.text }))
  const tokens = promptTokens(messages) + files.reduce((sum, file) => sum + fileTokens(file, model), 0)
  return fitWithOtherCosts(cap, readingPrice(files, model, hearing).max, tokens, model.price)
}

const allFiles = ({ turns }: Before, attachments: Attachment[]): Attachment[] => [
  ...turns.flatMap((turn) => turn.attachments ?? []),
  ...attachments,
]

function useHearing(files: Attachment[], model: ModelCard): HearingPrices | undefined {
  return useQuery({ ...hearingPricesQuery(), enabled: needsHearing(files, model) }).data
}

const priorTurns = ({ stored, turns }: ThreadRead): Before => ({
  turns: turns.map((turn) => ({ text: turn.text, attachments: filesSent(turn) })),
  answers: stored.receipts.flatMap(({ messageId, tokens }) => (messageId === '' ? [] : tokens.output)),
})

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
