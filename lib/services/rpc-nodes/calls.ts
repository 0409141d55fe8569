import 'server-only'
import { ApiError, type Issue } from '@/lib/contract/errors'
import { MAX_RPC_BATCH_CALLS } from '@/lib/contract/limits'
import { BROADCASTS, METHOD_GROUPS, offerOf } from '@/lib/contract/rpc-methods'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { jsonText, parseText } from '@/lib/kernel/json-body'

/**
 * One call as a node will see it. `params` and `id` are JSON text as the caller wrote it, so that numbers of any size
 * arrive as they were sent.
 */
export type RpcCall = { method: string; params?: string; id?: string }

export type RpcRequest = { calls: RpcCall[]; isBatch: boolean }

const MAX_ID_CHARACTERS = 256
const MAX_NAME_CHARACTERS = 64

const SMALL_BODY_CHARACTERS = 256

const INTEGER = /^-?\d+$/
const PLAIN_NAME = /^\w+$/
const UNPRINTED = /[^ -~…]/g

type Name = 'jsonrpc' | 'method' | 'params' | 'id'
type Path = (string | number)[]

/**
 * Reads one call or a batch of calls.
 *
 * @throws ApiError INVALID_REQUEST; UNSUPPORTED_RPC_METHOD, which names every such method of the request and the way
 * around.
 */
export function readCalls(bytes: Buffer, network: RpcNetwork): RpcRequest {
  const text = jsonText(bytes)
  parseText(text)
  const start = skipBlank(text, 0)
  const isBatch = text[start] === '['
  const items = isBatch ? itemsOf(text, start) : [start]
  const issues: Issue[] = []
  const calls = items.map((at, index) => readItem(text, at, isBatch ? [index] : [], issues))
  if (issues.length > 0) throw new ApiError('INVALID_REQUEST', 'Invalid request parameters', { issues })
  const request = { calls: calls as RpcCall[], isBatch }
  assertOffered(request, network)
  return request
}

/**
 * Lists the id each call is sent with. A call without one in a batch asks for no reply; where nothing else is asked a
 * node would send an empty body, so such calls are sent with null and answered.
 */
export function sentIds({ calls, isBatch }: RpcRequest): (string | undefined)[] {
  const needsReply = !isBatch || calls.every(({ id }) => id === undefined)
  return calls.map(({ id = needsReply ? 'null' : undefined }) => id)
}

/**
 * Normalizes an id: nodes write strings with other escapes than the caller, and numbers as their language has them. 1
 * and "1" are two ids.
 */
export function meaningOfId(id: string): string {
  if (!id.startsWith('"')) return id === 'null' ? id : String(Number(id))
  const text = id.includes('\\') ? (JSON.parse(id) as string).toWellFormed() : id.slice(1, -1)
  return `"${text}`
}

export function printCalls(request: RpcRequest, ids = sentIds(request)): Buffer<ArrayBuffer> {
  const { calls, isBatch } = request
  const items = calls.map(({ method, params }, index) => {
    const id = ids[index]
    const idPart = id === undefined ? '' : `"id":${id},`
    const paramsPart = params === undefined ? '' : `,"params":${params}`
    return `{"jsonrpc":"2.0",${idPart}"method":${JSON.stringify(method)}${paramsPart}}`
  })
  return Buffer.from(isBatch ? `[${items.join(',')}]` : items[0]!)
}

function itemsOf(text: string, start: number): number[] {
  const items: number[] = []
  eachElement(text, start, (at) => items.push(at) <= MAX_RPC_BATCH_CALLS)
  if (items.length === 0) throw invalid([], 'too_small', 'The batch is empty; send at least one call.')
  if (items.length > MAX_RPC_BATCH_CALLS)
    throw invalid([], 'too_big', `A batch holds at most ${MAX_RPC_BATCH_CALLS} calls; send several.`)
  return items
}

