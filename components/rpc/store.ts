import { Dexie, type EntityTable } from 'dexie'
import type { RpcAnswer, RpcCallDraft } from '@/components/rpc/client'
import { creditsBefore } from '@/components/rpc/networks'
import { knownCode } from '@/lib/browser/api'
import { noteDatabase } from '@/lib/browser/storage/database'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { RPC_ERROR_CREDITS } from '@/lib/contract/prices'
import { networkOf, type RpcSlug } from '@/lib/contract/rpc-networks'

// `mixed`: a batch with results and errors. `refused`: by the service. `failed`: no answer came.
export type RunOutcome = 'result' | 'error' | 'mixed' | 'refused' | 'failed'

// Times are Unix milliseconds everywhere in this file.
export type RpcRun = {
  id: string
  at: number
  network: RpcSlug
  methods: readonly string[]
  isBatch: boolean
  // Searched text: network, methods and the beginning of the parameters, in lower case.
  words: string
  outcome: RunOutcome
  status: number
  ms: number
  bytes: number
  credits?: number
  costUsd?: number
  requestId?: string
}

// Request and response are apart, so that a list of runs does not read megabytes.
type RpcRunBody = {
  id: string
  calls: readonly RpcCallDraft[]
  text?: string
  headers: [name: string, value: string][]
  isReplayed: boolean
  failure?: { code: string; message: string }
}

export type SavedCall = {
  id: string
  name: string
  // `''` for none. A collection exists as long as something is in it.
  folder: string
  order: number
  network: RpcSlug
  calls: readonly RpcCallDraft[]
  isBatch: boolean
  createdAt: number
  updatedAt: number
  // Set while a deletion can still be undone.
  deletedAt?: number
}

class RpcDatabase extends Dexie {
  declare runs: EntityTable<RpcRun, 'id'>
  declare bodies: EntityTable<RpcRunBody, 'id'>
  declare saved: EntityTable<SavedCall, 'id'>

  constructor() {
    super('lagoon-rpc')
    this.version(1).stores({ runs: 'id, at', bodies: 'id', saved: 'id, folder' })
  }
}

const rpcDb = new RpcDatabase()
noteDatabase(rpcDb)

export const MAX_SAVED = 1_000
export const MAX_NAME_CHARS = 120
export const MAX_FOLDER_CHARS = 80

export async function listSaved(): Promise<SavedCall[]> {
  const all = await rpcDb.saved.toArray()
  return all
    .filter(({ deletedAt }) => deletedAt === undefined)
    .sort(
      (one, other) =>
        one.folder.localeCompare(other.folder) || one.order - other.order || one.createdAt - other.createdAt,
    )
}

export type NewSaved = Pick<SavedCall, 'name' | 'folder' | 'network' | 'calls' | 'isBatch'>

/** Saves calls at the end of their collections. Returns how many there was room for. */
export function addSaved(calls: readonly NewSaved[]): Promise<number> {
  return rpcDb.transaction('rw', rpcDb.saved, async () => {
    const known = await rpcDb.saved.toArray()
    const ends = new Map<string, number>()
    for (const { folder, order } of known) ends.set(folder, Math.max(ends.get(folder) ?? 0, order))
    const now = Date.now()
    const added = calls.slice(0, Math.max(0, MAX_SAVED - known.length)).map((call): SavedCall => {
      const order = (ends.get(call.folder) ?? 0) + 1
      ends.set(call.folder, order)
      return { ...call, id: uuid(), order, createdAt: now, updatedAt: now }
    })
    await rpcDb.saved.bulkAdd(added)
    return added.length
  })
}

export async function renameSaved(id: string, name: string): Promise<void> {
  await rpcDb.saved.update(id, { name, updatedAt: Date.now() })
}

export function moveSaved(id: string, folder: string): Promise<void> {
  return rpcDb.transaction('rw', rpcDb.saved, async () => {
    await rpcDb.saved.update(id, { folder, order: (await lastOrder(folder)) + 1, updatedAt: Date.now() })
  })
}

const lastOrder = async (folder: string): Promise<number> =>
  Math.max(0, ...(await rpcDb.saved.where({ folder }).toArray()).map(({ order }) => order))

export function shiftSaved(id: string, by: -1 | 1): Promise<void> {
  return rpcDb.transaction('rw', rpcDb.saved, async () => {
    const call = await rpcDb.saved.get(id)
    if (!call) return
    const shown = (await listSaved()).filter(({ folder }) => folder === call.folder)
    const at = shown.findIndex((one) => one.id === id)
    const to = at + by
    if (at === -1 || to < 0 || to >= shown.length) return
    shown.splice(to, 0, ...shown.splice(at, 1))
    await rpcDb.saved.bulkPut(shown.map((one, index) => ({ ...one, order: index + 1 })))
  })
}

/** Hides saved calls; `purgeSaved` removes them for good once the time to undo is over. */
export async function deleteSaved(ids: readonly string[]): Promise<void> {
  await rpcDb.saved.where('id').anyOf(ids).modify({ deletedAt: Date.now() })
}

export async function restoreSaved(ids: readonly string[]): Promise<void> {
  await rpcDb.saved
    .where('id')
    .anyOf(ids)
    .modify((call) => {
      delete call.deletedAt
    })
}

