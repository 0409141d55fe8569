import { isMethodName } from '@/components/rpc/link'
import type { Use } from '@/components/rpc/response/decode/decoded'
import {
  BROADCASTS,
  CASE_HINT,
  METHOD_GROUPS,
  type MethodGroup,
  type Offer,
  offerOf,
  REFUSED_METHODS,
  type Refusal,
  type Tier,
} from '@/lib/contract/rpc-methods'
import type { RpcFamily, RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

export type MethodEntry = {
  method: string
  group: string
  isBroadcast: boolean
  // It belongs to other networks: it may be sent, and the node will most likely not know it.
  isForeign: boolean
} & ({ tier: Tier } | { refusal: Refusal; hint: string })

const EXTENSIONS: readonly { prefix: string; network: string; group: string }[] = [
  { prefix: 'zks_', network: 'zkSync', group: 'zkSync' },
  { prefix: 'linea_', network: 'Linea', group: 'Linea' },
  { prefix: 'bor_', network: 'Polygon', group: 'Polygon' },
  { prefix: 'arbtrace_', network: 'Arbitrum', group: 'Arbitrum traces' },
]

const REFUSED_GROUPS = { websocket: 'Subscriptions', filter: 'Filters', key: 'Keys and mining' } as const

const known = new Map<string, readonly MethodEntry[]>()

export function listMethods(network: RpcNetwork): readonly MethodEntry[] {
  const key = `${network.family} ${network.group}`
  const made = known.get(key) ?? entriesOf(network)
  known.set(key, made)
  return made
}

// Its own methods first, then its family's, those of other networks, and refused ones with the way around.
function entriesOf(network: RpcNetwork): MethodEntry[] {
  const offered = METHOD_GROUPS.filter(({ family }) => family === network.family).flatMap((group) =>
    group.methods.map((method) => offeredEntry(network, group, method)),
  )
  const own = offered.filter(({ method, isForeign }) => extensionOf(method) && !isForeign)
  const common = offered.filter(({ method }) => !extensionOf(method))
  const foreign = offered.filter(({ isForeign }) => isForeign)
  return [...own, ...common, ...foreign, ...refusedEntries(network)]
}

function offeredEntry(network: RpcNetwork, group: MethodGroup, method: string): MethodEntry {
  const extension = extensionOf(method)
  return {
    method,
    group: extension?.group ?? group.name,
    isBroadcast: BROADCASTS.has(method),
    isForeign: extension !== undefined && extension.network !== network.group,
    tier: group.tier,
  }
}

function refusedEntries(network: RpcNetwork): MethodEntry[] {
  if (network.family !== 'evm') return []
  return Object.entries(REFUSED_METHODS).flatMap(([refusal, methods]) =>
    methods.flatMap((method): MethodEntry[] => {
      const offer = offerOf(network.family, method)
      if (offer.isOffered) return []
      const group = REFUSED_GROUPS[refusal as keyof typeof REFUSED_GROUPS]
      return [{ method, group, isBroadcast: false, isForeign: false, refusal: offer.refusal, hint: offer.hint }]
    }),
  )
}

const extensionOf = (method: string) => EXTENSIONS.find(({ prefix }) => method.startsWith(prefix))

export type MethodSection = { group: string; entries: readonly MethodEntry[] }

/** Finds methods by their names, then by their descriptions, and the typed name itself where it could be a method. */
export function searchMethods(
  entries: readonly MethodEntry[],
  search: string,
  describe: (method: string) => string = () => '',
): MethodSection[] {
  const terms = search
    .toLowerCase()
    .split(/[\s_.]+/)
    .filter(Boolean)
  const hasAll = (text: string) => terms.every((word) => text.includes(word))
  const [named, others] = [true, false].map((isNamed) =>
    entries.filter(({ method }) => hasAll(method.toLowerCase()) === isNamed),
  ) as [MethodEntry[], MethodEntry[]]
  const described = others.filter(({ method }) => hasAll(`${method} ${describe(method)}`.toLowerCase()))
  const typed = search.trim()
  const isNew = isMethodName(typed) && typed.includes('_') && !named.some(({ method }) => method === typed)
  const sections = [...Map.groupBy(named, ({ group }) => group)].map(([group, some]) => ({ group, entries: some }))
  if (described.length > 0) sections.push({ group: t('In descriptions'), entries: described })
  return isNew ? [...sections, { group: t('Custom method'), entries: [asTyped(typed)] }] : sections
}

function asTyped(method: string): MethodEntry {
  const hint = t('unknown method; only known methods are forwarded')
  return { method, group: t('Custom method'), isBroadcast: false, isForeign: false, refusal: 'unmapped', hint }
}

// Offered methods that do what a refused one is mostly wanted for.
const ALTERNATIVES: Readonly<Record<string, string>> = {
  eth_subscribe: 'eth_getBlockByNumber',
  eth_unsubscribe: 'eth_getBlockByNumber',
  eth_newFilter: 'eth_getLogs',
  eth_getFilterChanges: 'eth_getLogs',
  eth_getFilterLogs: 'eth_getLogs',
  eth_uninstallFilter: 'eth_getLogs',
  eth_newBlockFilter: 'eth_getBlockByNumber',
  eth_newPendingTransactionFilter: 'txpool_content',
  eth_sign: 'eth_sendRawTransaction',
  eth_sendTransaction: 'eth_sendRawTransaction',
  eth_signTransaction: 'eth_sendRawTransaction',
  eth_accounts: 'eth_getBalance',
  eth_mining: 'eth_syncing',
  eth_hashrate: 'eth_getBlockByNumber',
  eth_getWork: 'eth_getBlockByNumber',
  eth_submitWork: 'eth_getBlockByNumber',
}

// Counterparts in the other family of chains.
const COUNTERPARTS: readonly [evm: string, starknet: string][] = [
  ['eth_blockNumber', 'starknet_blockNumber'],
  ['eth_chainId', 'starknet_chainId'],
  ['eth_call', 'starknet_call'],
  ['eth_getBlockByNumber', 'starknet_getBlockWithTxHashes'],
  ['eth_getBlockByHash', 'starknet_getBlockWithTxs'],
  ['eth_getBlockReceipts', 'starknet_getBlockWithReceipts'],
  ['eth_getBlockTransactionCountByNumber', 'starknet_getBlockTransactionCount'],
  ['eth_getTransactionByHash', 'starknet_getTransactionByHash'],
  ['eth_getTransactionReceipt', 'starknet_getTransactionReceipt'],
  ['eth_getTransactionByBlockNumberAndIndex', 'starknet_getTransactionByBlockIdAndIndex'],
  ['eth_getTransactionCount', 'starknet_getNonce'],
  ['eth_getStorageAt', 'starknet_getStorageAt'],
  ['eth_getProof', 'starknet_getStorageProof'],
  ['eth_getCode', 'starknet_getClassAt'],
  ['eth_getLogs', 'starknet_getEvents'],
  ['eth_estimateGas', 'starknet_estimateFee'],
  ['eth_simulateV1', 'starknet_simulateTransactions'],
  ['eth_sendRawTransaction', 'starknet_addInvokeTransaction'],
  ['eth_syncing', 'starknet_syncing'],
  ['web3_clientVersion', 'starknet_specVersion'],
  ['debug_traceTransaction', 'starknet_traceTransaction'],
  ['debug_traceBlockByNumber', 'starknet_traceBlockTransactions'],
]

const FIRST: Readonly<Record<RpcFamily, string>> = { evm: 'eth_blockNumber', starknet: 'starknet_blockNumber' }

export const firstMethod = (family: RpcFamily): string => FIRST[family]

export function counterpartOf(method: string, family: RpcFamily): string | undefined {
  const pair = COUNTERPARTS.find((names) => names.includes(method))
  return pair?.[family === 'evm' ? 0 : 1]
}

export function alternativeOf(method: string, family: RpcFamily): string | undefined {
  const offer = offerOf(family, method)
  if (offer.isOffered) return undefined
  if (offer.refusal === 'family') return counterpartOf(method, family)
  const alternative = ALTERNATIVES[method]
  if (alternative === undefined) return undefined
  return family === 'evm' ? alternative : counterpartOf(alternative, family)
}

export const hintText = ({ hint, meant }: Offer & { isOffered: false }): string =>
  meant === undefined ? t(hint) : t(CASE_HINT, { method: meant })

const FALLBACKS: Record<RpcFamily, Partial<Record<Use['kind'], string>>> = {
  evm: { address: 'eth_getBalance', hash: 'eth_getTransactionReceipt', block: 'eth_getBlockByNumber' },
  starknet: { address: 'starknet_getNonce', hash: 'starknet_getTransactionReceipt' },
}

export const fallbackFor = (family: RpcFamily, kind: Use['kind']): string | undefined => FALLBACKS[family][kind]
