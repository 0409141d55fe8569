import {
  ADDRESS,
  ANY,
  DATA,
  gives,
  HASH,
  list,
  may,
  mayGive,
  method,
  minor,
  need,
  object,
  orNull,
  QUANTITY,
  record,
  TEXT,
  union,
  WEI,
  WHOLE,
} from '@/components/rpc/methods/build'
import {
  addressParam,
  BURNED,
  blockHashParam,
  blockParam,
  CALL,
  callParam,
  HASH_HELLO,
  mayBlockParam,
  NO_HASH,
  transactionHashParam,
} from '@/components/rpc/methods/evm-shapes'
import type { MethodDoc, Type } from '@/components/rpc/methods/types'
import { msg } from '@/lib/i18n/t'

const TRACING = 'Answered by nodes that keep traces: Erigon, Nethermind, Reth, and most rollups’ own.'
const CLASSIC =
  'For Arbitrum’s blocks before the Nitro upgrade, 22,207,817: later ones are traced with the debug_ methods.'

const KINDS: Type = list(
  {
    kind: 'choice',
    options: [
      { value: 'trace', label: 'Calls' },
      { value: 'stateDiff', label: 'Changed state' },
      { value: 'vmTrace', label: 'Every step' },
    ],
  },
  'Kind',
  3,
)

const kindsParam = need('traceTypes', 'What to trace', KINDS, 'Every step is by far the largest.')

const TRACE: Type = record(
  gives('action', ANY, 'Who called whom with what; or what was created, or destroyed.'),
  mayGive('result', ANY, 'Output and gas. Nothing where it failed.'),
  mayGive('error', TEXT),
  gives('type', TEXT, 'call, create, suicide or reward.'),
  gives('subtraces', WHOLE, 'How many calls it made itself.'),
  gives('traceAddress', list(WHOLE, 'Place'), 'Its place in the tree: [0, 2] is the third call of the first.'),
  mayGive('blockNumber', WHOLE),
  mayGive('blockHash', HASH),
  mayGive('transactionHash', HASH),
  mayGive('transactionPosition', WHOLE),
)
const TRACES: Type = list(TRACE, 'Call')

const REPLAY: Type = record(
  gives('output', DATA),
  mayGive('trace', list(TRACE, 'Call')),
  mayGive('stateDiff', ANY),
  mayGive('vmTrace', ANY),
  mayGive('transactionHash', HASH),
)

const TRACE_FILTER: Type = object(
  [
    may('fromBlock', 'From block', QUANTITY, 'A number: most nodes take no tag here.'),
    may('toBlock', 'To block', QUANTITY),
    may('fromAddress', 'Callers', list(ADDRESS, 'Address'), 'Any of these.'),
    may('toAddress', 'Called', list(ADDRESS, 'Address'), 'Any of these.'),
    may('after', 'Skip', WHOLE, 'How many traces to leave out.'),
    may('count', 'At most', WHOLE, 'How many traces to give.'),
  ],
  'traces',
)

const STEP_BY_STEP = [{ to: HASH_HELLO.to, data: HASH_HELLO.data }, ['trace']]

/** The same nine methods under two prefixes. */
function treeMethods(prefix: 'trace' | 'arbtrace', note: string, block: string): MethodDoc[] {
  return [
    method(`${prefix}_block`, {
      says: msg('All calls made in a block, as a flat list.'),
      more: note,
      params: [blockParam()],
      result: orNull(TRACES),
      read: 'Calls in the order in which they began; traceAddress puts them into a tree.',
      start: [block],
    }),
    method(`${prefix}_call`, {
      says: msg('Traces a call without sending it.'),
      more: note,
      params: [callParam(), kindsParam, mayBlockParam('Whose state the call sees.', true)],
      result: REPLAY,
      read: 'The output, and a part for each kind that was asked; the others are null.',
      start: [HASH_HELLO, ['trace'], block],
    }),
    method(`${prefix}_callMany`, {
      says: msg('Traces several calls in sequence.'),
      more: note,
      params: [
        need(
          'calls',
          'Calls',
          list({ kind: 'tuple', items: [need('call', 'Call', CALL), kindsParam] }, 'Call'),
          'Each with what to trace of it.',
        ),
        mayBlockParam('Whose state the first call sees.', true),
      ],
      result: list(REPLAY, 'Call'),
      read: 'One answer a call, in their order.',
      start: [[STEP_BY_STEP], block],
    }),
    method(`${prefix}_filter`, {
      says: msg('Calls in a range of blocks, filtered by sender and recipient.'),
      more: `How internal transfers of an address are found. ${note}`,
      params: [need('filter', 'Filter', TRACE_FILTER)],
      result: TRACES,
      read: 'Calls in the order of the chain. [] when nothing matches.',
      start: [{ fromBlock: '0x1', toBlock: '0x1', count: 10 }],
      gave: [],
    }),
    method(`${prefix}_transaction`, {
      says: msg('All calls made by a transaction, as a flat list.'),
      more: note,
      params: [transactionHashParam],
      result: orNull(TRACES),
      read: 'The first is the transaction itself. null when there is none.',
      start: [NO_HASH],
    }),
    method(`${prefix}_replayBlockTransactions`, {
      says: msg('Replays all transactions of a block and returns their traces.'),
      more: `The largest answers there are: megabytes for a busy block. ${note}`,
      params: [blockParam(), kindsParam],
      result: orNull(list(REPLAY, 'Transaction')),
      read: 'One answer a transaction, with a part for each kind.',
      start: [block, ['trace']],
    }),
    method(`${prefix}_replayTransaction`, {
      says: msg('Replays a transaction and returns its trace.'),
      more: note,
      params: [transactionHashParam, kindsParam],
      result: orNull(REPLAY),
      read: 'The output, and a part for each kind that was asked.',
      start: [NO_HASH, ['trace']],
    }),
  ]
}

