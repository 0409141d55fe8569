'use client'

import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, Unplug } from 'lucide-react'
import Link from 'next/link'
import { type Ref, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { TopBar } from '@/components/common/top-bar'
import { matrixHref, type NetworkPick, paramsOf, printParams, RPC_PATH, readMatrixLink } from '@/components/rpc/link'
import {
  familyOf,
  type MatrixState,
  matrixProblem,
  networksFor,
  pickedNetworks,
  useMatrix,
} from '@/components/rpc/matrix/matrix-run'
import { MatrixResults } from '@/components/rpc/matrix/results'
import { totalsOf } from '@/components/rpc/matrix/rows'
import { listMethods, type MethodEntry } from '@/components/rpc/method-list'
import { MethodPicker } from '@/components/rpc/method-picker'
import { creditsBefore, formatPrice, fullName, overviewQuery, SHOWN_NETWORKS } from '@/components/rpc/networks'
import { methodQuery } from '@/components/rpc/use-call'
import { Button } from '@/components/ui/button'
import { CodeEditor } from '@/components/ui/code-editor'
import { useCountdown } from '@/components/ui/use-countdown'
import { useNarrow } from '@/components/ui/use-narrow'
import { openTopUp } from '@/lib/browser/dialogs'
import type { Failure } from '@/lib/browser/failure'
import { queryClient } from '@/lib/browser/queries'
import { type NetworkState, networkOf, type RpcNetwork } from '@/lib/contract/rpc-networks'
import { msg, plural, t } from '@/lib/i18n/t'

export function MatrixScreen() {
  return (
    <>
      <TopBar>
        <Link
          href={RPC_PATH}
          prefetch={false}
          className="inline-flex min-h-9 items-center gap-1.5 rounded-control px-2 text-14 text-ink-2 hover:bg-hover hover:text-ink pointer-coarse:min-h-11"
        >
          <ArrowLeft aria-hidden="true" className="size-4 rtl:-scale-x-100" strokeWidth={1.5} />
          RPC
        </Link>
        <h1 className="border-s border-line ps-3 text-14 font-medium">{t('Matrix')}</h1>
      </TopBar>
      <div className="thin-scroll min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <Matrix />
      </div>
    </>
  )
}

const TITLES: { [C in Failure['code']]?: string } = {
  OFFLINE: msg('You’re offline.'),
  CONNECTION_LOST: msg('The connection was lost.'),
  SIGN_IN_NEEDED: msg('Your session has expired.'),
  AUTHENTICATION_FAILED: msg('Your session has expired.'),
  PAYMENT_REQUIRED: msg('Not enough credit.'),
  INSUFFICIENT_BALANCE: msg('Not enough credit.'),
  RATE_LIMIT_EXCEEDED: msg('Rate limit reached.'),
  CAP_PER_DAY: msg('Daily spending cap reached.'),
}

const ADVICE: { [C in Failure['code']]?: string } = {
  OFFLINE: msg('Your call is saved here. Run it again when you’re back online.'),
  CONNECTION_LOST: msg('The service is unreachable or the connection broke. Results so far are below.'),
}

const NO_CREDIT: Failure['code'][] = ['PAYMENT_REQUIRED', 'INSUFFICIENT_BALANCE']

const FIRST: MatrixForm = { method: 'eth_blockNumber', paramsText: '[]', pick: 'all' }
// Browsers allow only so many changes of the address.
const ADDRESS_AFTER_MS = 400

function Matrix() {
  const [form, change] = useForm()
  const { state, run, cancel, sort } = useMatrix()
  const networks = pickedNetworks(form.pick, form.method)
  const params = paramsOf(form.paramsText)
  const problem = matrixProblem({ networks, method: form.method, params })
  const isBusy = state.phase === 'authorizing' || state.phase === 'running'
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
      <div className="mt-6 grid gap-x-8 gap-y-6 lg:grid-cols-2">
        <div className="min-w-0 space-y-4">
          <MethodField form={form} onChange={change} />
          <ParamsField form={form} onChange={change} onRun={start} />
        </div>
        <NetworkPicks form={form} onChange={change} />
      </div>
      <RunBar ref={bar} {...{ form, networks, problem, state }} onRun={start} onCancel={cancel} />
      <MatrixNotice state={state} onRun={start} />
      <MatrixResults state={state} onSort={sort} />
    </section>
  )
}

