import { isMethodName, isParams, isSigned, MATRIX_PATH, MAX_LINK_CHARS, paramsOf } from '@/components/rpc/link'
import { SHOWN_NETWORKS } from '@/components/rpc/overview'
import { isRecord, postJson } from '@/lib/browser/api'
import type { MatrixLine, RpcSlug } from '@/lib/contract/rpc'
import { NETWORKS, type RpcFamily, type RpcNetwork } from '@/lib/contract/rpc'
import { BROADCASTS, offerOf } from '@/lib/contract/rpc-methods'
import { t } from '@/lib/i18n/t'

/** Larger than the largest answer the service passes on, as text in a line of JSON. */
const MAX_LINE_CHARS = 64 * 1024 * 1024
const MAX_MESSAGE_CHARS = 500

export type MatrixCall = { networks: readonly RpcNetwork[]; method: string; params: unknown }

/**
 * Sends one call to many networks and yields each answer as it comes: at most one a network, and none that was not
 * asked for.
 *
 * @throws ApiError when the whole is refused; TypeError or DOMException when the connection is lost or `signal` aborts.
 */
export async function askMatrix(
  { networks, method, params }: MatrixCall,
  onLine: (line: MatrixLine) => void,
  signal: AbortSignal,
): Promise<void> {
  const slugs = networks.map(({ slug }) => slug)
  const response = await postJson('/api/rpc/matrix', { networks: slugs, method, params }, signal)
  const open = new Set<RpcSlug>(slugs)
  for await (const text of linesOf(response)) {
    const line = lineOf(text)
    if (line && open.delete(line.network)) onLine(line)
  }
}

export const familyOf = (method: string): RpcFamily => (method.startsWith('starknet_') ? 'starknet' : 'evm')

export const networksFor = (method: string): RpcNetwork[] =>
  SHOWN_NETWORKS.filter(({ family }) => family === familyOf(method))

export function matrixProblem({ networks, method, params }: MatrixCall): string | undefined {
  if (!isMethodName(method)) return t('Enter a method, such as eth_blockNumber.')
  const offer = offerOf(familyOf(method), method)
  if (!offer.isOffered) return `${method}: ${offer.hint}.`
  if (BROADCASTS.has(method)) return t('{method} changes the chain state. Run it on one network only.', { method })
  if (!isParams(params)) return t('Parameters must be a JSON array or object.')
  return networks.length === 0 ? t('Choose a network.') : undefined
}

export type NetworkPick = 'all' | 'mainnets' | 'testnets' | readonly RpcSlug[]

export function pickedNetworks(pick: NetworkPick, method: string): RpcNetwork[] {
  const networks = networksFor(method)
  if (pick === 'all') return networks
  if (pick === 'mainnets') return networks.filter(({ isTestnet }) => !isTestnet)
  if (pick === 'testnets') return networks.filter(({ isTestnet }) => isTestnet)
  return networks.filter(({ slug }) => pick.includes(slug))
}

export type MatrixLink = { method?: string; params?: unknown; pick?: NetworkPick }

/** Makes the address of a matrix. Signed or very long parameters stay out. */
export function matrixHref({ method, params, pick }: Required<MatrixLink>): string {
  const query = [`m=${encodeURIComponent(method)}`]
  if (params !== undefined && !isSigned(method)) query.push(`p=${encodeURIComponent(JSON.stringify(params))}`)
  if (pick !== 'all') query.push(`n=${encodeURIComponent(typeof pick === 'string' ? pick : pick.join())}`)
  const href = `${MATRIX_PATH}?${query.join('&')}`
  return href.length <= MAX_LINK_CHARS ? href : `${MATRIX_PATH}?${query[0]}`
}

/** Reads an address without its invalid parts: it may come from anybody. */
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

/** @throws RangeError when a line has no end. */
async function* linesOf({ body }: Response): AsyncGenerator<string> {
  if (!body) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  const parts: string[] = []
  let length = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const [first = '', ...rest] = value.split('\n')
      parts.push(first)
      length += first.length
      if (length > MAX_LINE_CHARS) throw new RangeError('a line without end')
      for (const next of rest) {
        yield parts.join('')
        parts.splice(0, parts.length, next)
        length = next.length
      }
    }
    if (length > 0) yield parts.join('')
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function lineOf(text: string): MatrixLine | undefined {
  const value = parsed(text)
  if (!isRecord(value)) return undefined
  const { network, status, ms, credits, costUsd, outcome, height, error } = value
  const known = NETWORKS.find(({ slug }) => slug === network)
  if (!known || (outcome !== 'result' && outcome !== 'error' && outcome !== 'failed')) return undefined
  return {
    network: known.slug,
    status: numberOf(status),
    ms: numberOf(ms),
    credits: numberOf(credits),
    costUsd: numberOf(costUsd),
    outcome,
    height: typeof height === 'number' && Number.isSafeInteger(height) ? height : null,
    ...('reply' in value && { reply: value.reply }),
    ...(isRecord(error) && { error: { code: messageText(error.code), message: messageText(error.message) } }),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)

const messageText = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MAX_MESSAGE_CHARS) : '')
