'use client'

import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { paramsOf } from '@/components/rpc/link'
import { printed } from '@/components/rpc/matrix/printed'
import { type MatrixForm, MatrixRequest } from '@/components/rpc/matrix/request'
import { MatrixResults } from '@/components/rpc/matrix/results'
import { RunBar } from '@/components/rpc/matrix/run-bar'
import { type MatrixState, useMatrix } from '@/components/rpc/matrix/use-matrix'
import { writeAddress } from '@/components/rpc/matrix/write-address'
import { matrixHref, matrixProblem, pickedNetworks, readMatrixLink } from '@/components/rpc/matrix-request'
import { overviewQuery } from '@/components/rpc/overview'
import { Button } from '@/components/ui/button'
import type { Failure } from '@/lib/browser/failure'
import { openTopUp } from '@/lib/browser/top-up-dialog'
import { msg, t } from '@/lib/i18n/t'

const TITLES: { [C in Failure['code']]?: string } = {
  OFFLINE: msg('You’re offline.'),
  CONNECTION_LOST: msg('The connection was lost.'),
  SIGN_IN_NEEDED: msg('Your session has expired.'),
  AUTHENTICATION_FAILED: msg('Your session has expired.'),
  PAYMENT_REQUIRED: msg('Not enough credit.'),
  INSUFFICIENT_BALANCE: msg('Not enough credit.'),
  RATE_LIMIT_EXCEEDED: msg('Rate limit reached.'),
  CAP_PER_DAY: msg('Daily spending limit reached.'),
}

/** In place of the service's own words, where it had none. */
const ADVICE: { [C in Failure['code']]?: string } = {
  OFFLINE: msg('Your call is saved here. Run it again when you’re back online.'),
  CONNECTION_LOST: msg('The service is unreachable or the connection broke. Results so far are below.'),
}

const NO_CREDIT: Failure['code'][] = ['PAYMENT_REQUIRED', 'INSUFFICIENT_BALANCE']

const FIRST: MatrixForm = { method: 'eth_blockNumber', paramsText: '[]', pick: 'all' }
/** While somebody types, the address follows after this long: browsers allow only so many changes of it. */
const ADDRESS_AFTER_MS = 400

/** One call on many networks at once: put together, priced, run, compared. */
export function Matrix() {
  const [form, change] = useForm()
  const { state, run, cancel, sort } = useMatrix()
  const overview = useQuery(overviewQuery())
  const networks = pickedNetworks(form.pick, form.method)
  const params = paramsOf(form.paramsText)
  const problem = matrixProblem({ networks, method: form.method, params })
  const isBusy = state.phase === 'asking' || state.phase === 'running'
  const bar = useRef<HTMLDivElement>(null)
  const start = () => {
    if (problem !== undefined || isBusy) return
    void run({ networks, method: form.method, params })
    // The answers come below the fold of most screens.
    const isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches
    bar.current?.scrollIntoView({ block: 'start', behavior: isStill ? 'instant' : 'smooth' })
  }
  return (
    <section aria-label={t('Matrix')} className="mx-auto w-full max-w-[80rem] px-4 pt-6 pb-16 md:px-6">
      <h2 className="font-serif text-24 font-[440] tracking-[-0.01em]">{t('One call, many networks')}</h2>
      <p className="mt-1 max-w-160 text-14 text-ink-2">
        {t('Run one call on every network. Compare results, block height and latency.')}
      </p>
      <MatrixRequest form={form} onChange={change} onRun={start} stateOf={overview.data?.stateOf} />
      <RunBar
        ref={bar}
        method={form.method}
        networks={networks}
        usdPerCredit={overview.data?.usdPerCredit}
        problem={problem}
        state={state}
        onRun={start}
        onCancel={cancel}
      />
      <MatrixNotice state={state} onRun={start} />
      <MatrixResults state={state} onSort={sort} />
    </section>
  )
}

/** What the address says is what the form starts with, and what the form says gets into the address. */
function useForm(): [MatrixForm, (change: Partial<MatrixForm>) => void] {
  const [form, setForm] = useState(FIRST)
  const [isRead, setIsRead] = useState(false)
  useEffect(() => {
    const { method, params, pick } = readMatrixLink(window.location.search)
    setForm((now) => ({
      method: method ?? now.method,
      paramsText: params === undefined ? now.paramsText : printed(params),
      pick: pick ?? now.pick,
    }))
    setIsRead(true)
  }, [])
  useEffect(() => {
    if (!isRead) return
    const timer = setTimeout(() => {
      const { method, paramsText, pick } = form
      writeAddress(matrixHref({ method, params: paramsOf(paramsText), pick }))
    }, ADDRESS_AFTER_MS)
    return () => clearTimeout(timer)
  }, [form, isRead])
  return [form, useCallback((changed) => setForm((now) => ({ ...now, ...changed })), [])]
}

/** What happened to the run as a whole, where it did not simply end. What networks say stands in their rows. */
function MatrixNotice({ state, onRun }: { state: MatrixState; onRun: () => void }) {
  const { failure, isKept } = state
  if (isKept)
    return (
      <p className="mt-4 text-14 text-ink-2">{t('Nothing was sent. Your call is saved here until you sign in.')}</p>
    )
  if (!failure) return null
  const advice = ADVICE[failure.code]
  const addCredit = async () => {
    if (await openTopUp({ why: t('Your calls run as soon as you add credit.') })) onRun()
  }
  return (
    <section aria-label={t('Error details')} className="mt-4 rounded-card border border-line bg-surface p-4">
      <p className="text-14 font-medium">{t(TITLES[failure.code] ?? msg('The service rejected these calls.'))}</p>
      <p className="mt-1 text-14 wrap-anywhere text-ink-2">{advice === undefined ? failure.message : t(advice)}</p>
      <div className="mt-3 flex flex-wrap items-center gap-3">
        {NO_CREDIT.includes(failure.code) ? (
          <Button onClick={() => void addCredit()}>{t('Add credit')}</Button>
        ) : (
          failure.retryAt === undefined && <Button onClick={onRun}>{t('Try again')}</Button>
        )}
        {failure.requestId && <span className="font-mono text-12 text-ink-3">{failure.requestId}</span>}
      </div>
    </section>
  )
}
