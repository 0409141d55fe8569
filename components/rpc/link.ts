import { BROADCASTS } from '@/lib/contract/rpc-methods'
import { networkOf, type RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

export const RPC_PATH = '/rpc'
export const MATRIX_PATH = '/rpc/matrix'

/** Longer links are cut by mail programs, chats and proxies. Path and query together. */
export const MAX_LINK_CHARS = 4_000
/** Parameters from a link or a file that nest deeper than this are no call anybody makes. */
const MAX_PARAMS_DEPTH = 24

const METHOD = /^[A-Za-z][A-Za-z0-9_]{0,99}$/

/** What holds a signature or is signed as a whole: whoever has it can send it, so it never gets into a link or a file. */
const SIGNED: ReadonlySet<string> = new Set([...BROADCASTS, 'trace_rawTransaction'])

export const isMethodName = (text: string): boolean => METHOD.test(text)

/** Whether the parameters of a method are a signed transaction. */
export const isSigned = (method: string): boolean => SIGNED.has(method)

/** One call as an address says it. `params` is left out for those a method starts with. */
export type RpcLink = { network: RpcNetwork; method: string; params?: unknown }

/** Why a link says less than the screen shows. */
export type LinkLoss = 'signed' | 'too-long'

/** The address of a call, and what of it had to stay out. Neither who asks nor any key is ever part of it. */
export function linkOf({ network, method, params }: RpcLink): { href: string; loss?: LinkLoss } {
  const path = `${RPC_PATH}/${network.slug}/${encodeURIComponent(method)}`
  if (params === undefined) return { href: path }
  if (isSigned(method)) return { href: path, loss: 'signed' }
  const href = `${path}?p=${queryValue(JSON.stringify(params))}`
  return href.length > MAX_LINK_CHARS ? { href: path, loss: 'too-long' } : { href }
}

/** What an address asks for. Whatever it says wrong is left out and named: the address may come from anybody. */
export type ReadLink = { network?: RpcNetwork; method?: string; params?: unknown; problem?: string }

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

/** Whether a path shows the screen of single calls. */
export function isPlaygroundPath(pathname: string): boolean {
  return (pathname === RPC_PATH || pathname.startsWith(`${RPC_PATH}/`)) && pathname !== MATRIX_PATH
}

/** Parameters as JSON-RPC takes them, a list or an object; nothing for any other text. */
export function paramsOf(text: string): unknown {
  try {
    const params: unknown = JSON.parse(text)
    return isParams(params) ? params : undefined
  } catch {
    return undefined
  }
}

export function isParams(value: unknown): value is object {
  return typeof value === 'object' && value !== null && depthOf(value) <= MAX_PARAMS_DEPTH
}

/** How deep lists and objects nest, counted no further than is of interest. Without recursion: the value may be hostile. */
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

/** Commas and colons may stand in a query as they are, and keep it readable. */
const queryValue = (json: string): string => encodeURIComponent(json).replaceAll('%2C', ',').replaceAll('%3A', ':')

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text)
