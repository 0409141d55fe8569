import 'server-only'
import { NETWORKS, type NetworkState, type RpcNetwork } from '@/lib/contract/rpc-networks'
import { perProcess } from '@/lib/kernel/per-process'
import { callNode } from '@/lib/services/rpc-nodes/call-node'
import type { RpcRequest } from '@/lib/services/rpc-nodes/calls'
import type { Failure, Outcome } from '@/lib/services/rpc-nodes/node-outcome'
import { hasSecret, scrub } from '@/lib/services/rpc-nodes/node-secrets'
import { findNodes, isOnChain, knownNodes, type NodeSet, pickNode, type RpcNode } from '@/lib/services/rpc-nodes/nodes'
import { type Answer, type ScannedReply, scan } from '@/lib/services/rpc-nodes/reply'

const KEEP_MS = 10_000
const SLOW_MS = 1_000

type Overview = { states?: Promise<NetworkState[]>; until: number }

/** Reports the state of every network. Nodes are asked at most every ten seconds, all at once. */
export function networkStates(): Promise<NetworkState[]> {
  const overview = perProcess('rpc-overview', (): Overview => ({ until: 0 }))
  const now = performance.now()
  if (overview.states === undefined || now >= overview.until) {
    // Looks are bounded in time, so that nobody waits for what never ends.
    overview.until = Number.POSITIVE_INFINITY
    overview.states = Promise.all(NETWORKS.map(stateOf)).finally(() => {
      overview.until = performance.now() + KEEP_MS
    })
  }
  return overview.states
}

export function knownHeight(network: RpcNetwork): number | null {
  const set = knownNodes(network)
  return (set && highest(set.nodes)) ?? null
}

async function stateOf(network: RpcNetwork): Promise<NetworkState> {
  const found = findNodes(network)
  // What to set is for the operator; the state says it all to whoever looks at the page.
  if ('reason' in found) return stateWith(network, { state: 'unconfigured' })
  // The chain is started by its first call, and to be looked at is no call.
  if (found.isLocal && !isStarted(found)) return stateWith(network, { state: 'up', isLocal: true })
  if (performance.now() - found.lookedAt >= KEEP_MS) await look(found)
  return stateOfNodes(found)
}

const isStarted = ({ network, usedAt }: NodeSet): boolean =>
  network.slug === 'base-mainnet' || usedAt > Number.NEGATIVE_INFINITY

function stateOfNodes({ network, nodes, isLocal }: NodeSet): NetworkState {
  const now = performance.now()
  const best = pickNode(nodes, 0, now)
  const checkedAt = new Date().toISOString()
  if (best === undefined || !isOnChain(best, now) || best.circuit.failures > 0) {
    const isWrong = nodes.every(({ chain }) => chain.state === 'wrong')
    const reason = isWrong ? 'Its nodes are on another chain.' : 'None of its nodes answers.'
    return stateWith(network, { state: 'down', isLocal, reason, checkedAt })
  }
  const height = highest(nodes) ?? null
  // Local chains share this machine and are looked at all at once: their time says nothing of a network.
  if (isLocal) return stateWith(network, { state: 'up', isLocal, height, checkedAt })
  const latencyMs = Math.round(best.light.meanMs ?? 0)
  const isSlow = latencyMs > SLOW_MS
  return stateWith(network, {
    state: isSlow ? 'slow' : 'up',
    height,
    latencyMs,
    checkedAt,
    ...(isSlow && { reason: 'Its nodes take long to answer.' }),
  })
}

const stateWith = ({ slug }: RpcNetwork, known: Partial<NetworkState> & Pick<NetworkState, 'state'>): NetworkState => ({
  slug,
  isLocal: false,
  height: null,
  latencyMs: null,
  checkedAt: null,
  reason: null,
  ...known,
})

const LOOK_EVERY_MS = 15_000
const IN_USE_MS = 60_000
const LOOK_TIMEOUT_MS = 3_000

const HEIGHT_METHODS = { evm: 'eth_blockNumber', starknet: 'starknet_blockNumber' } as const

/** Marks a network as in use: its nodes are checked every 15 seconds until calls stop. */
export function touch(set: NodeSet, now: number): void {
  set.usedAt = now
  // A local chain is alone, and final by its own word.
  if (set.timer !== undefined || set.isLocal) return
  schedule(set)
  void look(set)
}

/** Checks all nodes at once: chain, height, finalized block. Concurrent callers share it. Never rejects. */
export function look(set: NodeSet): Promise<void> {
  set.looking ??= lookAt(set).finally(() => {
    set.looking = undefined
    set.lookedAt = performance.now()
  })
  return set.looking
}

function schedule(set: NodeSet): void {
  set.timer = setTimeout(() => {
    set.timer = undefined
    if (performance.now() - set.usedAt > IN_USE_MS) return
    schedule(set)
    void look(set)
  }, LOOK_EVERY_MS).unref()
}

async function lookAt(set: NodeSet): Promise<void> {
  const startedAt = performance.now()
  await Promise.all(set.nodes.map((node) => lookAtNode(set, node)))
  judgeHeights(set, startedAt)
  void lookForFinal(set)
}

async function lookAtNode(set: NodeSet, node: RpcNode): Promise<void> {
  // Early enough that no call has to wait for the next check.
  const isDue = !isOnChain(node, performance.now() + 2 * LOOK_EVERY_MS)
  if (isDue) await checkChain(node)
  const now = performance.now()
  if (!isOnChain(node, now)) return
  const reply = await askNode(node, HEIGHT_METHODS[set.network.family], [], LOOK_TIMEOUT_MS)
  const height = 'result' in reply ? quantityOf(reply.result) : undefined
  if (height !== undefined) learnHeight(set, node, height, performance.now())
}

