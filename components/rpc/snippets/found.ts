import type { RpcCallDraft } from '@/components/rpc/client'
import { isMethodName, isParams } from '@/components/rpc/link'
import { isRecord } from '@/lib/browser/api'
import { MAX_RPC_CALLS } from '@/lib/contract/limits'
import { NETWORKS, networkOf, type RpcNetwork } from '@/lib/contract/rpc'
import { offerOf } from '@/lib/contract/rpc-methods'

const MAX_SCANNED_CHARS = 200_000
const MAX_FOUND = 8
const MAX_SNIPPET_CHARS = 64_000
/** A word this far before a hash says what it is of. */
const WORD_WITHIN_CHARS = 60
const DEFAULT_SLUG = 'base-mainnet'
const DEFAULT_STARKNET_SLUG = 'starknet-mainnet'

const ADDRESS_OR_HASH = /(?<![\da-z])0x(?:[\da-f]{64}|[\da-f]{40})(?![\da-z])/gi
const URL_NETWORK = /\/crypto\/rpc\/([a-z-]{3,40})/
const CURL_BODY = /(?:-d|--data(?:-raw|-binary)?)[ =]*'([^']*)'/

export type Found = { kind: 'address' | 'transaction' | 'block'; value: string; network: RpcNetwork } & RpcCallDraft

/**
 * Finds the addresses and hashes of a text, each once, in order. The text is a model's: it decides only what is
 * offered.
 */
export function foundIn(text: string): Found[] {
  const scanned = text.slice(0, MAX_SCANNED_CHARS)
  const mentions = mentionsIn(scanned)
  const found = new Map<string, Found>()
  for (const { 0: value, index } of scanned.matchAll(ADDRESS_OR_HASH)) {
    const key = value.toLowerCase()
    if (found.has(key)) continue
    found.set(key, foundAt(value, index, scanned, nearestMention(mentions, index) ?? networkOf(DEFAULT_SLUG)!))
    if (found.size === MAX_FOUND) break
  }
  return [...found.values()]
}

function foundAt(value: string, index: number, text: string, network: RpcNetwork): Found {
  if (network.family === 'starknet') {
    const method = 'starknet_getTransactionByHash'
    return { kind: 'transaction', value, network, method, params: { transaction_hash: value } }
  }
  if (value.length === 42)
    return { kind: 'address', value, network, method: 'eth_getBalance', params: [value, 'latest'] }
  const before = text.slice(Math.max(0, index - WORD_WITHIN_CHARS), index)
  const word = [...before.matchAll(/block|transaction|\btxn?\b/gi)].at(-1)?.[0].toLowerCase()
  return word === 'block'
    ? { kind: 'block', value, network, method: 'eth_getBlockByHash', params: [value, false] }
    : { kind: 'transaction', value, network, method: 'eth_getTransactionByHash', params: [value] }
}

export type FoundCalls = { network: RpcNetwork; calls: RpcCallDraft[]; isBatch: boolean }

/**
 * Reads the JSON-RPC calls of a piece of code: JSON itself, or the body of a curl command.
 *
 * @param around may name the network where the code does not.
 */
export function callsInCode(code: string, around: string): FoundCalls | undefined {
  if (code.length > MAX_SNIPPET_CHARS) return undefined
  const value = parsed(code) ?? parsed(CURL_BODY.exec(code)?.[1] ?? '')
  const items = Array.isArray(value) ? value : [value]
  const calls = items.map(callOf)
  const [first] = calls
  if (!first || calls.length > MAX_RPC_CALLS || !calls.every((call) => call !== undefined)) return undefined
  return { network: networkFor(first.method, code, around), calls, isBatch: Array.isArray(value) }
}

function callOf(value: unknown): RpcCallDraft | undefined {
  if (!isRecord(value) || typeof value.method !== 'string' || !isMethodName(value.method)) return undefined
  const { method } = value
  const params = value.params ?? []
  if (!isParams(params)) return undefined
  // Other things have a `method` too; a call says what it is, or has a name that a chain knows.
  return value.jsonrpc === '2.0' || isKnown(method) ? { method, params } : undefined
}

function isKnown(method: string): boolean {
  const offer = offerOf('evm', method)
  return offer.isOffered || offer.refusal !== 'unmapped'
}

function networkFor(method: string, code: string, around: string): RpcNetwork {
  const isStarknet = method.startsWith('starknet_')
  const isRight = (network: RpcNetwork | undefined) => network && (network.family === 'starknet') === isStarknet
  const named = networkOf(URL_NETWORK.exec(code)?.[1] ?? '')
  if (named && isRight(named)) return named
  const mentioned = mentionsIn(around.slice(0, MAX_SCANNED_CHARS)).find(({ network }) => isRight(network))
  return mentioned?.network ?? networkOf(isStarknet ? DEFAULT_STARKNET_SLUG : DEFAULT_SLUG)!
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Mention = { index: number; network: RpcNetwork }

const MAX_MENTIONS = 200

/** As people write them: `base` alone is an ordinary word. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  Sepolia: 'ethereum-sepolia',
  Holesky: 'ethereum-holesky',
  Amoy: 'polygon-amoy',
  Fuji: 'avalanche-fuji',
  BSC: 'bsc-mainnet',
  ...Object.fromEntries(
    NETWORKS.filter(({ isTestnet, group }) => !isTestnet && group !== 'Base').map(({ group, slug }) => [group, slug]),
  ),
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(SHORT_NAMES),
  ...NETWORKS.flatMap(({ slug, group, name }): [string, string][] => [
    [slug, slug],
    [`${group} ${name}`, slug],
  ]),
])

/** Longest first, so that `Base Sepolia` is not read as `Sepolia`. */
const PATTERN = [...NAMES.keys()].toSorted((one, other) => other.length - one.length).join('|')

function mentionsIn(text: string): Mention[] {
  const mentions: Mention[] = []
  for (const { 0: name, index } of text.matchAll(new RegExp(`(?<![\\w-])(?:${PATTERN})(?![\\w-])`, 'g'))) {
    const network = networkOf(NAMES.get(name) ?? '')
    if (network) mentions.push({ index, network })
    if (mentions.length === MAX_MENTIONS) break
  }
  return mentions
}

function nearestMention(mentions: readonly Mention[], index: number): RpcNetwork | undefined {
  return (mentions.findLast((mention) => mention.index < index) ?? mentions[0])?.network
}
