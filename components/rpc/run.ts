import { create } from 'zustand'
import { callRpc, type RpcAnswer, type RpcCallDraft } from '@/components/rpc/client'
import { fullName } from '@/components/rpc/networks'
import { announce } from '@/components/ui/announcer'
import { type GateRefusal, passGate } from '@/lib/browser/account-gate'
import { openTopUp } from '@/lib/browser/dialogs'
import { CapReached, type Failure, failureOf, isSessionOver } from '@/lib/browser/failure'
import { queryClient } from '@/lib/browser/queries'
import { forgetSession } from '@/lib/browser/session'
import { assertDay, countSpent } from '@/lib/browser/spending'
import { ApiError } from '@/lib/contract/errors'
import { randomText } from '@/lib/contract/ids'
import { BROADCASTS } from '@/lib/contract/rpc-methods'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { plural, t } from '@/lib/i18n/t'

const KEY_CHARS = 32
// For a 429 without a time: another call of this account is still under way.
const SHORT_WAIT_MS = 1_000
// The service counts by whole seconds.
const COUNT_SLACK_MS = 300
const TIMER_SLACK_MS = 20
const storage = () => import('@/components/rpc/store')

export type Call = { network: RpcNetwork; calls: readonly RpcCallDraft[]; isBatch: boolean }

export type RunState = {
  // `authorizing`: the person signs in or adds credit; `running`: the call is under way.
  phase: 'idle' | 'authorizing' | 'running'
  call?: Call
  answer?: RpcAnswer
  failure?: Failure
  refusal?: GateRefusal
  // Unix milliseconds: the service takes no call before then.
  waitUntil?: number
  isWaiting: boolean
  isOld: boolean
}

// It outlives the screen: a call goes on while the person reads a chat.
export const useRpcRun = create<RunState>(() => ({ phase: 'idle', isWaiting: false, isOld: false }))

let current: AbortController | undefined
let waiting: ReturnType<typeof setTimeout> | undefined
// Keys of broadcasts with an unknown outcome: sent again with the same key they are not sent twice.
const openKeys = new Map<string, string>()

export const isBroadcast = ({ calls }: Pick<Call, 'calls'>): boolean =>
  calls.some(({ method }) => BROADCASTS.has(method))

/** Sends a call, after sign-in or top-up where needed. Does nothing while one is under way. */
export async function runCall(call: Call, options: { isDayWaived?: boolean } = {}): Promise<void> {
  const { phase, answer } = useRpcRun.getState()
  if (phase !== 'idle' || isTooEarly()) return
  stopWaiting()
  set({ phase: 'authorizing', call, isWaiting: false, isOld: false, answer })
  try {
    const refusal = await passGate(gate())
    if (refusal) return useRpcRun.setState({ phase: 'idle', refusal })
    if (!options.isDayWaived) await assertDay()
    await send(call)
  } catch (error) {
    fail(call, error, Date.now())
  }
}

// A call that is certain to be refused is not sent: the service counts those, too.
function isTooEarly(): boolean {
  const { waitUntil } = useRpcRun.getState()
  return waitUntil !== undefined && waitUntil - Date.now() > TIMER_SLACK_MS
}

export function cancelRun(): void {
  current?.abort()
  stopWaiting()
  useRpcRun.setState({ isWaiting: false })
}

export function showPastRun(call: Call, answer: RpcAnswer | undefined): void {
  const { phase, waitUntil } = useRpcRun.getState()
  if (phase !== 'idle') return
  stopWaiting()
  set({ phase: 'idle', call, isWaiting: false, isOld: true, answer, waitUntil })
}

export function waitToRun(isWaiting: boolean): void {
  stopWaiting()
  const { call, waitUntil } = useRpcRun.getState()
  if (isWaiting && call && waitUntil !== undefined) {
    waiting = setTimeout(() => void runCall(call), Math.max(0, waitUntil - Date.now()))
  }
  useRpcRun.setState({ isWaiting })
}

const whyCredit = (): string => t('Your call runs as soon as you add credit.')
const gate = () => ({ why: t('To run this call'), whyCredit: whyCredit(), isFree: false })

