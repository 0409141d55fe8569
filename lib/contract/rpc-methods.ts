import { msg } from '@/lib/contract/msg'
import type { RpcFamily, RpcNetwork } from '@/lib/contract/rpc-networks'

/** Cost of a method as a multiple of its network's credits. Source: API contract, crypto-rpc.md "Method classes". */
export type Tier = 1 | 2 | 4

export type Refusal = 'websocket' | 'filter' | 'key' | 'family' | 'unmapped'

/** `hint` is English; pages translate it, and with `meant`, the method of that name in other case, `CASE_HINT`. */
export type Offer =
  | { isOffered: true; tier: Tier }
  | { isOffered: false; refusal: Refusal; hint: string; meant?: string }

export type MethodGroup = { name: string; family: RpcFamily; tier: Tier; methods: readonly string[] }

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

export const METHOD_GROUPS: readonly MethodGroup[] = [
  {
    name: 'Blocks',
    family: 'evm',
    tier: 1,
    methods: words(`eth_blockNumber eth_getBlockByNumber eth_getBlockByHash eth_getBlockReceipts
      eth_getBlockTransactionCountByNumber eth_getBlockTransactionCountByHash eth_getUncleByBlockNumberAndIndex
      eth_getUncleByBlockHashAndIndex eth_getUncleCountByBlockNumber eth_getUncleCountByBlockHash`),
  },
  {
    name: 'Accounts and state',
    family: 'evm',
    tier: 1,
    methods: words('eth_getBalance eth_getTransactionCount eth_getCode eth_getStorageAt eth_getProof'),
  },
  {
    name: 'Calls and gas',
    family: 'evm',
    tier: 1,
    methods: words(`eth_call eth_estimateGas eth_createAccessList eth_simulateV1 eth_gasPrice eth_maxPriorityFeePerGas
      eth_feeHistory`),
  },
  {
    name: 'Transactions and logs',
    family: 'evm',
    tier: 1,
    methods: words(`eth_sendRawTransaction eth_getTransactionByHash eth_getTransactionReceipt
      eth_getTransactionByBlockNumberAndIndex eth_getTransactionByBlockHashAndIndex eth_getLogs`),
  },
  {
    name: 'Node',
    family: 'evm',
    tier: 1,
    methods: words(
      'eth_chainId eth_syncing eth_protocolVersion net_version net_listening net_peerCount web3_clientVersion web3_sha3',
    ),
  },
  {
    name: 'Account abstraction',
    family: 'evm',
    tier: 1,
    methods: words(`eth_sendUserOperation eth_estimateUserOperationGas eth_getUserOperationByHash
      eth_getUserOperationReceipt eth_supportedEntryPoints pimlico_getUserOperationGasPrice
      pimlico_getUserOperationStatus`),
  },
  {
    name: 'zkSync',
    family: 'evm',
    tier: 1,
    methods: words(`zks_estimateFee zks_estimateGasL1ToL2 zks_getAllAccountBalances zks_getBlockDetails
      zks_getBridgeContracts zks_getBytecodeByHash zks_getConfirmedTokens zks_getL1BatchBlockRange zks_getL1BatchDetails
      zks_getL2ToL1LogProof zks_getL2ToL1MsgProof zks_getMainContract zks_getProof zks_getRawBlockTransactions
      zks_getTestnetPaymaster zks_getTransactionDetails zks_L1BatchNumber zks_L1ChainId`),
  },
  {
    name: 'Linea',
    family: 'evm',
    tier: 1,
    methods: words('linea_estimateGas linea_getProof linea_getTransactionExclusionStatusV1'),
  },
  {
    name: 'Polygon',
    family: 'evm',
    tier: 1,
    methods: words(
      'bor_getAuthor bor_getCurrentProposer bor_getCurrentValidators bor_getRootHash bor_getSignersAtHash',
    ),
  },
  {
    name: 'Traces',
    family: 'evm',
    tier: 2,
    methods: words(`trace_block trace_call trace_callMany trace_filter trace_rawTransaction trace_transaction
      debug_traceBlock debug_traceBlockByHash debug_traceBlockByNumber debug_traceCall debug_traceTransaction
      debug_storageRangeAt txpool_inspect txpool_status arbtrace_block arbtrace_call arbtrace_callMany arbtrace_filter
      arbtrace_transaction`),
  },
  {
    name: 'Large traces',
    family: 'evm',
    tier: 4,
    methods: words(`trace_replayBlockTransactions trace_replayTransaction txpool_content arbtrace_replayTransaction
      arbtrace_replayBlockTransactions`),
  },
  {
    name: 'Starknet blocks',
    family: 'starknet',
    tier: 1,
    methods: words(`starknet_blockNumber starknet_blockHashAndNumber starknet_getBlockWithTxHashes
      starknet_getBlockWithTxs starknet_getBlockWithReceipts starknet_getBlockTransactionCount starknet_getStateUpdate`),
  },
  {
    name: 'Starknet state',
    family: 'starknet',
    tier: 1,
    methods: words(`starknet_call starknet_getNonce starknet_getStorageAt starknet_getStorageProof starknet_getClass
      starknet_getClassAt starknet_getClassHashAt starknet_getCompiledCasm`),
  },
  {
    name: 'Starknet transactions',
    family: 'starknet',
    tier: 1,
    methods: words(`starknet_getTransactionByHash starknet_getTransactionByBlockIdAndIndex
      starknet_getTransactionReceipt starknet_getTransactionStatus starknet_getMessagesStatus starknet_getEvents
      starknet_addInvokeTransaction starknet_addDeclareTransaction starknet_addDeployAccountTransaction`),
  },
  {
    name: 'Starknet fees and traces',
    family: 'starknet',
    tier: 1,
    methods: words(`starknet_estimateFee starknet_estimateMessageFee starknet_simulateTransactions
      starknet_traceTransaction starknet_traceBlockTransactions`),
  },
  {
    name: 'Starknet node',
    family: 'starknet',
    tier: 1,
    methods: words('starknet_chainId starknet_specVersion starknet_syncing'),
  },
]

