'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { RaiseCap } from '@/components/common/raise-cap'
import { type GenerateOptions, MAX_RUNNING, type NotSent } from '@/components/studio/generation-store'
import { type JobArea, quoteQuery } from '@/components/studio/jobs/api'
import { WALL_ID } from '@/components/studio/parts/frame'
import { AddCreditButton, SignInButton } from '@/components/studio/parts/outcome'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { NoticeLine } from '@/components/ui/notice'
import { Sentence } from '@/components/ui/sentence'
import { failureOf } from '@/lib/browser/failure'
import { formatExactMoney } from '@/lib/browser/format/cost'
import { useIsOnline } from '@/lib/browser/offline'
import type { Usd } from '@/lib/contract/money'
import { plural, t } from '@/lib/i18n/t'

export type PriceBefore =
  | { kind: 'exact'; usd: Usd }
  /** It may cost less: what is used decides. */
  | { kind: 'at-most'; usd: Usd }
  | { kind: 'free' }
  | { kind: 'unknown' }

type GenerateBarProps = {
  price: PriceBefore
  note?: string | undefined
  problem?: string | undefined
  label?: string
  onGenerate: (options?: GenerateOptions) => Promise<NotSent | undefined>
}

export function GenerateBar({ price, note, problem, label = t('Generate'), onGenerate }: GenerateBarProps) {
  const [isAsking, setIsAsking] = useState(false)
  const [refusal, setRefusal] = useState<NotSent>()
  const start = async (options?: GenerateOptions) => {
    if (isAsking) return
    setRefusal(undefined)
    setIsAsking(true)
    const why = await onGenerate(options).finally(() => setIsAsking(false))
    setRefusal(why)
    // Where everything stands in one column, what is being made is brought into view.
    if (!why && isColumn()) document.getElementById(WALL_ID)?.scrollIntoView({ block: 'start', behavior: 'smooth' })
  }
  useGenerateKey(() => {
    if (problem === undefined) void start()
    else announce(problem)
  })
  return (
    <>
      {refusal && <RefusalNotice refusal={refusal} onRetry={(options) => void start(options)} />}
      <div className="flex min-h-16 items-center justify-between gap-3">
        <p className="min-w-0 text-13 text-ink-2">{problem ?? <Price price={price} note={note} />}</p>
        <Button
          kind="primary"
          className="min-w-30 shrink-0"
          disabled={problem !== undefined || isAsking}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          onClick={() => void start()}
        >
          {label}
          <span aria-hidden="true" className="text-12 font-normal pointer-coarse:hidden">
            {t('Ctrl')} ⏎
          </span>
        </Button>
      </div>
    </>
  )
}

/** Says why nothing can be sent: no connection, no model, or what is wrong with the form. */
export function useProblem<M>(
  model: M | undefined,
  offlineText: string,
  problemOf: (model: M) => string | undefined,
): string | undefined {
  if (!useIsOnline()) return offlineText
  return model ? problemOf(model) : t('No model is connected.')
}

const isColumn = (): boolean => !window.matchMedia('(width >= 56.25rem)').matches

function Price({ price, note }: Pick<GenerateBarProps, 'price' | 'note'>) {
  if (price.kind === 'free') return t('Free')
  if (price.kind === 'unknown') return t('Priced when generation finishes.')
  const amount = <span className="font-mono text-14 text-brass tabular-nums">{formatExactMoney(price.usd)}</span>
  return (
    <>
      {price.kind === 'at-most' ? <Sentence text="Up to <amount/>" parts={{ amount: () => amount }} /> : amount}
      {note && <span className="block text-12 text-ink-3 tabular-nums">{note}</span>}
    </>
  )
}

type RefusalNoticeProps = { refusal: NotSent; onRetry: (options?: GenerateOptions) => void }

function RefusalNotice({ refusal, onRetry }: RefusalNoticeProps) {
  if (refusal.why === 'not-signed-in') {
    return (
      <NoticeLine text={t('Sign in with a wallet to generate. Your settings are saved.')}>
        <SignInButton label={t('Sign in')} onSignedIn={onRetry} />
      </NoticeLine>
    )
  }
  if (refusal.why === 'no-credit') {
    return (
      <NoticeLine text={t('Add credit to generate. Your settings are saved.')}>
        <AddCreditButton onAdded={onRetry} />
      </NoticeLine>
    )
  }
  if (refusal.why === 'busy') {
    return (
      <NoticeLine
        text={plural(MAX_RUNNING, {
          one: '{count} generation is running. Wait for it to finish.',
          other: '{count} generations are running. Wait for one to finish.',
        })}
      />
    )
  }
  const { failure } = refusal
  return (
    <NoticeLine text={failure.message}>
      {failure.code === 'CAP_PER_DAY' ? (
        <>
          <RaiseCap name="capPerDay" isBusy={false} onRaised={() => onRetry()} />
          <Button onClick={() => onRetry({ isDayWaived: true })}>{t('Generate anyway, just once')}</Button>
        </>
      ) : (
        <Button onClick={() => onRetry()}>{t('Try again')}</Button>
      )}
    </NoticeLine>
  )
}

// Ctrl or Cmd with Enter generates, wherever the focus is.
function useGenerateKey(onGenerate: () => void): void {
  const generate = useEffectEvent(onGenerate)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isMake = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
      // A key that is held down asks once.
      if (!isMake || event.defaultPrevented || event.repeat || event.isComposing || isInDialog(event.target)) return
      event.preventDefault()
      generate()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

function isInDialog(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('[role="dialog"], [role="menu"]') !== null
}

const STILL_MS = 350

// `isOld`: of the form as it was before. `problem`: why the service would refuse it.
type Quoted = { price?: Usd; isOld: boolean; problem?: string }

/**
 * Asks what a job costs as the form is; the last price stays until the next one is known. Without a body asks nothing.
 */
export function useQuote(area: JobArea, body: object | undefined): Quoted {
  const current = body && JSON.stringify(body)
  const still = useStill(current)
  const { data, error, isPlaceholderData } = useQuery({
    ...quoteQuery(area, still === undefined ? {} : JSON.parse(still)),
    enabled: still !== undefined,
    placeholderData: keepPreviousData,
  })
  if (current === undefined) return { isOld: false }
  const isOld = isPlaceholderData || still !== current
  if (!error) return { isOld, price: data }
  const { code, message } = failureOf(error)
  // Without an answer it is asked again when it is queued.
  const isRefused = code !== 'CONNECTION_LOST' && code !== 'OFFLINE' && still === current
  return { isOld, problem: isRefused ? message : undefined }
}

// Returns a text once it has been the same for a while; the first one at once.
function useStill(text: string | undefined): string | undefined {
  const [still, setStill] = useState(text)
  useEffect(() => {
    if (still === text) return
    const timer = setTimeout(() => setStill(text), still === undefined ? 0 : STILL_MS)
    return () => clearTimeout(timer)
  }, [text, still])
  return still
}

export function priceBefore({ price, isOld }: Quoted): { price: PriceBefore; note?: string } {
  if (price === undefined) return { price: { kind: 'unknown' } }
  if (price === 0n) return { price: { kind: 'free' } }
  return { price: { kind: 'exact', usd: price }, note: isOld ? t('Getting price…') : t('Failed generations are free.') }
}
