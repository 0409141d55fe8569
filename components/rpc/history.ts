import type { RpcAnswer, RpcCallDraft } from '@/components/rpc/client'
import { type RpcRun, type RpcRunBody, type RunOutcome, rpcDb } from '@/components/rpc/store'
import { knownCode } from '@/lib/browser/api'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { RPC_ERROR_CREDITS } from '@/lib/contract/prices'
import { networkOf } from '@/lib/contract/rpc'
import { creditsOf, offerOf } from '@/lib/contract/rpc-methods'

export const MAX_RUNS = 200
/** Of an answer, and of the calls of a run: longer ones are not kept. */
const MAX_STORED_CHARS = 256 * 1024
const MAX_SEARCH_CHARS = 400
const MAX_PARAM_SEARCH_CHARS = 160

export function listRuns(): Promise<RpcRun[]> {
  return rpcDb.runs.orderBy('at').reverse().toArray()
}

export function searchRuns(runs: RpcRun[], search: string): RpcRun[] {
  const terms = search.toLowerCase().split(/\s+/).filter(Boolean)
  return terms.length === 0 ? runs : runs.filter((run) => terms.every((word) => run.words.includes(word)))
}

export function keepAnswer(answer: RpcAnswer): Promise<void> {
  const { network, calls, isBatch, at, status, ms, bytes, text, headers, isReplayed, failure } = answer
  const { credits, costUsd, requestId } = answer
  const run: RpcRun = {
    ...newRun(network, calls, isBatch, at),
    outcome: runOutcome(answer),
    status,
    ms,
    bytes,
    ...(credits !== undefined && { credits }),
    ...(costUsd !== undefined && { costUsd }),
    ...(requestId !== undefined && { requestId }),
  }
  return keep(run, {
    id: run.id,
    calls: storableCalls(calls),
    ...(text.length <= MAX_STORED_CHARS && { text }),
    headers,
    isReplayed,
    ...(failure && { failure: { code: failure.code, message: failure.message } }),
  })
}

export function keepFailure(
  { network, calls, isBatch, at, ms }: Pick<RpcAnswer, 'network' | 'calls' | 'isBatch' | 'at' | 'ms'>,
  failure: { code: string; message: string },
): Promise<void> {
  const run: RpcRun = { ...newRun(network, calls, isBatch, at), outcome: 'failed', status: 0, ms, bytes: 0 }
  return keep(run, { id: run.id, calls: storableCalls(calls), headers: [], isReplayed: false, failure })
}

export type StoredRun = {
  run: RpcRun
  calls: readonly RpcCallDraft[]
  answer?: RpcAnswer
}

export async function openRun(id: string): Promise<StoredRun | undefined> {
  const [run, body] = await rpcDb.transaction('r', rpcDb.runs, rpcDb.bodies, () =>
    Promise.all([rpcDb.runs.get(id), rpcDb.bodies.get(id)]),
  )
  if (!run || !body) return undefined
  const answer = answerOf(run, body)
  return { run, calls: body.calls, ...(answer && { answer }) }
}

export async function deleteRun(id: string): Promise<{ run: RpcRun; body: RpcRunBody } | undefined> {
  return await rpcDb.transaction('rw', rpcDb.runs, rpcDb.bodies, async () => {
    const [run, body] = await Promise.all([rpcDb.runs.get(id), rpcDb.bodies.get(id)])
    await Promise.all([rpcDb.runs.delete(id), rpcDb.bodies.delete(id)])
    return run && body ? { run, body } : undefined
  })
}

/** Removes all runs and returns what brings them back. */
export async function clearRuns(): Promise<{ runs: RpcRun[]; bodies: RpcRunBody[] }> {
  return await rpcDb.transaction('rw', rpcDb.runs, rpcDb.bodies, async () => {
    const [runs, bodies] = await Promise.all([rpcDb.runs.toArray(), rpcDb.bodies.toArray()])
    await Promise.all([rpcDb.runs.clear(), rpcDb.bodies.clear()])
    return { runs, bodies }
  })
}

export async function bringBackRuns({ runs, bodies }: { runs: RpcRun[]; bodies: RpcRunBody[] }): Promise<void> {
  await rpcDb.transaction('rw', rpcDb.runs, rpcDb.bodies, async () => {
    await Promise.all([rpcDb.runs.bulkPut(runs), rpcDb.bodies.bulkPut(bodies)])
    await prune()
  })
}

/** Tells how an answer ended by its price: a node's error costs less than a result, so megabytes need not be parsed. */
export function runOutcome({ network, calls, credits, status, failure }: RpcAnswer): RunOutcome {
  if (status !== 200 || failure) return 'refused'
  const at = networkOf(network)
  if (!at || credits === undefined) return 'result'
  const full = calls.reduce((sum, { method }) => {
    const offer = offerOf(at.family, method)
    return sum + (offer.isOffered ? creditsOf(at, offer.tier) : 0)
  }, 0)
  if (credits >= full) return 'result'
  return calls.length > 1 && credits > calls.length * RPC_ERROR_CREDITS ? 'mixed' : 'error'
}

async function keep(run: RpcRun, body: RpcRunBody): Promise<void> {
  await rpcDb.transaction('rw', rpcDb.runs, rpcDb.bodies, async () => {
    await Promise.all([rpcDb.runs.put(run), rpcDb.bodies.put(body)])
    await prune()
  })
}

/** Two tabs may add at once; each removes the excess. */
async function prune(): Promise<void> {
  const over = (await rpcDb.runs.count()) - MAX_RUNS
  if (over <= 0) return
  const oldest = await rpcDb.runs.orderBy('at').limit(over).primaryKeys()
  await Promise.all([rpcDb.runs.bulkDelete(oldest), rpcDb.bodies.bulkDelete(oldest)])
}

type RunStart = Pick<RpcRun, 'id' | 'at' | 'network' | 'methods' | 'isBatch' | 'words'>

function newRun(network: RpcRun['network'], calls: readonly RpcCallDraft[], isBatch: boolean, at: number): RunStart {
  const methodParams = calls.map(
    ({ method, params }) => `${method} ${(JSON.stringify(params) ?? '').slice(0, MAX_PARAM_SEARCH_CHARS)}`,
  )
  const terms = [network, ...methodParams].join(' ').slice(0, MAX_SEARCH_CHARS).toLowerCase()
  return { id: uuid(), at, network, methods: calls.map(({ method }) => method), isBatch, words: terms }
}

function storableCalls(calls: readonly RpcCallDraft[]): readonly RpcCallDraft[] {
  return JSON.stringify(calls).length <= MAX_STORED_CHARS ? calls : []
}

function answerOf(run: RpcRun, { calls, text, headers, isReplayed, failure }: RpcRunBody): RpcAnswer | undefined {
  if (text === undefined || run.status === 0) return undefined
  const { network, isBatch, at, status, ms, bytes, credits, costUsd, requestId } = run
  return {
    network,
    calls,
    isBatch,
    at,
    status,
    ms,
    bytes,
    text,
    headers,
    isReplayed,
    ...(credits !== undefined && { credits }),
    ...(costUsd !== undefined && { costUsd }),
    ...(requestId !== undefined && { requestId }),
    ...(failure && { failure: new ApiError(knownCode(failure.code, status), failure.message) }),
  }
}
