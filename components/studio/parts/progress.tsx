'use client'

import { useQuery } from '@tanstack/react-query'
import { useLiveQuery } from 'dexie-react-hooks'
import { type ReactNode, useEffect, useState } from 'react'
import { stopGenerating, useIsRunningHere } from '@/components/studio/generation-store'
import { typicalMs } from '@/components/studio/store'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { showToast } from '@/components/ui/toast'
import { payerOf } from '@/lib/browser/charge'
import { openWallet } from '@/lib/browser/dialogs'
import { failureOf } from '@/lib/browser/failure'
import { shortAddress } from '@/lib/browser/format/address'
import { formatExactMoney } from '@/lib/browser/format/cost'
import { formatLength } from '@/lib/browser/format/numbers'
import { useIsOnline } from '@/lib/browser/offline'
import { refreshMoney, sessionQuery } from '@/lib/browser/queries'
import { type Generation, isUnderWay } from '@/lib/browser/storage/generations'
import type { Session } from '@/lib/contract/session'
import { formatNumber, t } from '@/lib/i18n/t'

type GenerationProps = { generation: Generation }

export function Progress({ generation }: GenerationProps) {
  const { id, kind, task, modelId } = generation
  const usualMs = useLiveQuery(() => typicalMs(kind, task, modelId), [kind, task, modelId])
  const isOurs = useIsRunningHere(id)
  return (
    <ProgressBar generation={generation} usualMs={usualMs} onCancel={isOurs ? () => stopGenerating(id) : undefined} />
  )
}

export function JobProgress({ generation }: GenerationProps) {
  const { job, kind, task, modelId } = generation
  const isOnline = useIsOnline()
  const { data: session } = useQuery(sessionQuery())
  const known = useLiveQuery(() => typicalMs(kind, task, modelId), [kind, task, modelId])
  const stranger = job && otherPayer(job.payer, session)
  const canCancel = job && !stranger && isOnline
  return (
    <>
      <ProgressBar
        generation={generation}
        usualMs={job?.typicalMs ?? known}
        onCancel={canCancel ? () => void cancel(generation) : undefined}
      />
      {stranger && (
        <Line text={stranger}>
          <Button onClick={() => void openWallet({ why: t('To get your result') })}>{t('Sign in')}</Button>
        </Line>
      )}
      {!isOnline && (
        <Line text={t('You’re offline. Generation continues; the result loads when you are back online.')} />
      )}
    </>
  )
}

// The money comes back; a result that was ready by then is kept.
async function cancel({ id }: Pick<Generation, 'id'>): Promise<void> {
  const { cancelJob } = await import('@/components/studio/jobs/follow')
  try {
    const isCancelled = await cancelJob(id)
    const text = isCancelled
      ? t('Cancelled. Nothing was charged.')
      : t('Generation had already finished. The result is saved.')
    announce(text)
    if (!isCancelled) showToast({ text })
    refreshMoney()
  } catch (error) {
    showToast({ text: t('Could not cancel: {reason}', { reason: failureOf(error).message }) })
  }
}

type ProgressBarProps = GenerationProps & { usualMs: number | undefined; onCancel: (() => void) | undefined }

// The bar has no value: no engine says how far it is.
function ProgressBar({ generation, usualMs, onCancel }: ProgressBarProps) {
  const { state, startedAt, createdAt } = generation
  const now = useClock()
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 p-3">
      <div className="min-w-0 flex-1 basis-32">
        <p className="text-13 text-ink-2 tabular-nums">
          <span className="font-mono text-12 text-ink">
            {formatLength(Math.max(0, now - (startedAt ?? createdAt)))}
          </span>{' '}
          {state === 'waiting' ? t('Queued') : usualMs !== undefined && usually(usualMs)}
        </p>
        <progress aria-label={t('Generating…')} className="mt-2 block h-1 w-full" />
      </div>
      {onCancel && <Button onClick={onCancel}>{t('Cancel')}</Button>}
    </div>
  )
}

function usually(ms: number): string {
  if (ms < 10_000) return t('usually {seconds} s', { seconds: formatNumber(Math.max(1, Math.round(ms / 1_000))) })
  return t('usually {length}', { length: formatLength(ms) })
}

function Line({ text, className = 'pb-2', children }: { text: string; className?: string; children?: ReactNode }) {
  return (
    <div className={`flex flex-wrap items-center justify-between gap-2 px-3 text-13 text-ink-2 ${className}`}>
      <p className="min-w-0 flex-1 basis-40">{text}</p>
      {children}
    </div>
  )
}

// Says whose job it is where that is not the session's: the service tells of a job only whoever paid for it.
function otherPayer(payer: string | undefined, session: Session | null | undefined): string | undefined {
  if (session === undefined) return undefined
  if (session === null) return t('You signed out. Generation continues. Sign in within a day to get the result.')
  if (payer === undefined || payerOf(session) === payer) return undefined
  return payer.startsWith('0x') || payer.length > 30
    ? t('This job belongs to {wallet}. Sign in with that wallet within a day to get the result.', {
        wallet: shortAddress(payer),
      })
    : t('This job belongs to an earlier session in this browser.')
}

export function JobNote({ generation: { id, state, job } }: GenerationProps) {
  if (state !== 'failed' || !job) return null
  const check = async () => (await import('@/components/studio/jobs/follow')).poll(id)
  return (
    <Line text={t('The service was unavailable for too long. The result may still be ready.')} className="pt-2">
      <Button onClick={() => void check()}>{t('Check again')}</Button>
    </Line>
  )
}

export function holdLabel(generation: Generation): string {
  const price = generation.job?.price
  return price && isUnderWay(generation) ? t('{price} on hold', { price: formatExactMoney(price) }) : ''
}

export function useClock(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
