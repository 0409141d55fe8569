import 'server-only'
import type { IncomingHttpHeaders } from 'node:http'
import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { recordOutcome, recordTry } from '@/lib/kernel/circuit-breaker'
import { type Deadline, unwatch, watch } from '@/lib/kernel/deadlines'
import { perProcess } from '@/lib/kernel/per-process'
import { meaningOfId, type Question } from '@/lib/services/rpc-nodes/calls'
import { type Fault, isConnectFault, isRefusal, type Outcome } from '@/lib/services/rpc-nodes/node-outcome'
import type { RpcNode } from '@/lib/services/rpc-nodes/nodes'
import { ReplyScanner, type ScannedItem, type ScannedReply } from '@/lib/services/rpc-nodes/reply'

export function callNode(node: RpcNode, question: Question, dueAt: number, signal?: AbortSignal): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      call.drop()
      reject(signal?.reason)
    }
    const onEnd = (_: NodeCall, outcome: Outcome) => {
      signal?.removeEventListener('abort', leave)
      resolve(outcome)
    }
    const call = new NodeCall(node, question, { dueAt, listener: { onLate: () => {}, onEnd } })
    signal?.addEventListener('abort', leave, { once: true })
    call.start()
  })
}

export type CallListener = {
  /** Called once when no answer has begun in `hedgeDelayMs`, or when it drips. */
  onLate(call: NodeCall): void
  onEnd(call: NodeCall, outcome: Outcome): void
}

const MAX_PAUSE_MS = 10_000
/** Slower bodies may drip for ever: another node is asked as well. */
const SLOW_BODY_MS = 2_000
const SLOW_BODY_BYTES = 128 * 1024
/** Rest of a body that is drained to keep its connection alive; longer ones are cut. */
const DRAIN_BYTES = 16_384
const DRAIN_MS = 1_000

type Options = { dueAt: number; hedgeDelayMs?: number; listener: CallListener }

/**
 * One POST to one node. It is its own dispatch handler and deadline, because thousands of them live at a time; health
 * and speed of the node are recorded as it ends.
 */
export class NodeCall implements Dispatcher.DispatchHandler, Deadline {
  readonly node: RpcNode
  place?: number
  at: number
  isLate = false
  readonly #question: Question
  readonly #dueAt: number
  readonly #listener: CallListener
  readonly #isHedged: boolean
  #startedAt = 0
  #begunAt = 0
  #weighedAt = Number.POSITIVE_INFINITY
  #isDripping = false
  #status = 0
  #body?: NodeBody
  #unpacker?: Transform
  #controller?: Dispatcher.DispatchController
  #isOver = false
  #drainedBytes = 0

  constructor(node: RpcNode, question: Question, { dueAt, hedgeDelayMs, listener }: Options) {
    this.node = node
    this.#question = question
    this.#dueAt = dueAt
    this.#listener = listener
    this.#isHedged = hedgeDelayMs !== undefined
    this.at = hedgeDelayMs === undefined ? dueAt : Math.min(performance.now() + hedgeDelayMs, dueAt)
  }

