import { expect, test } from 'vitest'
import { BROADCASTS, creditsOf, METHOD_GROUPS, offerOf, REFUSED_METHODS, type Tier } from '@/lib/contract/rpc-methods'
import { NETWORKS, networkOf, type RpcFamily } from '@/lib/contract/rpc-networks'

const CONTRACT: [RpcFamily, Tier, string][] = [
  [
    'evm',
    1,
    `eth_call eth_getBalance eth_blockNumber eth_chainId eth_sendRawTransaction eth_getLogs eth_getTransactionReceipt
    eth_estimateGas eth_gasPrice eth_getTransactionCount eth_feeHistory net_version web3_clientVersion
    eth_sendUserOperation eth_estimateUserOperationGas
    eth_getBlockReceipts eth_getProof eth_simulateV1 net_listening net_peerCount web3_sha3 eth_getUserOperationByHash
    eth_getUserOperationReceipt eth_supportedEntryPoints pimlico_getUserOperationGasPrice pimlico_getUserOperationStatus
    eth_getBlockByHash eth_getBlockByNumber eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber
    eth_getCode eth_getStorageAt eth_getTransactionByHash eth_getTransactionByBlockHashAndIndex
    eth_getTransactionByBlockNumberAndIndex eth_getUncleByBlockHashAndIndex eth_getUncleByBlockNumberAndIndex
    eth_getUncleCountByBlockHash eth_getUncleCountByBlockNumber eth_createAccessList eth_maxPriorityFeePerGas
    eth_protocolVersion eth_syncing`,
  ],
  [
    'evm',
    1,
    `zks_estimateFee zks_estimateGasL1ToL2 zks_getAllAccountBalances zks_getBlockDetails zks_getBridgeContracts
    zks_getBytecodeByHash zks_getConfirmedTokens zks_getL1BatchBlockRange zks_getL1BatchDetails zks_getL2ToL1LogProof
    zks_getL2ToL1MsgProof zks_getMainContract zks_getProof zks_getRawBlockTransactions zks_getTestnetPaymaster
    zks_getTransactionDetails zks_L1BatchNumber zks_L1ChainId
    linea_estimateGas linea_getProof linea_getTransactionExclusionStatusV1
    bor_getAuthor bor_getCurrentProposer bor_getCurrentValidators bor_getRootHash bor_getSignersAtHash`,
  ],
  [
    'evm',
    2,
    `trace_block trace_call trace_transaction debug_traceCall debug_traceTransaction debug_traceBlockByHash
    txpool_inspect txpool_status
    trace_callMany trace_filter trace_rawTransaction debug_traceBlock debug_traceBlockByNumber debug_storageRangeAt
    arbtrace_block arbtrace_call arbtrace_callMany arbtrace_filter arbtrace_transaction`,
  ],
  [
    'evm',
    4,
    `trace_replayBlockTransactions trace_replayTransaction txpool_content arbtrace_replayTransaction
    arbtrace_replayBlockTransactions`,
  ],
  [
    'starknet',
    1,
    `starknet_specVersion starknet_getBlockWithTxHashes starknet_getBlockWithTxs starknet_getBlockWithReceipts
    starknet_getStateUpdate starknet_getStorageAt starknet_getStorageProof starknet_getTransactionStatus
    starknet_getMessagesStatus starknet_getTransactionByHash starknet_getTransactionByBlockIdAndIndex
    starknet_getTransactionReceipt starknet_getClass starknet_getClassHashAt starknet_getClassAt
    starknet_getCompiledCasm starknet_getBlockTransactionCount starknet_call starknet_estimateFee
    starknet_estimateMessageFee starknet_blockNumber starknet_blockHashAndNumber starknet_chainId starknet_syncing
    starknet_getEvents starknet_getNonce starknet_traceTransaction starknet_simulateTransactions
    starknet_traceBlockTransactions starknet_addInvokeTransaction starknet_addDeclareTransaction
    starknet_addDeployAccountTransaction`,
  ],
]

const expected = CONTRACT.flatMap(([family, tier, names]) =>
  names.split(/\s+/).map((method) => `${family} ${tier} ${method}`),
)
const offered = METHOD_GROUPS.flatMap(({ family, tier, methods }) =>
  methods.map((method) => `${family} ${tier} ${method}`),
)

test('exactly the methods of the contract are offered, each once, at its tier', () => {
  expect([...offered].sort()).toEqual([...expected].sort())
})

test.each(expected)('%s', (row) => {
  const [family, tier, method] = row.split(' ') as [RpcFamily, string, string]
  expect(offerOf(family, method)).toEqual({ isOffered: true, tier: Number(tier) })
  const other = family === 'evm' ? 'starknet' : 'evm'
  expect(offerOf(other, method)).toMatchObject({ isOffered: false, refusal: 'family' })
})

test.each([
  ['eth_subscribe eth_unsubscribe', 'websocket', /poll/],
  [
    `eth_newFilter eth_newBlockFilter eth_newPendingTransactionFilter eth_getFilterChanges eth_getFilterLogs
     eth_uninstallFilter`,
    'filter',
    /eth_getLogs/,
  ],
  [
    `eth_sign eth_accounts eth_mining eth_hashrate eth_getWork eth_submitWork eth_sendTransaction eth_signTransaction
     personal_sign personal_unlockAccount miner_start admin_peers admin_addPeer`,
    'key',
    /sign locally/,
  ],
  [
    'eth_coinbase debug_setHead engine_newPayloadV3 anvil_setBalance evm_mine arbtrace_other rpc_modules',
    'unmapped',
    /unknown method/,
  ],
  ['toString __proto__ constructor hasOwnProperty', 'unmapped', /unknown method/],
  ['starknet_unknown', 'family', /Starknet network/],
  ['ETH_CALL eth_blocknumber', 'unmapped', /case-sensitive; use eth_(call|blockNumber)/],
])('%s: refused as %s, with its own hint', (names, refusal, hint) => {
  for (const method of names.split(/\s+/)) {
    expect(offerOf('evm', method)).toMatchObject({ isOffered: false, refusal, hint: expect.stringMatching(hint) })
  }
})

test('names that are shown as refused are refused on every family', () => {
  for (const [refusal, methods] of Object.entries(REFUSED_METHODS)) {
    for (const method of methods) {
      expect(offerOf('evm', method)).toMatchObject({ isOffered: false, refusal })
      expect(offerOf('starknet', method)).toMatchObject({ isOffered: false, refusal })
    }
  }
})

test('what changes a chain is offered, and is all that is', () => {
  const changing = offered.map((row) => row.split(' ')[2]!).filter((method) => /_(send|add)[A-Z]/.test(method))
  expect([...BROADCASTS].sort()).toEqual(changing.sort())
})

test('the examples of the price list', () => {
  expect(creditsOf(networkOf('base-mainnet')!, 1)).toBe(20)
  expect(creditsOf(networkOf('zksync-mainnet')!, 1)).toBe(30)
  expect(creditsOf(networkOf('ethereum-mainnet')!, 4)).toBe(80)
})

test('on every network every method of its family costs its base times its tier', () => {
  for (const network of NETWORKS) {
    for (const { family, tier, methods } of METHOD_GROUPS) {
      for (const method of methods) {
        const offer = offerOf(network.family, method)
        if (family === network.family) {
          expect(offer.isOffered && creditsOf(network, offer.tier)).toBe(
            (network.slug.startsWith('zksync') ? 30 : 20) * tier,
          )
        } else expect(offer.isOffered).toBe(false)
      }
    }
  }
})