export async function purgeSaved(until: number): Promise<void> {
  await rpcDb.saved.filter(({ deletedAt }) => deletedAt !== undefined && deletedAt <= until).delete()
}

export function renameFolder(from: string, to: string): Promise<void> {
  return rpcDb.transaction('rw', rpcDb.saved, async () => {
    const end = await lastOrder(to)
    const updatedAt = Date.now()
    await rpcDb.saved.where({ folder: from }).modify((call) => {
      call.folder = to
      call.order += end
      call.updatedAt = updatedAt
    })
  })
}

const MAX_RUNS = 200
// Of an answer, and of the calls of a run: longer ones are not stored.
const MAX_STORED_CHARS = 256 * 1024
const MAX_SEARCH_CHARS = 400
const MAX_PARAM_SEARCH_CHARS = 160

export const listRuns = (): Promise<RpcRun[]> => rpcDb.runs.orderBy('at').reverse().toArray()

export function searchRuns(runs: RpcRun[], search: string): RpcRun[] {
  const terms = search.toLowerCase().split(/\s+/).filter(Boolean)
  return terms.length === 0 ? runs : runs.filter((run) => terms.every((word) => run.words.includes(word)))
}

export function recordAnswer(answer: RpcAnswer): Promise<void> {
  const { network, calls, isBatch, at, text, headers, isReplayed, failure, ...measured } = answer
  const run: RpcRun = { ...newRun(network, calls, isBatch, at), ...measured, outcome: runOutcome(answer) }
  return record(run, {
    id: run.id,
    calls: storableCalls(calls),
    text: text.length <= MAX_STORED_CHARS ? text : undefined,
    headers,
    isReplayed,
    failure: failure && { code: failure.code, message: failure.message },
  })
}

export function recordFailure(
  { network, calls, isBatch, at, ms }: Pick<RpcAnswer, 'network' | 'calls' | 'isBatch' | 'at' | 'ms'>,
  failure: { code: string; message: string },
): Promise<void> {
  const run: RpcRun = { ...newRun(network, calls, isBatch, at), outcome: 'failed', status: 0, ms, bytes: 0 }
  return record(run, { id: run.id, calls: storableCalls(calls), headers: [], isReplayed: false, failure })
}

type StoredRun = { run: RpcRun; calls: readonly RpcCallDraft[]; answer?: RpcAnswer }

export async function openRun(id: string): Promise<StoredRun | undefined> {
  const [run, body] = await rpcDb.transaction('r', rpcDb.runs, rpcDb.bodies, () =>
    Promise.all([rpcDb.runs.get(id), rpcDb.bodies.get(id)]),
  )
  return run && body && { run, calls: body.calls, answer: answerOf(run, body) }
}

type RemovedRuns = { runs: RpcRun[]; bodies: RpcRunBody[] }

export function deleteRuns(ids?: readonly string[]): Promise<RemovedRuns> {
  return rpcDb.transaction('rw', rpcDb.runs, rpcDb.bodies, async () => {
    const runs = ids ? rpcDb.runs.where('id').anyOf(ids) : rpcDb.runs.toCollection()
    const bodies = ids ? rpcDb.bodies.where('id').anyOf(ids) : rpcDb.bodies.toCollection()
    const removed = { runs: await runs.toArray(), bodies: await bodies.toArray() }
    await Promise.all([runs.delete(), bodies.delete()])
    return removed
  })
}

export async function restoreRuns({ runs, bodies }: RemovedRuns): Promise<void> {
  await rpcDb.transaction('rw', rpcDb.runs, rpcDb.bodies, async () => {
    await Promise.all([rpcDb.runs.bulkPut(runs), rpcDb.bodies.bulkPut(bodies)])
    await prune()
  })
}

/** Tells how an answer ended by its price: a node's error costs less than a result, so megabytes need not be parsed. */
export function runOutcome({ network: slug, calls, credits, status, failure }: RpcAnswer): RunOutcome {
  if (status !== 200 || failure) return 'refused'
  const network = networkOf(slug)
  if (!network || credits === undefined) return 'result'
  const full = creditsBefore(
    network,
    calls.map(({ method }) => method),
  )
  if (credits >= full) return 'result'
  return calls.length > 1 && credits > calls.length * RPC_ERROR_CREDITS ? 'mixed' : 'error'
}

async function record(run: RpcRun, body: RpcRunBody): Promise<void> {
  await rpcDb.transaction('rw', rpcDb.runs, rpcDb.bodies, async () => {
    await Promise.all([rpcDb.runs.put(run), rpcDb.bodies.put(body)])
    await prune()
  })
}

// Two tabs may add at once; each removes the excess.
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

const storableCalls = (calls: readonly RpcCallDraft[]): readonly RpcCallDraft[] =>
  JSON.stringify(calls).length <= MAX_STORED_CHARS ? calls : []

function answerOf(run: RpcRun, body: RpcRunBody): RpcAnswer | undefined {
  if (body.text === undefined || run.status === 0) return undefined
  const { id: _, methods: _methods, words: _words, outcome: _outcome, ...measured } = run
  const { calls, text, headers, isReplayed } = body
  const failure = body.failure && new ApiError(knownCode(body.failure.code, run.status), body.failure.message)
  return { ...measured, calls, text, headers, isReplayed, failure }
}