  start(): void {
    const { pool, path, headers, circuit } = this.node
    this.#startedAt = performance.now()
    this.node.inFlight++
    recordTry(circuit)
    watch(this)
    // Both of undici's own timers are off: they would be set once a request, and the deadline covers them.
    const options = {
      path,
      headers,
      method: 'POST',
      body: this.#question.body,
      headersTimeout: 0,
      bodyTimeout: 0,
    } as const
    try {
      pool.dispatch(options, this)
    } catch {
      queueMicrotask(() => this.#fail('unreachable'))
    }
  }

  /** Ends the call and its connection without calling the listener. A late one is recorded as slow. */
  drop(): void {
    if (this.#isOver) return
    const now = performance.now()
    // What was waited for is the least that it takes; as much again is what such a wait has left on average.
    if (this.isLate && (this.#begunAt === 0 || this.#isDripping))
      this.#latency().learn((now - this.#startedAt) * 2, now)
    this.#close('unknown')
    this.#cut()
  }

  expire(): void {
    const now = performance.now()
    if (this.#isOver) this.#cut()
    else if (now >= this.#weighedAt) this.#weigh(now)
    else if (this.#begunAt > 0 || now >= this.#dueAt) this.#fail('silent')
    else {
      this.isLate = true
      this.at = this.#dueAt
      this.#listener.onLate(this)
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) this.#cut()
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // 1xx: the real head is still to come.
    if (status < 200 || this.#isOver) return
    this.#status = status
    this.#begunAt = performance.now()
    if (this.#isHedged && !this.isLate) this.#weighedAt = this.#begunAt + SLOW_BODY_MS
    this.#bodyDueAfter(this.#begunAt)
    const fault = status === 200 || isRefusal(status) ? this.#openBody(headers) : 'status'
    if (fault) this.#fail(fault)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) {
      this.#drain(chunk)
      return
    }
    this.#bodyDueAfter(performance.now())
    if (this.#unpacker === undefined) this.#take(chunk)
    else if (!this.#unpacker.write(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    if (this.#isOver) unwatch(this)
    else if (this.#unpacker) this.#unpacker.end()
    else this.#finish()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isOver) unwatch(this)
    else this.#fail(this.#status > 0 ? 'cut-short' : isConnectFault(error) ? 'unreachable' : 'cut')
  }

  #openBody(headers: IncomingHttpHeaders): Fault | undefined {
    const maxBytes = this.#status === 200 ? MAX_REPLY_BYTES : MAX_REFUSAL_BYTES
    if (Number(headers['content-length'] ?? 0) > maxBytes) return 'too-large'
    const unpacker = unpackerOf(String(headers['content-encoding'] ?? ''))
    if (unpacker === null) return 'unknown-encoding'
    this.#body = new NodeBody(maxBytes)
    if (unpacker) this.#unpackWith(unpacker)
    return undefined
  }

  #unpackWith(unpacker: Transform): void {
    this.#unpacker = unpacker
    unpacker.on('data', (chunk: Buffer) => this.#take(chunk))
    unpacker.on('drain', () => this.#controller?.resume())
    unpacker.on('end', () => this.#finish())
    unpacker.on('error', () => this.#fail('not-json-rpc'))
  }

  #take(chunk: Buffer): void {
    if (this.#isOver) return
    const fault = this.#body?.push(chunk)
    if (fault !== undefined) this.#fail(fault)
  }

  #finish(): void {
    if (this.#isOver) return
    const answer = this.#body?.end()
    const isToThis = answer !== undefined && isReplyTo(this.#question, answer.scanned)
    if (this.#status !== 200)
      this.#end('unknown', { kind: 'refused', status: this.#status, ...(isToThis && { answer }) })
    else if (answer === undefined) this.#fail('not-json-rpc')
    else if (!isToThis) this.#fail('other-question')
    else {
      this.#latency().learn(this.#begunAt - this.#startedAt, this.#begunAt)
      this.#end('answered', { kind: 'answered', body: answer.body, scanned: answer.scanned })
    }
  }

  #end(health: 'answered' | 'unknown', outcome: Outcome): void {
    this.#close(health)
    unwatch(this)
    this.#listener.onEnd(this, outcome)
  }

  #fail(fault: Fault): void {
    if (this.#isOver) return
    // What is refused at the door may be too long to read, and is a refusal all the same.
    const isRefused = isRefusal(this.#status) && fault !== 'silent' && fault !== 'cut-short'
    const isItsFault = !isRefused && fault !== 'too-large' && fault !== 'too-much-at-once'
    this.#close(isItsFault ? 'failed' : 'unknown')
    if (fault === 'status' || isRefused) this.at = performance.now() + DRAIN_MS
    else this.#cut()
    const status = this.#status > 0 ? { status: this.#status } : {}
    this.#listener.onEnd(
      this,
      isRefused ? { kind: 'refused', status: this.#status } : { kind: 'failed', fault, ...status },
    )
  }

  #close(outcome: 'answered' | 'failed' | 'unknown'): void {
    this.#isOver = true
    this.node.inFlight--
    recordOutcome(this.node.circuit, outcome, performance.now())
    this.#body?.release()
    this.#body = undefined
    this.#unpacker?.destroy()
  }

  #drain(chunk: Buffer): void {
    this.#drainedBytes += chunk.length
    if (this.#drainedBytes > DRAIN_BYTES) this.#cut()
  }

  #cut(): void {
    unwatch(this)
    // Without a controller it is not on a connection yet: `onRequestStart` sees to it.
    this.#controller?.abort(NO_LONGER_WANTED)
  }

  #bodyDueAfter(now: number): void {
    this.at = Math.min(now + MAX_PAUSE_MS, this.#dueAt, this.#weighedAt)
  }

  #weigh(now: number): void {
    this.#weighedAt = Number.POSITIVE_INFINITY
    this.#bodyDueAfter(now)
    if ((this.#body?.bytes ?? 0) >= SLOW_BODY_BYTES) return
    this.isLate = true
    this.#isDripping = true
    this.#listener.onLate(this)
  }

  #latency() {
    return this.#question.isHeavy ? this.node.heavy : this.node.light
  }
}

const NO_LONGER_WANTED = new Error('No longer wanted')

const MAX_REPLY_BYTES = 32 * 1024 * 1024
const MAX_GATHERED_BYTES = 256 * 1024 * 1024
/** Smaller chunks are copied together: each would hold the memory of the socket read it came with. */
const SMALL_CHUNK_BYTES = 8 * 1024
const BLOCK_BYTES = 64 * 1024
const MAX_REFUSAL_BYTES = 64 * 1024

const OPEN_OBJECT = 0x7b
const OPEN_ARRAY = 0x5b

type Gathered = { bytes: number }
const gathered = (): Gathered => perProcess('rpc-gathered', () => ({ bytes: 0 }))

export class NodeBody {
  readonly #maxBytes: number
  readonly #all = gathered()
  readonly #scanner = new ReplyScanner()
  #chunks: Buffer[] = []
  #block: Buffer | undefined
  #filled = 0
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  push(chunk: Buffer): Fault | undefined {
    if (this.#bytes === 0 && !looksLikeJson(chunk)) return 'not-json-rpc'
    this.#bytes += chunk.length
    this.#all.bytes += chunk.length
    if (this.#bytes > this.#maxBytes) return 'too-large'
    if (this.#all.bytes > MAX_GATHERED_BYTES) return 'too-much-at-once'
    this.#scanner.push(chunk)
    this.#keep(chunk)
    return undefined
  }

  #keep(chunk: Buffer): void {
    if (this.#chunks.length === 0 || chunk.length >= SMALL_CHUNK_BYTES) {
      this.#closeBlock()
      this.#chunks.push(chunk)
      return
    }
    if (this.#block === undefined || this.#filled + chunk.length > BLOCK_BYTES) {
      this.#closeBlock()
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
      this.#chunks.push(this.#block)
    }
    this.#filled += chunk.copy(this.#block, this.#filled)
  }

  #closeBlock(): void {
    if (this.#block) this.#chunks[this.#chunks.length - 1] = this.#block.subarray(0, this.#filled)
    this.#block = undefined
    this.#filled = 0
  }

  end() {
    this.#closeBlock()
    const scanned = this.#scanner.end()
    return scanned && { body: joined(this.#chunks), scanned }
  }

  release(): void {
    this.#all.bytes -= this.#bytes
    this.#bytes = 0
    this.#chunks = []
    this.#block = undefined
  }
}

function looksLikeJson(chunk: Buffer): boolean {
  for (const byte of chunk) if (byte > 0x20) return byte === OPEN_OBJECT || byte === OPEN_ARRAY
  return true
}

const joined = (chunks: Buffer[]): Uint8Array<ArrayBuffer> =>
  chunks.length === 1 ? (chunks[0] as Buffer<ArrayBuffer>) : Buffer.concat(chunks)

/** Unpacks a body that was packed against our request; `null` for an unknown encoding. */
function unpackerOf(encoding: string): Transform | undefined | null {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return undefined
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    case 'zstd':
      return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } })
    default:
      return null
  }
}

/**
 * Checks that a reply is to this question: a node, or a cache before it, may mix up its callers. An error may have no
 * id, and one error may answer a whole batch.
 */
export function isReplyTo({ isBatch, ids }: Question, { isBatch: isList, items }: ScannedReply): boolean {
  if (isBatch && isList) return areReplies(items, ids)
  const item = items[0]
  if (isList || item === undefined) return false
  if (isErrorWithoutId(item)) return true
  return (!isBatch || item.outcome === 'error') && ids.some((id) => id !== undefined && isOf(item, id))
}

function areReplies(items: readonly ScannedItem[], ids: Question['ids']): boolean {
  const asked = ids.filter((id) => id !== undefined)
  if (items.length < asked.length || items.length > ids.length) return false
  const waiting = new Map<string, number>()
  for (const id of asked) waiting.set(meaningOfId(id), (waiting.get(meaningOfId(id)) ?? 0) + 1)
  let silent = ids.length - asked.length
  for (const item of items) {
    const key = meaningOfId(item.id ?? 'null')
    const left = waiting.get(key) ?? 0
    if (left > 0) waiting.set(key, left - 1)
    else if (hasNoId(item) && silent > 0) silent--
    else if (!isErrorWithoutId(item)) return false
  }
  return true
}

const isOf = ({ id = 'null' }: ScannedItem, asked: string): boolean =>
  id === asked || meaningOfId(id) === meaningOfId(asked)
const hasNoId = ({ id }: ScannedItem): boolean => id === undefined || id === 'null'
const isErrorWithoutId = (item: ScannedItem): boolean => item.outcome === 'error' && hasNoId(item)
