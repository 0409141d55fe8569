import type { RpcCallDraft } from '@/components/rpc/client'
import { isRecord } from '@/lib/browser/api'
import { BROADCASTS } from '@/lib/contract/rpc-methods'
import { NETWORKS, networkOf, type RpcNetwork, type RpcSlug } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

export const RPC_PATH = '/rpc'
const MATRIX_PATH = '/rpc/matrix'

// Longer links are cut by mail programs, chats and proxies. Path and query together.
export const MAX_LINK_CHARS = 4_000
const MAX_PARAMS_DEPTH = 24

const METHOD = /^[A-Za-z][A-Za-z0-9_]{0,99}$/

// Parameters with a signature never get into a link or a file: whoever has one can send it.
const SIGNED: ReadonlySet<string> = new Set([...BROADCASTS, 'trace_rawTransaction'])

export const isMethodName = (text: string): boolean => METHOD.test(text)

export const isSigned = (method: string): boolean => SIGNED.has(method)

type RpcLink = { network: RpcNetwork; method: string; params?: unknown }

export type LinkLoss = 'signed' | 'too-long'

/** Makes the address of a call, and names what had to stay out. Neither the account nor any key is ever part of it. */
export function linkOf({ network, method, params }: RpcLink): { href: string; loss?: LinkLoss } {
  const path = `${RPC_PATH}/${network.slug}/${encodeURIComponent(method)}`
  if (params === undefined) return { href: path }
  if (isSigned(method)) return { href: path, loss: 'signed' }
  const href = `${path}?p=${queryValue(JSON.stringify(params))}`
  return href.length > MAX_LINK_CHARS ? { href: path, loss: 'too-long' } : { href }
}

// Invalid parts of an address are left out and named: it may come from anybody.
type ReadLink = { network?: RpcNetwork; method?: string; params?: unknown; problem?: string }

export function readLink(pathname: string, search: string): ReadLink {
  const [slug, method] = segmentsOf(pathname)
  if (slug === undefined) return {}
  const network = networkOf(slug)
  if (!network) return { problem: t('Unknown network “{name}”. Pick one from the list.', { name: shortened(slug) }) }
  if (method === undefined) return { network }
  if (!isMethodName(method))
    return { network, problem: t('The link contains an invalid method name, which was ignored.') }
  const text = new URLSearchParams(search).get('p')
  if (text === null) return { network, method }
  if (isSigned(method)) {
    return { network, method, problem: t('The link contained a signed transaction, which was removed.') }
  }
  const params = text.length > MAX_LINK_CHARS ? undefined : paramsOf(text)
  return params === undefined
    ? { network, method, problem: t('The parameters in the link can’t be read and were ignored.') }
    : { network, method, params }
}

export const isPlaygroundPath = (pathname: string): boolean =>
  (pathname === RPC_PATH || pathname.startsWith(`${RPC_PATH}/`)) && pathname !== MATRIX_PATH

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function paramsOf(text: string): unknown {
  const params = parseJson(text)
  return isParams(params) ? params : undefined
}

const MAX_LINE_CHARS = 60

/** Whole strings of JSON: a comma inside one is none between two. */
const STRING_AND_COMMA = /"(?:[^"\\]|\\.)*"(,(?="))?/g

/** Prints parameters for a text field, in one line where they are short. */
export function printParams(params: unknown): string {
  const line = JSON.stringify(params)
  if (line.length > MAX_LINE_CHARS) return JSON.stringify(params, null, 2)
  return line.replace(STRING_AND_COMMA, (text, comma) => (comma ? `${text} ` : text))
}

/** Reads a call that anybody may have written; undefined without a valid method or with invalid parameters. */
export function readCall(value: unknown): RpcCallDraft | undefined {
  if (!isRecord(value) || typeof value.method !== 'string' || !isMethodName(value.method)) return undefined
  const params = value.params ?? []
  return isParams(params) ? { method: value.method, params } : undefined
}

export const isParams = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && depthOf(value) <= MAX_PARAMS_DEPTH

// Measures nesting without recursion: the value may be hostile.
function depthOf(value: object): number {
  let level: object[] = [value]
  let depth = 0
  while (level.length > 0 && depth <= MAX_PARAMS_DEPTH) {
    level = level.flatMap((item) =>
      Object.values(item).filter((child): child is object => typeof child === 'object' && child !== null),
    )
    depth += 1
  }
  return depth
}

function segmentsOf(pathname: string): string[] {
  return pathname
    .slice(RPC_PATH.length)
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => {
      try {
        return decodeURIComponent(segment)
      } catch {
        return segment
      }
    })
}

const queryValue = (json: string): string => encodeURIComponent(json).replaceAll('%2C', ',').replaceAll('%3A', ':')

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text)

export type NetworkPick = 'all' | 'mainnets' | 'testnets' | readonly RpcSlug[]

type MatrixLink = { method?: string; params?: unknown; pick?: NetworkPick }

// Signed or very long parameters stay out.
export function matrixHref({ method, params, pick }: Required<MatrixLink>): string {
  const query = [`m=${encodeURIComponent(method)}`]
  if (params !== undefined && !isSigned(method)) query.push(`p=${encodeURIComponent(JSON.stringify(params))}`)
  if (pick !== 'all') query.push(`n=${encodeURIComponent(typeof pick === 'string' ? pick : pick.join())}`)
  const href = `${MATRIX_PATH}?${query.join('&')}`
  return href.length <= MAX_LINK_CHARS ? href : `${MATRIX_PATH}?${query[0]}`
}

export function readMatrixLink(search: string): MatrixLink {
  if (search.length > MAX_LINK_CHARS) return {}
  const query = new URLSearchParams(search)
  const method = query.get('m') ?? undefined
  if (method === undefined || !isMethodName(method)) return {}
  const params = isSigned(method) ? undefined : paramsOf(query.get('p') ?? '')
  const pick = pickOf(query.get('n'))
  return { method, ...(params !== undefined && { params }), ...(pick && { pick }) }
}

function pickOf(text: string | null): NetworkPick | undefined {
  if (text === null) return undefined
  if (text === 'mainnets' || text === 'testnets') return text
  const slugs = text.split(',')
  return NETWORKS.filter(({ slug }) => slugs.includes(slug)).map(({ slug }) => slug)
}