export const REFUSED_METHODS: Readonly<Record<'websocket' | 'filter' | 'key', readonly string[]>> = {
  websocket: words('eth_subscribe eth_unsubscribe'),
  filter: words(`eth_newFilter eth_newBlockFilter eth_newPendingTransactionFilter eth_getFilterChanges eth_getFilterLogs
    eth_uninstallFilter`),
  key: words(`eth_accounts eth_sign eth_sendTransaction eth_signTransaction eth_mining eth_hashrate eth_getWork
    eth_submitWork`),
}

const KEY_PREFIXES = ['personal_', 'miner_', 'admin_']

const HINTS = {
  websocket: msg('subscriptions need a WebSocket, which is not supported; poll instead'),
  filter: msg('filters exist on one node only, but calls go to several; use eth_getLogs with a block range'),
  key: msg('the nodes hold no keys; sign locally and send the result with eth_sendRawTransaction'),
  unmapped: msg('unknown method'),
}

export const CASE_HINT = msg('method names are case-sensitive; use {method}')

// Requests that change a chain: sent to a node once, never to two at a time.
export const BROADCASTS: ReadonlySet<string> = new Set([
  'eth_sendRawTransaction',
  'eth_sendUserOperation',
  'starknet_addInvokeTransaction',
  'starknet_addDeclareTransaction',
  'starknet_addDeployAccountTransaction',
])

const TIERS: Readonly<Record<RpcFamily, ReadonlyMap<string, Tier>>> = {
  evm: tiersOf('evm'),
  starknet: tiersOf('starknet'),
}

function tiersOf(family: RpcFamily): ReadonlyMap<string, Tier> {
  const groups = METHOD_GROUPS.filter((group) => group.family === family)
  return new Map(groups.flatMap(({ tier, methods }) => methods.map((method) => [method, tier] as const)))
}

/** Returns the cost of a method in a family's networks, or the reason why it is not supported and what to do. */
export function offerOf(family: RpcFamily, method: string): Offer {
  const tier = TIERS[family].get(method)
  if (tier !== undefined) return { isOffered: true, tier }
  const refusal = refusalOf(family, method)
  const meant = refusal === 'unmapped' ? meantBy(family, method) : undefined
  if (meant !== undefined) return { isOffered: false, refusal, hint: CASE_HINT.replace('{method}', meant), meant }
  return { isOffered: false, refusal, hint: refusal === 'family' ? familyHint(family) : HINTS[refusal] }
}

export const creditsOf = (network: RpcNetwork, tier: Tier): number => network.credits * tier

function refusalOf(family: RpcFamily, method: string): Refusal {
  const other = family === 'evm' ? 'starknet' : 'evm'
  if (TIERS[other].has(method)) return 'family'
  for (const [refusal, methods] of Object.entries(REFUSED_METHODS)) {
    if (methods.includes(method)) return refusal as keyof typeof REFUSED_METHODS
  }
  if (KEY_PREFIXES.some((prefix) => method.startsWith(prefix))) return 'key'
  return family === 'evm' && method.startsWith('starknet_') ? 'family' : 'unmapped'
}

function meantBy(family: RpcFamily, method: string): string | undefined {
  const typed = method.toLowerCase()
  return [...TIERS[family].keys()].find((known) => known.toLowerCase() === typed)
}

const familyHint = (family: RpcFamily): string =>
  family === 'evm'
    ? msg('Starknet method; call it on a Starknet network')
    : msg('EVM method; call it on an EVM network')
