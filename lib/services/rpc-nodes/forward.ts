import 'server-only'
import { BROADCASTS } from '@/lib/contract/rpc-methods'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { batchPerTick } from '@/lib/kernel/batcher'
import { recordRateLimited } from '@/lib/kernel/circuit-breaker'
import { type Deadline, unwatch, watch } from '@/lib/kernel/deadlines'
import { perProcess } from '@/lib/kernel/per-process'
import { broadcast } from '@/lib/services/rpc-nodes/broadcast'
import { type CallListener, NodeCall } from '@/lib/services/rpc-nodes/call-node'
import { type Question, questionOf, type RpcRequest } from '@/lib/services/rpc-nodes/calls'
import { checkChain, takeAnswer, touch } from '@/lib/services/rpc-nodes/health'
import {
  DEADLINE_MS,
  type Failure,
  type ForwardOptions,
  failWith,
  limitOf,
  logFailure,
  type NodeReply,
  nodeRefusal,
  type Outcome,
  type Refused,
} from '@/lib/services/rpc-nodes/node-outcome'
import { bitOf, isOnChain, type NodeSet, nodesOf, pickNode, type RpcNode } from '@/lib/services/rpc-nodes/nodes'
import { type Answer, type ScannedReply, scan, withId } from '@/lib/services/rpc-nodes/reply'
import { cacheKey, keepResult, knownResult } from '@/lib/services/rpc-nodes/result-cache'

const MAX_JOINED_CHARACTERS = 16_384

/**
 * Asks a network's nodes: reads of whichever answers first, broadcasts one after the other. A reply passes through byte
 * by byte, except for the id of a shared read.
 *
 * @throws ApiError RPC_NETWORK_NOT_CONFIGURED, RPC_UPSTREAM_FAILED; SERVICE_UNAVAILABLE when too many large replies are
 * under way; the signal's reason.
 */
export async function forward(network: RpcNetwork, request: RpcRequest, options: ForwardOptions): Promise<NodeReply> {
  const { signal } = options
  signal.throwIfAborted()
  const set = nodesOf(network)
  touch(set, performance.now())
  if (request.calls.some(({ method }) => BROADCASTS.has(method))) return broadcast(set, request, options)
  return request.isBatch ? readAlone(set, request, signal) : readOne(set, request, signal)
}