function useForm(): [MatrixForm, (change: Partial<MatrixForm>) => void] {
  const [form, setForm] = useState(FIRST)
  const [isRead, setIsRead] = useState(false)
  useEffect(() => {
    const { method, params, pick } = readMatrixLink(window.location.search)
    setForm((now) => ({
      method: method ?? now.method,
      paramsText: params === undefined ? now.paramsText : printParams(params),
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

function MatrixNotice({ state, onRun }: { state: MatrixState; onRun: () => void }) {
  const { failure, isRefused } = state
  if (isRefused)
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

type MatrixForm = { method: string; paramsText: string; pick: NetworkPick }

type FieldProps = { form: MatrixForm; onChange: (change: Partial<MatrixForm>) => void }

function ParamsField({ form: { method, paramsText }, onChange, onRun }: FieldProps & { onRun: () => void }) {
  const known = useQuery(methodQuery(familyOf(method), method)).data
  const problems = useMemo(() => {
    const params = paramsOf(paramsText)
    return params === undefined ? [] : (known?.check(params) ?? [])
  }, [known, paramsText])
  return (
    <div>
      <p className="mb-1.5 text-13 font-medium">{t('Parameters')}</p>
      <CodeEditor
        label={t('Parameters')}
        value={paramsText}
        onChange={(text) => onChange({ paramsText: text })}
        onRun={onRun}
        problems={problems}
        minLines={2}
        maxLines={12}
      />
      <p className="mt-1.5 text-13 wrap-anywhere text-ink-2 empty:hidden">{problems[0]?.message}</p>
    </div>
  )
}

const METHODS: readonly MethodEntry[] = ['ethereum-mainnet', 'starknet-mainnet'].flatMap((slug) =>
  listMethods(networkOf(slug)!).filter((entry) => 'tier' in entry && !entry.isBroadcast),
)
const KNOWN: ReadonlySet<string> = new Set(METHODS.map(({ method }) => method))
const ignore = () => undefined

function MethodField({ form: { method }, onChange }: FieldProps) {
  const choose = (name: string) => {
    if (name === method) return
    onChange({ method: name, ...(familyOf(name) !== familyOf(method) && { pick: 'all' as const }) })
    if (KNOWN.has(name)) void startOf(name).then((paramsText) => onChange({ paramsText }), ignore)
  }
  const [network = SHOWN_NETWORKS[0]!] = networksFor(method)
  return (
    <div>
      <p aria-hidden="true" className="mb-1.5 text-13 font-medium">
        {t('Method')}
      </p>
      <div className="flex">
        <MethodPicker network={network} entries={METHODS} method={method} isRefused={false} onPick={choose} />
      </div>
    </div>
  )
}

async function startOf(method: string): Promise<string> {
  const known = await queryClient().ensureQueryData(methodQuery(familyOf(method), method))
  return printParams(known?.start ?? [])
}

const SETS = [
  { pick: 'all', name: msg('All') },
  { pick: 'mainnets', name: msg('Mainnets') },
  { pick: 'testnets', name: msg('Testnets') },
] as const

function NetworkPicks({ form: { method, pick }, onChange }: FieldProps) {
  const { data } = useQuery(overviewQuery())
  const networks = networksFor(method)
  const picked = new Set(pickedNetworks(pick, method))
  const isNarrow = useNarrow()
  const [isOpened, setIsOpened] = useState(false)
  const toggle = (network: RpcNetwork) => {
    const next = new Set(picked)
    if (!next.delete(network)) next.add(network)
    onChange({ pick: networks.filter((each) => next.has(each)).map(({ slug }) => slug) })
  }
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-13 font-medium">{t('Networks')}</legend>
      <div className="flex flex-wrap items-center gap-2">
        {SETS.map(({ pick: set, name }) => (
          <button
            key={set}
            type="button"
            aria-pressed={isSet(set, picked, method)}
            onClick={() => onChange({ pick: set })}
            className="min-h-8 rounded-chip border border-line px-3 text-13 text-ink-2 hover:border-control aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-ink pointer-coarse:min-h-11"
          >
            {t(name)} <span className="font-mono text-12">{pickedNetworks(set, method).length}</span>
          </button>
        ))}
        {isNarrow && (
          <button
            type="button"
            aria-expanded={isOpened}
            onClick={() => setIsOpened(!isOpened)}
            className="min-h-8 px-1 text-13 text-accent underline underline-offset-4 pointer-coarse:min-h-11"
          >
            {isOpened ? t('Hide list') : t('Select individually')}
          </button>
        )}
      </div>
      {(!isNarrow || isOpened) && (
        <ul className="mt-3 grid grid-cols-2 gap-x-4 sm:grid-cols-3">
          {networks.map((network) => (
            <li key={network.slug}>
              <label className="flex min-h-8 items-center gap-2 rounded-control text-13 hover:text-accent pointer-coarse:min-h-11">
                <input
                  type="checkbox"
                  checked={picked.has(network)}
                  onChange={() => toggle(network)}
                  className="size-4 shrink-0"
                />
                <span className="truncate">{fullName(network)}</span>
                <NodeProblem state={data?.stateOf.get(network.slug)} />
              </label>
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  )
}

function NodeProblem({ state }: { state: NetworkState | undefined }) {
  if (state?.state !== 'down' && state?.state !== 'unconfigured') return null
  const message = state.reason ?? (state.state === 'down' ? t('Network down.') : t('Not connected to this server.'))
  return (
    <span role="img" aria-label={message} title={message} className="shrink-0 text-danger">
      <Unplug aria-hidden="true" className="size-4" strokeWidth={1.5} />
    </span>
  )
}

function isSet(set: 'all' | 'mainnets' | 'testnets', picked: ReadonlySet<RpcNetwork>, method: string): boolean {
  const networks = pickedNetworks(set, method)
  return networks.length === picked.size && networks.every((network) => picked.has(network))
}

type RunBarProps = {
  ref: Ref<HTMLDivElement>
  form: MatrixForm
  networks: readonly RpcNetwork[]
  problem: string | undefined
  state: MatrixState
  onRun: () => void
  onCancel: () => void
}

function RunBar({ ref, form, networks, problem, state, onRun, onCancel }: RunBarProps) {
  const { data } = useQuery(overviewQuery())
  const isRunning = state.phase === 'running'
  const seconds = useCountdown(state.failure?.retryAt)
  const credits = networks.reduce((sum, network) => sum + creditsBefore(network, [form.method]), 0)
  const { asked, answered } = totalsOf(state.rows)
  return (
    <div ref={ref} className="mt-6 flex scroll-mt-2 flex-wrap items-center gap-x-4 gap-y-3 border-t border-line pt-4">
      {isRunning ? (
        <Button onClick={onCancel} className="min-w-32">
          {t('Cancel')}
        </Button>
      ) : (
        <Button
          kind="primary"
          disabled={problem !== undefined || state.phase === 'authorizing' || seconds > 0}
          onClick={onRun}
          title={t('Ctrl+Enter or ⌘+Enter')}
          className="min-w-32"
        >
          {seconds > 0
            ? t('Wait {seconds} s', { seconds })
            : plural(networks.length, { one: 'Run {count} call', other: 'Run {count} calls' })}
        </Button>
      )}
      <p className="min-h-5 text-13 text-ink-2">
        {isRunning ? (
          <span className="tabular-nums">{t('{answered} of {asked} responded', { answered, asked })}</span>
        ) : problem === undefined ? (
          <span className="font-mono text-13 text-ink-2">
            {plural(networks.length, { one: '{count} call', other: '{count} calls' })} ·{' '}
            {formatPrice(credits, data?.usdPerCredit)}
          </span>
        ) : (
          problem
        )}
      </p>
    </div>
  )
}

// Replaces the address without the router, which would cancel a jump to another page that has begun.
export function writeAddress(href: string): void {
  const { history, location } = window
  if (new URL(href, location.href).pathname !== location.pathname) return
  // What the router keeps with the entry stays with it.
  Object.getPrototypeOf(history).replaceState.call(history, history.state, '', href)
}