async function lookForFinal(set: NodeSet): Promise<void> {
  const now = performance.now()
  const node = pickNode(set.nodes, 0, now)
  if (set.network.family !== 'evm' || set.isLocal || node === undefined || !isOnChain(node, now)) return
  const reply = await askNode(node, 'eth_getBlockByNumber', ['finalized', false], LOOK_TIMEOUT_MS)
  const block = 'result' in reply ? reply.result : undefined
  const height = typeof block === 'object' && block !== null && 'number' in block ? quantityOf(block.number) : undefined
  const lead = highest(set.nodes)
  if (height === undefined || lead === undefined || height > lead) return
  // The latest word counts, also when it is less: a node that said too much must not be believed for ever.
  set.finalizedHeight = height
}

const LAG_SECONDS = 60
const LAG_BLOCKS = 10
/** A node this far ahead of all others is lying or counts something else. */
const MAX_LEAD_SECONDS = 365 * 86_400

function learnHeight({ network, nodes }: NodeSet, node: RpcNode, height: number, now: number): void {
  node.height = height
  node.heightAt = now
  node.isLagging = isBehind(network, nodes, node)
}

function judgeHeights({ network, nodes }: NodeSet, since: number): void {
  for (const node of nodes) if (node.heightAt >= since) node.isLagging = isBehind(network, nodes, node)
}

function highest(nodes: readonly RpcNode[]): number | undefined {
  let best: RpcNode | undefined
  let next = -1
  for (const node of nodes) {
    if (node.height === undefined || node.chain.state !== 'right') continue
    if (best?.height === undefined || node.height > best.height) {
      next = best?.height ?? -1
      best = node
    } else if (node.height > next) next = node.height
  }
  if (best?.height === undefined || next < 0) return best?.height
  return (best.height - next) * best.network.blockSeconds > MAX_LEAD_SECONDS ? next : best.height
}

function isBehind({ blockSeconds }: RpcNetwork, nodes: readonly RpcNode[], node: RpcNode): boolean {
  const allowed = Math.max(LAG_BLOCKS, Math.ceil(LAG_SECONDS / blockSeconds))
  const lead = highest(nodes) ?? node.height ?? 0
  return node.height !== undefined && lead - node.height >= allowed
}

const MAX_OWN_REPLY_BYTES = 1024 * 1024

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

function resultText({ body, scanned }: Answer, maxBytes: number): string | undefined {
  const at = scanned.items[0]?.result
  if (scanned.isBatch || at === undefined || at.end - at.start > maxBytes) return undefined
  return Buffer.from(body.buffer, body.byteOffset + at.start, at.end - at.start).toString('utf8')
}

function quantityOf(value: unknown): number | undefined {
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

function learnChain({ network, chain }: RpcNode, chainId: unknown): boolean {
  const isRight = typeof chainId === 'string' && sameNumber(chainId, network.chainId)
  chain.state = isRight ? 'right' : 'wrong'
  chain.checkedAt = performance.now()
  return isRight
}

function sameNumber(one: string, other: string): boolean {
  if (!/^(0x[0-9a-f]{1,64}|\d{1,78})$/i.test(one)) return false
  return BigInt(one) === BigInt(other)
}

const MAX_FACT_BYTES = 80

/**
 * Learns the node's chain and height from an answer, and takes the node's address out of its errors. Results are left
 * byte for byte.
 */
export function takeAnswer(
  set: NodeSet,
  node: RpcNode,
  request: RpcRequest,
  answer: Answer,
): ({ kind: 'answered' } & Answer) | Failure {
  if (!request.isBatch && !learn(set, node, request.calls[0]!.method, answer)) {
    return { kind: 'failed', fault: 'wrong-chain' }
  }
  if (!answer.scanned.items.some(({ outcome }) => outcome === 'error')) return { kind: 'answered', ...answer }
  const clean = withoutSecrets(answer, node.secrets)
  return clean ? { kind: 'answered', ...clean } : { kind: 'failed', fault: 'not-json-rpc' }
}

function learn(set: NodeSet, node: RpcNode, method: string, answer: Answer): boolean {
  switch (method) {
    case 'eth_chainId':
    case 'starknet_chainId':
      // What is too long to be one is none.
      return answer.scanned.items[0]?.outcome !== 'result' || learnChain(node, factOf(answer))
    case 'eth_blockNumber':
    case 'starknet_blockNumber': {
      const height = quantityOf(factOf(answer))
      if (height !== undefined) learnHeight(set, node, height, performance.now())
      return true
    }
    default:
      return true
  }
}

function factOf(answer: Answer): unknown {
  const text = resultText(answer, MAX_FACT_BYTES)
  try {
    return text && JSON.parse(text)
  } catch {
    // A result's own grammar is the node's business.
    return undefined
  }
}

function withoutSecrets(answer: Answer, secrets: readonly string[]): Answer | undefined {
  const { body, scanned } = answer
  const parts: Uint8Array[] = []
  let isClean = true
  let from = 0
  for (const end of [...resultsOf(scanned), { start: body.length, end: body.length }]) {
    const text = Buffer.from(body.buffer, body.byteOffset + from, end.start - from).toString('utf8')
    const isPartClean = !hasSecret(text, secrets)
    isClean &&= isPartClean
    parts.push(isPartClean ? body.subarray(from, end.start) : Buffer.from(scrub(text, secrets)))
    parts.push(body.subarray(end.start, end.end))
    from = end.end
  }
  if (isClean) return answer
  return scan(Buffer.concat(parts))
}

const resultsOf = ({ items }: ScannedReply) =>
  items.flatMap(({ outcome, result }) => (outcome === 'result' && result ? [result] : []))