function readAlone(set: NodeSet, request: RpcRequest, signal: AbortSignal): Promise<Read> {
  const hedged = new HedgedRead(set, request, questionOf(request)).start()
  const leave = () => hedged.cancel(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  return hedged.promise.finally(() => signal.removeEventListener('abort', leave))
}

async function readOne(set: NodeSet, request: RpcRequest, signal: AbortSignal): Promise<NodeReply> {
  const call = request.calls[0]!
  const { method, params = '', id = 'null' } = call
  const cachedKey = cacheKey(set, call)
  const known = cachedKey === undefined ? undefined : knownResult(cachedKey)
  if (known) return answerOf(known, id)
  if (params.length > MAX_JOINED_CHARACTERS) return readAlone(set, request, signal)
  const begin = () => {
    const hedged = new HedgedRead(set, request, questionOf(request)).start()
    if (cachedKey !== undefined) {
      hedged.promise.then(
        (read) => read.kind === 'answered' && keepResult(set, cachedKey, call, read),
        () => {},
      )
    }
    return hedged
  }
  const key = `${set.network.slug}\n${method}\n${params}`
  const { value, askedAs } = await sharedReads().join(key, id, signal, begin)
  return askedAs === id ? value : withOwnId(value, id)
}

function withOwnId(read: Read, id: string): Read {
  const scanned = read.kind === 'answered' ? read : scan(Buffer.from(read.body))
  const at = scanned?.scanned.items[0]?.idAt
  // A refusal in our own words has no id.
  if (scanned === undefined || at === undefined) return read
  const { body } = scanned
  const own = Buffer.concat([body.subarray(0, at.start), Buffer.from(id), body.subarray(at.end)])
  if (read.kind === 'refused') return { ...read, body: own.toString() }
  const answer = scan(own)
  return answer ? { kind: 'answered', ...answer, retries: read.retries } : read
}

function answerOf(result: Uint8Array, id: string): NodeReply {
  const body = withId(result, id)
  const start = body.length - 1 - result.byteLength
  const scanned: ScannedReply = {
    isBatch: false,
    items: [{ id, outcome: 'result', result: { start, end: body.length - 1 } }],
  }
  return { kind: 'answered', body, scanned, retries: 0 }
}

const MAX_AT_ONCE = 3

/** Readers of replies that came in one tick resume together. */
const goOn = batchPerTick((resolve: () => void) => resolve())

type Reply = ({ kind: 'answered' } & Answer) | Refused
type Read = Reply & { retries: number }

/**
 * Asks a node, the next when that fails, and the next as well when it is slower than usual. The first good answer ends
 * it, and the other calls are dropped.
 */
class HedgedRead implements CallListener {
  readonly promise: Promise<Read>
  readonly #set: NodeSet
  readonly #request: RpcRequest
  readonly #question: Question
  readonly #dueAt = performance.now() + DEADLINE_MS
  readonly #open: NodeCall[] = []
  #resolve!: (read: Read) => void
  #reject!: (reason: unknown) => void
  #tried = 0
  #asked = 0
  #checking = 0
  #isSecondRound = false
  #isOver = false
  #last?: Failure
  #fallback?: Reply

  constructor(set: NodeSet, request: RpcRequest, question: Question) {
    this.#set = set
    this.#request = request
    this.#question = question
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  start(): this {
    this.#askNext()
    return this
  }

  cancel(reason: unknown): void {
    if (this.#isOver) return
    this.#end()
    this.#reject(reason)
  }

  onLate(): void {
    this.#askBeside()
  }

  onEnd(call: NodeCall, outcome: Outcome): void {
    if (this.#isOver) return
    this.#open.splice(this.#open.indexOf(call), 1)
    if (outcome.kind === 'answered') this.#takeAnswer(call.node, outcome)
    else if (outcome.kind === 'failed') this.#takeFailure(call.node, outcome)
    else this.#takeRefusal(call.node, outcome)
  }

  #takeAnswer(node: RpcNode, answer: Answer): void {
    const outcome = takeAnswer(this.#set, node, this.#request, answer)
    if (outcome.kind === 'failed') {
      this.#takeFailure(node, outcome)
      return
    }
    const isForAll = this.#request.isBatch && !outcome.scanned.isBatch
    const limit = isForAll ? 'size' : limitOf(outcome)
    if (limit === 'rate') recordRateLimited(node.circuit, performance.now())
    if (limit === undefined) this.#settle(outcome)
    else this.#keep(outcome)
  }

  #takeRefusal(node: RpcNode, outcome: Extract<Outcome, { kind: 'refused' }>): void {
    const refusal = nodeRefusal(node, outcome)
    // With reasons it is about the request. A bare status may be about the node's address.
    if (outcome.answer) {
      this.#settle(refusal)
    } else {
      logFailure(node, outcome)
      this.#keep(refusal)
    }
  }

  #keep(reply: Reply): void {
    this.#fallback ??= reply
    this.#askNext()
  }

  #takeFailure(node: RpcNode, failure: Failure): void {
    logFailure(node, failure)
    this.#last = failure
    this.#askNext()
  }

  #askBeside(): void {
    if (this.#isOver || this.#open.length + this.#checking >= MAX_AT_ONCE) return
    const node = pickNode(this.#set.nodes, this.#tried, performance.now())
    if (node) this.#ask(node)
  }

  #askNext(): void {
    const now = performance.now()
    const isInTime = now < this.#dueAt && this.#last?.fault !== 'too-much-at-once'
    const node = isInTime ? pickNode(this.#set.nodes, this.#tried, now) : undefined
    if (node) {
      this.#ask(node)
    } else if (this.#open.length + this.#checking === 0) {
      // A connection that was kept may have been closed by the other side in the moment it was used.
      if (isInTime && this.#last?.fault === 'cut' && !this.#isSecondRound) this.#askAgain()
      else this.#giveUp()
    }
  }

  #askAgain(): void {
    this.#isSecondRound = true
    this.#tried = 0
    this.#askNext()
  }

  #ask(node: RpcNode): void {
    this.#tried |= bitOf(node)
    this.#asked++
    if (isOnChain(node, performance.now())) this.#call(node)
    else void this.#checkAndCall(node)
  }

  #call(node: RpcNode): void {
    const { isHeavy } = this.#question
    const { hedgeDelayMs } = isHeavy ? node.heavy : node.light
    const isAlone = this.#set.nodes.length === 1
    const call = new NodeCall(node, this.#question, {
      dueAt: this.#dueAt,
      listener: this,
      ...(!isAlone && { hedgeDelayMs }),
    })
    this.#open.push(call)
    call.start()
  }

  async #checkAndCall(node: RpcNode): Promise<void> {
    const at = performance.now() + node.light.hedgeDelayMs
    const hedge: Deadline = { at, expire: () => this.#askBeside() }
    this.#checking++
    watch(hedge)
    const isRight = await checkChain(node)
    unwatch(hedge)
    this.#checking--
    if (this.#isOver) return
    if (isRight) this.#call(node)
    else this.#takeFailure(node, { kind: 'failed', fault: node.chain.state === 'wrong' ? 'wrong-chain' : 'unchecked' })
  }

  #settle(read: Reply): void {
    this.#end()
    goOn(() => this.#resolve({ ...read, retries: this.#asked - 1 }))
  }

  #giveUp(): void {
    try {
      this.#settle(this.#fallback ?? failWith(this.#set.network, this.#last))
    } catch (error) {
      this.#end()
      this.#reject(error)
    }
  }

  #end(): void {
    this.#isOver = true
    for (const call of this.#open.splice(0)) call.drop()
  }
}

