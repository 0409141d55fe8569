import { useEffect, useRef, useState } from 'react'
import { isMethodName, isParams, type NetworkPick, parseJson } from '@/components/rpc/link'
import {
  endWaiting,
  type MatrixRow,
  type Sorting,
  sortedRows,
  waitingRows,
  withLine,
} from '@/components/rpc/matrix/rows'
import { hintText } from '@/components/rpc/method-list'
import { SHOWN_NETWORKS } from '@/components/rpc/networks'
import { announce } from '@/components/ui/announcer'
import { isRecord, postJson } from '@/lib/browser/api'
import { type Failure, failureOf, isSessionOver } from '@/lib/browser/failure'
import { queryClient } from '@/lib/browser/queries'
import { forgetSession } from '@/lib/browser/session'
import { countSpent, maySpend } from '@/lib/browser/spending'
import { BROADCASTS, offerOf } from '@/lib/contract/rpc-methods'
import { type MatrixLine, NETWORKS, type RpcFamily, type RpcNetwork, type RpcSlug } from '@/lib/contract/rpc-networks'
import { plural, t } from '@/lib/i18n/t'

export type MatrixState = {
  phase: 'idle' | 'authorizing' | 'running' | 'ended'
  call?: MatrixCall
  rows: MatrixRow[]
  sorting?: Sorting
  failure?: Failure
  // Nothing was sent: the person closed the sign-in or top-up dialog.
  isRefused: boolean
}

export function useMatrix() {
  const [state, setState] = useState<MatrixState>({ phase: 'idle', rows: [], isRefused: false })
  const running = useRef<AbortController>(undefined)
  const latest = useRef(state)
  useEffect(() => {
    latest.current = state
  })
  useEffect(() => () => running.current?.abort(), [])

  const run = async (call: MatrixCall) => {
    if (running.current) return
    const controller = new AbortController()
    running.current = controller
    const startedAt = Date.now()
    const before = latest.current
    const lines: MatrixLine[] = []
    setState(({ failure: _, ...now }) => ({ ...now, phase: 'authorizing', isRefused: false }))
    try {
      if (!(await maySpend(t('To run this call')))) {
        return setState((now) => ({ ...restored(now, before), isRefused: true }))
      }
      setState((now) => ({ ...now, phase: 'running', call, rows: waitingRows(call.networks) }))
      announce(plural(call.networks.length, { one: 'Calling {count} network', other: 'Calling {count} networks' }))
      const addLine = (line: MatrixLine) => {
        lines.push(line)
        setState((now) => ({ ...now, rows: withLine(now.rows, line, call.method) }))
      }
      await callNetworks(call, addLine, controller.signal)
      setState((now) => endedState(now, 'lost'))
      announce(
        t('{answered} of {asked} networks responded, {faults} with an error', {
          answered: lines.length,
          asked: call.networks.length,
          faults: lines.filter(isFault).length,
        }),
      )
    } catch (error) {
      if (isSessionOver(error)) forgetSession(queryClient())
      if (controller.signal.aborted) {
        setState((now) => endedState(now, 'cancelled'))
        return announce(t('Cancelled'))
      }
      const failure = failureOf(error)
      // Where nothing came, what came before is worth more than a row of blanks.
      setState((now) => ({ ...(lines.length === 0 ? restored(now, before) : endedState(now, 'lost')), failure }))
      announce(t('Call failed: {why}', { why: failure.message }))
    } finally {
      running.current = undefined
      countSpent(
        lines.reduce((sum, { costUsd }) => sum + costUsd, 0),
        startedAt,
      )
    }
  }
  return {
    state,
    run,
    cancel: () => running.current?.abort(),
    sort: (sorting: Sorting) => setState((now) => ({ ...now, sorting, rows: sortedRows(now.rows, sorting) })),
  }
}

const isFault = ({ outcome }: MatrixLine): boolean => outcome !== 'result'