const TREES: readonly MethodDoc[] = [
  ...treeMethods('trace', TRACING, 'latest'),
  method('trace_rawTransaction', {
    says: msg('Traces a signed transaction without sending it.'),
    more: TRACING,
    params: [need('transaction', 'Signed transaction', DATA), kindsParam],
    result: REPLAY,
    read: 'The output, and a part for each kind that was asked.',
    start: [
      '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
      ['trace'],
    ],
  }),
  ...treeMethods('arbtrace', CLASSIC, '0x1'),
]

const TRACER: Type = object([
  may(
    'tracer',
    'Tracer',
    union(
      [
        'Built in',
        {
          kind: 'choice',
          options: [
            { value: 'callTracer', label: 'Calls, as a tree' },
            { value: 'prestateTracer', label: 'State before' },
            { value: '4byteTracer', label: 'Function selectors' },
            { value: 'flatCallTracer', label: 'Calls, flat' },
            { value: 'muxTracer', label: 'Several at once' },
            { value: 'noopTracer', label: 'Empty' },
          ],
        },
      ],
      ['Script', TEXT],
    ),
    'Left out, every step of the machine is given, which is very large.',
  ),
  minor('tracerConfig', 'Tracer’s settings', ANY, 'Such as {"onlyTopCall": true} or {"diffMode": true}.'),
  minor('timeout', 'Time limit', TEXT, 'Such as 5s.'),
  minor('reexec', 'Go back', WHOLE, 'How many blocks may be run again to find the state.'),
  minor('disableStorage', 'Without storage', { kind: 'boolean' }, 'Of steps.'),
  minor('disableStack', 'Without stack', { kind: 'boolean' }, 'Of steps.'),
  minor('enableMemory', 'With memory', { kind: 'boolean' }, 'Of steps.'),
  minor('enableReturnData', 'With returned data', { kind: 'boolean' }, 'Of steps.'),
  minor('stateOverrides', 'State overrides', ANY, 'For debug_traceCall: pretends that accounts are otherwise.'),
  minor('blockOverrides', 'Block overrides', ANY, 'For debug_traceCall: pretends that the block is otherwise.'),
])

const tracerParam = may('options', 'Options', TRACER, 'What to trace, and how.')
const DEBUG = 'Answered by nodes that keep the state of the block; on public ones it is often switched off.'

const CALL_TREE: Type = union(
  [
    'Call',
    record(
      gives('type', TEXT, 'CALL, DELEGATECALL, STATICCALL, CREATE and so on.'),
      gives('from', ADDRESS),
      mayGive('to', ADDRESS),
      mayGive('value', WEI),
      mayGive('gas', QUANTITY),
      mayGive('gasUsed', QUANTITY),
      mayGive('input', DATA),
      mayGive('output', DATA),
      mayGive('error', TEXT),
      mayGive('revertReason', TEXT),
      mayGive('calls', list(ANY, 'Call'), 'The calls that it made itself.'),
    ),
  ],
  [
    'Steps',
    record(
      gives('structLogs', list(ANY, 'Step'), 'Each instruction with its stack.'),
      mayGive('gas', WHOLE),
      mayGive('failed', { kind: 'boolean' }),
      mayGive('returnValue', TEXT),
    ),
  ],
  ['Whatever the tracer gives', ANY],
)
const BLOCK_TRACES: Type = list(
  record(mayGive('txHash', HASH), mayGive('result', CALL_TREE), mayGive('error', TEXT)),
  'Transaction',
)
const AS_TREE = { tracer: 'callTracer' }