type Work<T> = { readonly promise: Promise<T>; cancel(reason: unknown): void }

/**
 * `work` is cleared when it ends or nobody waits: a map holds on to what was deleted from it
 * (kernel/swap-remove-list.ts).
 */
type Shared<T> = { work?: Work<T>; id: string; begunAt: number; waiting: number }

/** An answer may be as old as its question: older work is asked again. */
const MAX_AGE_MS = 1_000

type Joined<T> = { value: T; askedAs: string }

/**
 * Shares reads that are under way between callers that ask the same. The work goes on until the last of them has left.
 */
export class SingleFlight<T> {
  readonly #running = new Map<string, Shared<T>>()

  get size(): number {
    return this.#running.size
  }

  /** @throws the signal's reason when it aborts; whatever the work throws. */
  join(key: string, id: string, signal: AbortSignal, begin: () => Work<T>): Promise<Joined<T>> {
    const now = performance.now()
    const running = this.#running.get(key)
    const shared = running && now - running.begunAt < MAX_AGE_MS ? running : this.#begin(key, id, now, begin)
    const work = shared.work!
    shared.waiting++
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(signal.reason)
        if (--shared.waiting > 0) return
        this.#forget(key, shared)
        work.cancel(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      work.promise.then(
        (value) => {
          signal.removeEventListener('abort', leave)
          resolve({ value, askedAs: shared.id })
        },
        (error) => {
          signal.removeEventListener('abort', leave)
          reject(error)
        },
      )
    })
  }

  #begin(key: string, id: string, begunAt: number, begin: () => Work<T>): Shared<T> {
    const work = begin()
    const shared: Shared<T> = { work, id, begunAt, waiting: 0 }
    this.#running.set(key, shared)
    const forget = () => this.#forget(key, shared)
    work.promise.then(forget, forget)
    return shared
  }

  #forget(key: string, shared: Shared<T>): void {
    shared.work = undefined
    if (this.#running.get(key) === shared) this.#running.delete(key)
  }
}

const sharedReads = () => perProcess('rpc-joins', () => new SingleFlight<Read>())