// Sends a call, and once more after a new session or a top-up where the service wants one.
async function send(call: Call, isRetry = false): Promise<void> {
  const answer = await post(call)
  if (!answer) return
  const { failure } = answer
  if (failure && !isRetry && isSessionOver(failure)) {
    forgetSession(queryClient())
    useRpcRun.setState({ phase: 'authorizing' })
    const refusal = await passGate(gate())
    return refusal ? useRpcRun.setState({ phase: 'idle', refusal }) : send(call, true)
  }
  if (failure && !isRetry && isShortOfCredit(failure)) {
    useRpcRun.setState({ phase: 'authorizing' })
    if (await openTopUp({ why: whyCredit() })) return send(call, true)
  }
  await finish(call, answer)
}

async function post({ network, calls, isBatch }: Call): Promise<RpcAnswer | undefined> {
  const controller = new AbortController()
  current = controller
  useRpcRun.setState({ phase: 'running' })
  announce(t('Running {call} on {network}', { call: runName(calls), network: fullName(network) }))
  const at = Date.now()
  const idempotencyKey = isBroadcast({ calls }) ? requestKey(network, calls) : undefined
  try {
    const answer = await callRpc(network.slug, calls, { isBatch, signal: controller.signal, idempotencyKey })
    if (answer.status < 500 && answer.status !== 409) openKeys.delete(fingerprint(network, calls))
    return answer
  } catch (error) {
    if (!controller.signal.aborted) fail({ network, calls, isBatch }, error, at)
    else {
      announce(t('Cancelled'))
      useRpcRun.setState({ phase: 'idle' })
    }
    return undefined
  } finally {
    current = undefined
  }
}

async function finish(call: Call, answer: RpcAnswer): Promise<void> {
  set({ phase: 'idle', call, answer, isWaiting: false, isOld: false, waitUntil: waitOf(answer) })
  countSpent(answer.costUsd ?? 0, answer.at)
  // A browser without storage still shows the answer.
  await storage()
    .then(({ recordAnswer }) => recordAnswer(answer))
    .catch(() => undefined)
}

function fail(call: Call, error: unknown, at: number): void {
  const failure = failureOf(error)
  const { answer } = useRpcRun.getState()
  set({ phase: 'idle', call, failure, isWaiting: false, isOld: false, answer })
  announce(t('Call failed: {why}', { why: failure.message }))
  if (error instanceof CapReached || error instanceof ApiError) return
  const { network, calls, isBatch } = call
  const { code, message } = failure
  void storage()
    .then(({ recordFailure }) =>
      recordFailure({ network: network.slug, calls, isBatch, at, ms: Date.now() - at }, { code, message }),
    )
    .catch(() => undefined)
}

// Source: API contract, crypto-rpc.md "Limits".
function waitOf({ status, headers, failure }: RpcAnswer): number | undefined {
  if (status !== 429) return undefined
  const header = (name: string) => headers.find(([known]) => known === name)?.[1]
  const resetSeconds = header('x-ratelimit-remaining') === '0' ? Number(header('x-ratelimit-reset')) : Number.NaN
  if (resetSeconds > 0) return Math.max(Date.now() + SHORT_WAIT_MS, resetSeconds * 1000 + COUNT_SLACK_MS)
  const seconds = failure?.retryAfterSeconds
  return Date.now() + (seconds === undefined ? SHORT_WAIT_MS : seconds * 1000)
}

const isShortOfCredit = ({ code }: ApiError): boolean => code === 'PAYMENT_REQUIRED' || code === 'INSUFFICIENT_BALANCE'

function requestKey(network: RpcNetwork, calls: readonly RpcCallDraft[]): string {
  const print = fingerprint(network, calls)
  const key = openKeys.get(print) ?? randomText(KEY_CHARS)
  openKeys.set(print, key)
  return key
}

const fingerprint = (network: RpcNetwork, calls: readonly RpcCallDraft[]): string =>
  JSON.stringify([network.slug, calls])

const runName = (calls: readonly RpcCallDraft[]): string =>
  calls.length === 1 ? (calls[0]?.method ?? '') : plural(calls.length, { one: '{count} call', other: '{count} calls' })

function stopWaiting(): void {
  clearTimeout(waiting)
  waiting = undefined
}

const set = (next: RunState): void => useRpcRun.setState(next, true)
