import 'server-only'
import type { IncomingHttpHeaders } from 'node:http'
import type { Transform } from 'node:stream'
import type { Dispatcher } from 'undici'
import { recordOutcome, recordTry } from '@/lib/kernel/circuit-breaker'
import { type Deadline, unwatch, watch } from '@/lib/kernel/deadlines'
import { isReplyTo, MAX_REFUSAL_BYTES, MAX_REPLY_BYTES, NodeBody, unpackerOf } from '@/lib/services/rpc-nodes/node-body'
import { type Answer, type Fault, isConnectFault, isRefusal, type Outcome } from '@/lib/services/rpc-nodes/node-outcome'
import type { Question } from '@/lib/services/rpc-nodes/node-question'
import type { RpcNode } from '@/lib/services/rpc-nodes/nodes'

const MAX_OWN_REPLY_BYTES = 1024 * 1024

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

export async function askNode(
  node: RpcNode,
  method: string,
  params: unknown[],
  timeoutMs: number,
): Promise<{ result: unknown } | { failure: Outcome }> {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  const question = { body, isBatch: false, ids: ['1'], isHeavy: false }
  const outcome = await callNode(node, question, performance.now() + timeoutMs)
  if (outcome.kind !== 'answered') return { failure: outcome }
  const text = resultText(outcome, MAX_OWN_REPLY_BYTES)
  if (text === undefined) return { failure: outcome }
  try {
    return { result: JSON.parse(text) }
  } catch {
    return { failure: { kind: 'failed', fault: 'not-json-rpc' } }
  }
}

export function resultText({ body, scanned }: Answer, maxBytes: number): string | undefined {
  const at = scanned.items[0]?.result
  if (scanned.isBatch || at === undefined || at.end - at.start > maxBytes) return undefined
  return Buffer.from(body.buffer, body.byteOffset + at.start, at.end - at.start).toString('utf8')
}

export function quantityOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,13}$/i.test(value)) return undefined
  return Number(value)
}

const CHECK_TIMEOUT_MS = 3_000
const LOCAL_CHECK_TIMEOUT_MS = 20_000

const METHODS = { evm: 'eth_chainId', starknet: 'starknet_chainId' } as const

/** Asks the node which chain it is on; concurrent callers share the answer. Never rejects. */
export function checkChain(node: RpcNode): Promise<boolean> {
  node.chain.running ??= check(node).finally(() => {
    node.chain.running = undefined
  })
  return node.chain.running
}

async function check(node: RpcNode): Promise<boolean> {
  const { network, isLocal } = node
  const timeoutMs = isLocal ? LOCAL_CHECK_TIMEOUT_MS : CHECK_TIMEOUT_MS
  const reply = await askNode(node, METHODS[network.family], [], timeoutMs)
  // Without an answer nothing is known anew: what was known ends by its age.
  if ('failure' in reply) return false
  return learnChain(node, reply.result)
}

export function learnChain({ network, chain }: RpcNode, chainId: unknown): boolean {
  const isRight = typeof chainId === 'string' && sameNumber(chainId, network.chainId)
  chain.state = isRight ? 'right' : 'wrong'
  chain.checkedAt = performance.now()
  return isRight
}

function sameNumber(one: string, other: string): boolean {
  if (!/^(0x[0-9a-f]{1,64}|\d{1,78})$/i.test(one)) return false
  return BigInt(one) === BigInt(other)
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