const STEPS: readonly MethodDoc[] = [
  method('debug_traceTransaction', {
    says: msg('Replays a transaction with a tracer.'),
    more: `The way to learn why a transaction failed. ${DEBUG}`,
    params: [transactionHashParam, tracerParam],
    result: CALL_TREE,
    read: 'What the tracer gives; with callTracer a tree of calls.',
    start: [NO_HASH, AS_TREE],
  }),
  method('debug_traceCall', {
    says: msg('Runs a call with a tracer, without sending it.'),
    more: DEBUG,
    params: [
      callParam(),
      need('block', 'Block', { kind: 'block', takesHash: true }, 'Whose state the call sees.', { default: 'latest' }),
      tracerParam,
    ],
    result: CALL_TREE,
    read: 'What the tracer gives; with callTracer a tree of calls.',
    start: [HASH_HELLO, 'latest', AS_TREE],
  }),
  method('debug_traceBlockByNumber', {
    says: msg('Replays all transactions of a block with a tracer, by block number.'),
    more: DEBUG,
    params: [blockParam(), tracerParam],
    result: BLOCK_TRACES,
    read: 'One answer a transaction, in the order of the block.',
    start: ['latest', AS_TREE],
  }),
  method('debug_traceBlockByHash', {
    says: msg('Replays all transactions of a block with a tracer, by block hash.'),
    more: DEBUG,
    params: [blockHashParam, tracerParam],
    result: BLOCK_TRACES,
    read: 'One answer a transaction, in the order of the block.',
    start: [NO_HASH, AS_TREE],
  }),
  method('debug_traceBlock', {
    says: msg('Traces a block given as RLP bytes.'),
    more: `Its parent has to be known to the node. ${DEBUG}`,
    params: [need('block', 'Block', DATA, 'The whole block, RLP-encoded.'), tracerParam],
    result: BLOCK_TRACES,
    read: 'One answer a transaction, in the order of the block.',
    start: ['0xc0', AS_TREE],
  }),
  method('debug_storageRangeAt', {
    says: msg('A range of storage slots of a contract.'),
    more: `As the storage was before a transaction of a block. ${DEBUG}`,
    params: [
      blockHashParam,
      need('index', 'Transaction', WHOLE, 'Its place in the block. A plain number.'),
      addressParam('A contract.'),
      need('start', 'From key', HASH, 'The hash of a slot; zeros for the first.'),
      need('limit', 'At most', WHOLE, 'How many slots to give.'),
    ],
    result: record(
      gives('storage', {
        kind: 'map',
        key: HASH,
        keyLabel: 'Key',
        value: record(mayGive('key', HASH), gives('value', HASH)),
      }),
      mayGive('nextKey', HASH, 'Where to go on. null at the end.'),
    ),
    read: 'Slots by the hash of their number.',
    start: [NO_HASH, 0, BURNED, NO_HASH, 16],
  }),
]

const POOL_NOTE =
  'Of this node’s waiting room: others have other transactions. Rollups and hosted nodes often have none to show.'
const BY_SENDER: Type = {
  kind: 'map',
  key: ADDRESS,
  keyLabel: 'Sender',
  value: { kind: 'map', key: TEXT, keyLabel: 'Nonce', value: ANY },
}

const POOL: readonly MethodDoc[] = [
  method('txpool_status', {
    says: msg('Number of pending transactions in the node’s pool.'),
    more: POOL_NOTE,
    result: record(gives('pending', QUANTITY), gives('queued', QUANTITY)),
    read: 'pending can go into the next block; queued wait for one with a lower nonce.',
    gave: { pending: '0x0', queued: '0x0' },
  }),
  method('txpool_inspect', {
    says: msg('Pending transactions in the node’s pool, one line each.'),
    more: POOL_NOTE,
    result: record(gives('pending', BY_SENDER), gives('queued', BY_SENDER)),
    read: 'By sender and nonce: to whom, how much, at what price.',
    gave: { pending: {}, queued: {} },
  }),
  method('txpool_content', {
    says: msg('Pending transactions in the node’s pool, in full.'),
    more: POOL_NOTE,
    result: record(gives('pending', BY_SENDER), gives('queued', BY_SENDER)),
    read: 'By sender and nonce: the transaction itself.',
    gave: { pending: {}, queued: {} },
  }),
]

export const TRACE_METHODS: readonly MethodDoc[] = [...TREES, ...STEPS, ...POOL]