function endedState(now: MatrixState, rest: 'lost' | 'cancelled'): MatrixState {
  const rows = now.phase === 'running' ? endWaiting(now.rows, rest) : now.rows
  return {
    ...now,
    phase: rows.length > 0 ? 'ended' : 'idle',
    rows: now.sorting ? sortedRows(rows, now.sorting) : rows,
  }
}

const restored = (now: MatrixState, { rows, call }: MatrixState): MatrixState => ({
  ...now,
  phase: rows.length > 0 ? 'ended' : 'idle',
  rows,
  call: call ?? now.call,
})

// Larger than the largest answer the service passes on, as text in a line of JSON.
const MAX_LINE_CHARS = 64 * 1024 * 1024
const MAX_MESSAGE_CHARS = 500

export type MatrixCall = { networks: readonly RpcNetwork[]; method: string; params: unknown }

/**
 * Sends one call to many networks and passes on one answer of each as it comes.
 * @throws ApiError when all is refused; TypeError or DOMException when the connection is lost or `signal` aborts.
 */
export async function callNetworks(
  { networks, method, params }: MatrixCall,
  onLine: (line: MatrixLine) => void,
  signal: AbortSignal,
): Promise<void> {
  const slugs = networks.map(({ slug }) => slug)
  const response = await postJson('/api/rpc/matrix', { networks: slugs, method, params }, signal)
  const open = new Set<RpcSlug>(slugs)
  for await (const text of linesOf(response)) {
    const line = lineOf(text)
    if (line && open.delete(line.network)) onLine(line)
  }
}

export const familyOf = (method: string): RpcFamily => (method.startsWith('starknet_') ? 'starknet' : 'evm')

export const networksFor = (method: string): RpcNetwork[] =>
  SHOWN_NETWORKS.filter(({ family }) => family === familyOf(method))

export function matrixProblem({ networks, method, params }: MatrixCall): string | undefined {
  if (!isMethodName(method)) return t('Enter a method, such as eth_blockNumber.')
  const offer = offerOf(familyOf(method), method)
  if (!offer.isOffered) return t('Not supported: {hint}.', { hint: hintText(offer) })
  if (BROADCASTS.has(method)) return t('{method} changes the chain state. Run it on one network only.', { method })
  if (!isParams(params)) return t('Parameters must be a JSON array or object.')
  return networks.length === 0 ? t('Choose a network.') : undefined
}

export function pickedNetworks(pick: NetworkPick, method: string): RpcNetwork[] {
  const networks = networksFor(method)
  if (pick === 'all') return networks
  if (pick === 'mainnets') return networks.filter(({ isTestnet }) => !isTestnet)
  if (pick === 'testnets') return networks.filter(({ isTestnet }) => isTestnet)
  return networks.filter(({ slug }) => pick.includes(slug))
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  if (!body) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  const parts: string[] = []
  let length = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const [first = '', ...rest] = value.split('\n')
      parts.push(first)
      length += first.length
      if (length > MAX_LINE_CHARS) throw new RangeError('a line without end')
      for (const next of rest) {
        yield parts.join('')
        parts.splice(0, parts.length, next)
        length = next.length
      }
    }
    if (length > 0) yield parts.join('')
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function lineOf(text: string): MatrixLine | undefined {
  const value = parseJson(text)
  if (!isRecord(value)) return undefined
  const { network, status, ms, credits, costUsd, outcome, height, error } = value
  const known = NETWORKS.find(({ slug }) => slug === network)
  if (!known || (outcome !== 'result' && outcome !== 'error' && outcome !== 'failed')) return undefined
  return {
    network: known.slug,
    status: numberOf(status),
    ms: numberOf(ms),
    credits: numberOf(credits),
    costUsd: numberOf(costUsd),
    outcome,
    height: typeof height === 'number' && Number.isSafeInteger(height) ? height : null,
    ...('reply' in value && { reply: value.reply }),
    ...(isRecord(error) && { error: { code: messageText(error.code), message: messageText(error.message) } }),
  }
}

const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)

const messageText = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MAX_MESSAGE_CHARS) : '')