function readItem(text: string, start: number, path: Path, issues: Issue[]): RpcCall | undefined {
  if (text[start] !== '{') {
    issues.push(issue(path, 'invalid_type', 'Expected an object with a method, as in {"method":"eth_blockNumber"}'))
    return undefined
  }
  const members: Partial<Record<Name, string>> = {}
  let repeated: Set<Name> | undefined
  eachMember(text, start, (name, value) => {
    if (!isName(name)) return
    // Parsers differ in which of two they believe: the node must not run what was not priced.
    if (members[name] !== undefined) repeated = (repeated ?? new Set()).add(name)
    members[name] = value
  })
  // Each is told once, however often it came.
  for (const name of repeated ?? []) issues.push(issue([...path, name], 'custom', `"${name}" is given twice`))
  const { jsonrpc, method, params, id } = members
  if (jsonrpc !== undefined && !isText(jsonrpc, '2.0')) {
    issues.push(issue([...path, 'jsonrpc'], 'invalid_value', 'Expected "2.0"'))
  }
  if (!method?.startsWith('"')) issues.push(issue([...path, 'method'], 'invalid_type', 'Expected a method name'))
  if (params !== undefined && !/^[[{n]/.test(params)) {
    issues.push(issue([...path, 'params'], 'invalid_type', 'Expected an array or an object'))
  }
  const idFault = id === undefined ? undefined : faultOfId(id)
  if (idFault) issues.push(issue([...path, 'id'], 'invalid_type', idFault))
  if (issues.length > 0) return undefined
  const call: RpcCall = { method: apart(stringOf(method!), text) }
  if (params !== undefined && params !== 'null') call.params = apart(params, text)
  if (id !== undefined) call.id = apart(id, text)
  return call
}

/** Copies a slice out of a large text, which would stay in memory as long as the slice. */
function apart(slice: string, text: string): string {
  return text.length > 2 * slice.length + SMALL_BODY_CHARACTERS ? Buffer.from(slice).toString() : slice
}

function isName(name: string): name is Name {
  return name === 'method' || name === 'params' || name === 'id' || name === 'jsonrpc'
}

const isText = (json: string, text: string): boolean => json.startsWith('"') && stringOf(json) === text

function faultOfId(json: string): string | undefined {
  const isString = json.startsWith('"')
  if (!isString && json !== 'null' && !INTEGER.test(json)) return 'Expected an integer, a string or null'
  const { length } = isString ? stringOf(json) : json
  return length > MAX_ID_CHARACTERS ? `Longer than ${MAX_ID_CHARACTERS} characters` : undefined
}

function assertOffered({ calls, isBatch }: RpcRequest, { family, slug }: RpcNetwork): void {
  if (calls.every(({ method }) => offerOf(family, method).isOffered)) return
  const namesByHint = new Map<string, Set<string>>()
  const issues: Issue[] = []
  for (const [index, { method }] of calls.entries()) {
    const offer = offerOf(family, method)
    if (offer.isOffered) continue
    const names = namesByHint.get(offer.hint) ?? new Set()
    namesByHint.set(offer.hint, names.add(printable(method)))
    issues.push(issue(isBatch ? [index, 'method'] : ['method'], 'invalid_value', offer.hint))
  }
  const parts = [...namesByHint].map(([hint, names]) => `${[...names].join(', ')} (${hint})`)
  throw new ApiError('UNSUPPORTED_RPC_METHOD', `Not supported on ${slug}: ${parts.join('; ')}.`, { issues })
}

function printable(method: string): string {
  const name = method.length > MAX_NAME_CHARACTERS ? `${method.slice(0, MAX_NAME_CHARACTERS)}…` : method
  return PLAIN_NAME.test(name) ? name : JSON.stringify(name).replace(UNPRINTED, '?')
}

const issue = (path: Path, code: string, message: string): Issue => ({ code, path, message })

const invalid = (path: Path, code: string, message: string): ApiError =>
  new ApiError('INVALID_REQUEST', message, { issues: [issue(path, code, message)] })

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * The walkers below expect text whose grammar was checked before. On other text they end too, with places that mean
 * nothing.
 */

export function skipBlank(text: string, at: number): number {
  while (isBlank(text.charCodeAt(at))) at++
  return at
}

export function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === QUOTE) return endOfString(text, start)
  if (first === OPEN_ARRAY || first === OPEN_OBJECT) return endOfNested(text, start)
  let end = start
  while (end < text.length && !endsScalar(text.charCodeAt(end))) end++
  return end
}

export function eachElement(text: string, start: number, visit: (start: number, end: number) => boolean): void {
  let at = skipBlank(text, start + 1)
  while (at < text.length && text.charCodeAt(at) !== CLOSE_ARRAY) {
    const end = endOfValue(text, at)
    if (end === at || !visit(at, end)) return
    at = skipBlank(text, end)
    if (text.charCodeAt(at) === COMMA) at = skipBlank(text, at + 1)
  }
}

export function eachMember(text: string, start: number, visit: (name: string, value: string) => void): void {
  let at = skipBlank(text, start + 1)
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = endOfString(text, at)
    const valueStart = skipBlank(text, skipBlank(text, nameEnd) + 1)
    const end = endOfValue(text, valueStart)
    visit(stringOf(text.slice(at, nameEnd)), text.slice(valueStart, end))
    at = skipBlank(text, end)
    if (text.charCodeAt(at) === COMMA) at = skipBlank(text, at + 1)
  }
}

const stringOf = (json: string): string => (json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1))

function endOfNested(text: string, start: number): number {
  let depth = 0
  let at = start
  while (at < text.length) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        continue
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        depth++
        break
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        if (--depth === 0) return at + 1
        break
    }
    at++
  }
  return text.length
}

function endOfString(text: string, start: number): number {
  let quote = start
  while (true) {
    quote = text.indexOf('"', quote + 1)
    if (quote < 0) return text.length
    let slashes = 0
    while (text.charCodeAt(quote - slashes - 1) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return quote + 1
  }
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

const endsScalar = (code: number): boolean =>
  code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT || isBlank(code)

/** Methods whose slow answers say nothing about the node. */
const HEAVY: ReadonlySet<string> = new Set([
  ...BROADCASTS,
  ...METHOD_GROUPS.flatMap(({ tier, methods }) => (tier > 1 ? methods : [])),
  'eth_getLogs',
  'eth_getBlockReceipts',
  'eth_simulateV1',
  'eth_createAccessList',
  'eth_getProof',
  'linea_getProof',
  'zks_getProof',
  'starknet_getEvents',
  'starknet_getStorageProof',
  'starknet_getBlockWithReceipts',
  'starknet_getStateUpdate',
  'starknet_simulateTransactions',
  'starknet_traceTransaction',
  'starknet_traceBlockTransactions',
])

export function questionOf(request: RpcRequest): Question {
  const { calls, isBatch } = request
  const ids = sentIds(request)
  return { body: printCalls(request, ids), isBatch, ids, isHeavy: isBatch || HEAVY.has(calls[0]!.method) }
}

export type Question = {
  body: Buffer
  isBatch: boolean
  ids: readonly (string | undefined)[]
  isHeavy: boolean
}
