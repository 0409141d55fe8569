import 'server-only'
import { batchPerTick } from '@/lib/kernel/batch-per-tick'
import { recordRateLimited } from '@/lib/kernel/circuit-breaker'
import { type Deadline, unwatch, watch } from '@/lib/kernel/deadlines'
import type { RpcRequest } from '@/lib/services/rpc-nodes/calls'
import { failWith, logFailure, type Refused, refusalOf } from '@/lib/services/rpc-nodes/forward-failure'
import { limitOf } from '@/lib/services/rpc-nodes/forward-limits'
import type { RpcNode } from '@/lib/services/rpc-nodes/node'
import { takeAnswer } from '@/lib/services/rpc-nodes/node-answer'
import type { CallListener } from '@/lib/services/rpc-nodes/node-call'
import { NodeCall } from '@/lib/services/rpc-nodes/node-call'
import { checkChain, isOnChain } from '@/lib/services/rpc-nodes/node-chain'
import { bitOf, pickNode } from '@/lib/services/rpc-nodes/node-order'
import type { Answer, Failure, Outcome } from '@/lib/services/rpc-nodes/node-outcome'
import type { Question } from '@/lib/services/rpc-nodes/node-question'
import type { NodeSet } from '@/lib/services/rpc-nodes/nodes'

/** For everything that a request needs of its nodes. Source: API contract, crypto-rpc.md "Limits". */
export const DEADLINE_MS = 30_000
/** Nodes that work on one read at the same time. */
const MAX_AT_ONCE = 3

/** Those who wait for replies that came in one turn go on together. */
const goOn = batchPerTick((resolve: () => void) => resolve())

type Reply = ({ kind: 'answered' } & Answer) | Refused
export type Read = Reply & { retries: number }

/**
 * One read: asks a node, the next when that fails, and the next as well when it takes longer than it usually does. The
 * first good answer ends it, and the others are dropped.
 */
export class Reading implements CallListener {
  readonly promise: Promise<Read>
  readonly #set: NodeSet
  readonly #request: RpcRequest
  readonly #question: Question
  readonly #dueAt = performance.now() + DEADLINE_MS
  readonly #open: NodeCall[] = []
  #resolve!: (read: Read) => void
  #reject!: (reason: unknown) => void
  /** Nodes that were asked, as bits. */
  #tried = 0
  #asked = 0
  /** Nodes whose chain is being checked for this. */
  #checking = 0
  #isSecondRound = false
  #isOver = false
  #last?: Failure
  /** A no that another node may not say. */
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

  /** Nobody wants it any more. */
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
    const taken = takeAnswer(this.#set, node, this.#request, answer)
    if (taken.kind === 'failed') {
      this.#takeFailure(node, taken)
      return
    }
    const isForAll = this.#request.isBatch && !taken.scanned.isBatch
    const limit = isForAll ? 'size' : limitOf(taken)
    if (limit === 'rate') recordRateLimited(node.circuit, performance.now())
    if (limit === undefined) this.#settle(taken)
    else this.#keep(taken)
  }

  #takeRefusal(node: RpcNode, outcome: Extract<Outcome, { kind: 'refused' }>): void {
    const refusal = refusalOf(node, outcome)
    // With reasons it is about the request. A bare status may be about the node's address.
    if (outcome.said) {
      this.#settle(refusal)
    } else {
      logFailure(node, outcome)
      this.#keep(refusal)
    }
  }

  /** Another node may do better; if none does, it is this. */
  #keep(reply: Reply): void {
    this.#fallback ??= reply
    this.#askNext()
  }

  #takeFailure(node: RpcNode, failure: Failure): void {
    logFailure(node, failure)
    this.#last = failure
    this.#askNext()
  }

  /** Asks another node while those before are still at it. */
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
    const { patienceMs } = isHeavy ? node.heavy : node.light
    const isAlone = this.#set.nodes.length === 1
    const call = new NodeCall(node, this.#question, {
      dueAt: this.#dueAt,
      listener: this,
      ...(!isAlone && { patienceMs }),
    })
    this.#open.push(call)
    call.start()
  }

  /** A node is not used before it has said which chain it is on; the next one need not wait for that for long. */
  async #checkAndCall(node: RpcNode): Promise<void> {
    const at = performance.now() + node.light.patienceMs
    const patience: Deadline = { at, expire: () => this.#askBeside() }
    this.#checking++
    watch(patience)
    const isRight = await checkChain(node)
    unwatch(patience)
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
