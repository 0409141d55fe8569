import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  EngineError,
  type JobProvider,
  type ProviderRef,
  type ProviderRequest,
  type ProviderState,
} from '@/lib/services/engines/engine'
import { isWireObject } from '@/lib/services/engines/upstream/wire-value'
import { type ClaimedJob, JobCancelled, JobInterrupted, type JobTools } from '@/lib/services/jobs/job'

export type Pace = { minMs: number; maxMs: number }

const PACE: Pace = { minMs: 1_000, maxMs: 10_000 }
const BACKOFF_FACTOR = 1.2
const MAX_FAULTS = 8
const MAX_SUBMITS = 4
const CANCEL_MS = 10_000

/**
 * Has a provider do the work of a job: begins it, or continues what an earlier attempt began, waits, and returns its
 * file. A cancelled job is cancelled at the provider.
 * @throws EngineError, or the signal's reason.
 */
export async function runAtProvider(
  provider: JobProvider,
  job: ClaimedJob,
  request: () => Promise<Omit<ProviderRequest, 'onceKey'>>,
  { signal, note }: JobTools,
  pace = PACE,
): Promise<AsyncIterable<Uint8Array>> {
  const ref = refOf(job.ref) ?? (await begin())
  try {
    const result = await resultOf(provider, ref, signal, pace)
    return fileOf(provider.fetch(ref, result, signal), signal)
  } catch (error) {
    if (signal.reason instanceof JobCancelled) await provider.cancel(ref, AbortSignal.timeout(CANCEL_MS))
    throw error
  }

  async function begin(): Promise<ProviderRef> {
    const ref = await submit(provider, { ...(await request()), onceKey: job.id }, signal, pace)
    await note(ref)
    return ref
  }
}

async function* fileOf(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch (cause) {
    if (signal.aborted || !isPassing(cause)) throw cause
    throw new JobInterrupted('the file broke off', { cause })
  }
}

async function submit(
  provider: JobProvider,
  request: ProviderRequest,
  signal: AbortSignal,
  pace: Pace,
): Promise<ProviderRef> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await provider.submit(request, signal)
    } catch (error) {
      if (!isNotNow(error) || attempt === MAX_SUBMITS) throw error
      await wait(pace.minMs * 2 ** attempt, signal)
    }
  }
}

async function resultOf(provider: JobProvider, ref: ProviderRef, signal: AbortSignal, pace: Pace): Promise<string> {
  let waitMs = pace.minMs
  for (let faults = 0; ; ) {
    await wait(waitMs, signal)
    waitMs = Math.min(waitMs * BACKOFF_FACTOR, pace.maxMs)
    let state: ProviderState
    try {
      state = await provider.poll(ref, signal)
    } catch (error) {
      // A provider that is away may come back, and the work with it; the caller's deadline bounds that.
      if (signal.aborted || !isPassing(error) || ++faults >= MAX_FAULTS) throw error
      continue
    }
    faults = 0
    if (state.state === 'done') return state.result
    if (state.state === 'failed') throw state.error
  }
}

const isNotNow = (error: unknown): boolean =>
  error instanceof EngineError && (error.reason === 'overloaded' || error.reason === 'offline')

const isPassing = (error: unknown): boolean =>
  isNotNow(error) || isReason(error, 'timeout') || isReason(error, 'failed')

const isReason = (error: unknown, reason: EngineError['reason']): boolean =>
  error instanceof EngineError && error.reason === reason

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}

function refOf(noted: unknown): ProviderRef | undefined {
  if (!isWireObject(noted)) return undefined
  const { base, id } = noted
  return typeof base === 'string' && typeof id === 'string' ? { base, id } : undefined
}

const HEAD_BYTES = 4_096

/**
 * Checks the beginning of a file, since a provider may send an error page or nothing, and returns the same bytes.
 * @throws EngineError `failed` when `typeOf` knows no type for them.
 */
export async function sniffed(
  bytes: AsyncIterable<Uint8Array>,
  typeOf: (head: Uint8Array) => string | undefined,
): Promise<{ type: string; bytes: AsyncIterable<Uint8Array> }> {
  const pieces = bytes[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let length = 0
  while (length < HEAD_BYTES) {
    const next = await pieces.next()
    if (next.done) break
    first.push(next.value)
    length += next.value.length
  }
  const head = Buffer.concat(first)
  const type = length === 0 ? undefined : typeOf(head)
  if (type === undefined) {
    await pieces.return?.()
    throw new EngineError('failed', 'The model returned the wrong type of file.')
  }
  return { type, bytes: joined(head, pieces) }
}

async function* joined(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield head
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}
