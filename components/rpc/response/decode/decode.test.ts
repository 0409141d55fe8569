import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeReply } from '@/components/rpc/response/decode/decode'
import {
  type DecodedField,
  type DecodedItem,
  type DecodedNode,
  type DecodedReply,
  type Interpretation,
  type MessageText,
  msg,
  type Use,
} from '@/components/rpc/response/decode/decoded'
import { openReply } from '@/components/rpc/response/decode/json'
import { RECORDED } from '@/components/rpc/response/decode/testing-replies'
import { toEnglish, toText } from '@/components/rpc/response/format'
import type { RpcSlug } from '@/lib/contract/rpc-networks'

const HOLDER = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

type Question = { network?: RpcSlug; method: string; params?: unknown; wanted?: Record<string, number> }

function decodeText(text: string, { network = 'base-mainnet', method, params, wanted = {} }: Question): DecodedReply {
  return decodeReply(text, openReply(text, 1), { network, calls: [{ method, params }] }, { wanted })
}

function decode(question: Question, result: unknown, key: 'result' | 'error' = 'result'): DecodedItem {
  return decodeText(JSON.stringify({ jsonrpc: '2.0', id: 1, [key]: result }), question).items[0]!
}

const recorded = (name: keyof typeof RECORDED): DecodedItem => {
  const { method, params, reply } = RECORDED[name]
  return decodeText(reply, { method, params }).items[0]!
}

const wordsOf = (interpretation: Interpretation) =>
  interpretation.kind === 'time' ? `time ${interpretation.at}` : toText(interpretation.text)

function lines(node: DecodedNode | undefined, path = ''): string[] {
  switch (node?.kind) {
    case 'value': {
      const said = node.interpretations.length > 0 ? node.interpretations.map(wordsOf).join(' | ') : node.raw
      const call = node.call ? [`${path} = ${node.call.name}`, ...fieldLines(node.call.fields, `${path}.`)] : []
      return [`${path}: ${said}`, ...call]
    }
    case 'record': {
      const event = node.event ? [`${path} = ${node.event.name}`, ...fieldLines(node.event.fields, `${path}.`)] : []
      return [...event, ...fieldLines(node.fields, path && `${path}.`)]
    }
    case 'list':
      return node.items.flatMap((item, index) => lines(item, `${path}[${index}]`))
    case 'table':
      return [node.columns, ...node.rows].map((row) => row.map(toText).join(' | '))
    default:
      return node ? [`${path}: left out, ${node.why}`] : []
  }
}

const fieldLines = (fields: DecodedField[], path: string) =>
  fields.flatMap(({ name, node }) => lines(node, `${path}${toText(name)}`))

const english = (words: MessageText | undefined) => words && toEnglish(words)

const said = (item: DecodedItem) => lines(item.node).map((line) => line.replace(/^: /, ''))

describe('what a local node answered', () => {
  test('a receipt, with the transfer in it', () => {
    const item = recorded('receipt')
    expect(item.node).toMatchObject({ kind: 'record', title: msg('Receipt') })
    const all = lines(item.node)
    expect(all).toContain('status: succeeded')
    expect(all).toContain('type: dynamic fee (EIP-1559)')
    expect(all).toContain(`to: ${USDC}`)
    expect(all).toContain('logs[0] = Transfer')
    expect(all).toContain('logs[0].from: zero address')
    expect(all).toContain(`logs[0].to: ${HOLDER}`)
    expect(all).toContain('logs[0].amount: 25,000,000 | 25')
    expect(all.find((line) => line.startsWith('logsBloom'))).toBe('logsBloom: bloom filter of the logs, not shown')
    expect(all.find((line) => line.startsWith('effectiveGasPrice'))).toMatch(/gwei \| [\d,]+ wei$/)
    expect(all.find((line) => line.startsWith('gasUsed'))).toMatch(/^gasUsed: [\d,]+$/)
  })

  test('a block, with the call of its transaction', () => {
    const all = lines(recorded('block').node)
    expect(all).toContain('number: 3')
    expect(all.find((line) => line.startsWith('timestamp'))).toMatch(/^timestamp: time \d{10}$/)
    expect(all).toContain('transactions[0].input = mint')
    expect(all).toContain(`transactions[0].input.to: ${HOLDER}`)
    expect(all).toContain('transactions[0].value: 0 ETH')
    expect(all).toContain('transactions[0].chainId: 8453: Base Mainnet')
    expect(all.find((line) => line.startsWith('baseFeePerGas'))).toContain('gwei')
  })

  test('logs as events', () => {
    const item = recorded('logs')
    expect(item.node).toMatchObject({ kind: 'list', total: 1, canShowMore: false })
    expect(lines(item.node)[0]).toBe('[0] = Transfer')
  })

  test('what a call returned, by what it was called with', () => {
    expect(said(recorded('balanceOf'))).toEqual(['25,000,000 | 25'])
    expect(english(recorded('balanceOf').note)).toBe('balanceOf(address owner), ERC-20')
    expect(said(recorded('symbol'))).toEqual(['USDC'])
    expect(english(recorded('nobody').note)).toContain('The address has no contract')
  })

  test('each result of a multicall, and the one that failed', () => {
    const { node } = recorded('multicall')
    expect(node).toMatchObject({
      kind: 'list',
      total: 3,
      items: [
        { title: 'symbol()', fields: [{ node: { raw: 'USDC' } }] },
        { title: 'balanceOf(address owner)', fields: [{ node: { raw: '25000000' } }] },
        { title: 'transfer(address to, uint256 amount)', summary: msg('failed'), event: { name: 'Error' } },
      ],
    })
  })

  test('why a contract reverted', () => {
    const { error } = recorded('revert')
    expect(error).toMatchObject({ code: '3', meaning: msg('contract reverted') })
    expect(lines(error?.revert)[0]).toBe(': “ERC20: transfer amount exceeds balance”')
  })

  test('an amount, and the history of fees as a table', () => {
    expect(said(recorded('balance'))[0]).toMatch(/^99,999\.\d+ ETH \| [\d,]+ wei$/)
    const [head, ...rows] = said(recorded('feeHistory'))
    expect(head).toBe(
      'Block | Base fee (gwei) | Gas used | Blob fee (gwei) | Priority fee 1 (gwei) | Priority fee 2 (gwei)',
    )
    expect(rows).toHaveLength(3)
    expect(rows[1]).toMatch(/^3 \| 0\.\d+ \| 0\.2 % \| 0\.000000001 \| 1 \| 1$/)
    expect(rows[2]).toMatch(/^4 \(next\) \| /)
  })
})

describe('single values of EVM networks', () => {
  const rows: [method: string, result: unknown, words: string][] = [
    ['eth_blockNumber', '0x14a3b7c', '21,642,108'],
    ['eth_chainId', '0x2105', '8453: Base Mainnet'],
    ['net_version', '8453', '8453: Base Mainnet'],
    ['eth_getBalance', '0x2386f26fc10000', '0.01 ETH | 10,000,000,000,000,000 wei'],
    ['eth_getBalance', '0x3b9aca00', '0.000000001 ETH | 1 gwei | 1,000,000,000 wei'],
    ['eth_getBalance', '0x0', '0 ETH'],
    ['eth_gasPrice', '0x3b9aca01', '1.000000001 gwei | 1,000,000,001 wei'],
    ['eth_estimateGas', '0x5208', '21,000'],
    ['eth_getTransactionCount', '0x10', '16'],
    ['eth_syncing', false, 'false'],
    ['web3_clientVersion', 'Geth/v1.16.7', 'Geth/v1.16.7'],
  ]
  for (const [method, result, words] of rows) {
    test(`${method} ${result}`, () => expect(said(decode({ method }, result))).toEqual([words]))
  }

  test('storage words are addresses, numbers, texts or hashes', () => {
    const word = (digits: string) => said(decode({ method: 'eth_getStorageAt' }, `0x${digits.padStart(64, '0')}`))[0]
    expect(word(HOLDER.slice(2).toLowerCase())).toBe(HOLDER)
    expect(word('1f4')).toBe('500')
    expect(word('4d616b6572'.padEnd(64, '0'))).toBe('“Maker”')
    expect(word('f'.repeat(63))).toBe(`0x0${'f'.repeat(63)}`)
  })

  test('code tells contracts, proxies and delegations apart', () => {
    const note = (code: string) => english(decode({ method: 'eth_getCode' }, code).note)
    const target = '0x'.concat('12'.repeat(20))
    expect(note('0x')).toContain('No code')
    expect(note('0x6080')).toBe('A contract of 2 bytes.')
    expect(note(`0x363d3d373d3d3d363d73${target.slice(2)}5af43d82803e903d91602b57fd5bf3`)).toContain(target)
    expect(note(`0xef0100${target.slice(2)}`)).toContain('EIP-7702')
  })

  test('the name of an old token is one word', () => {
    const question = { method: 'eth_call', params: [{ data: '0x95d89b41' }] }
    expect(said(decode(question, `0x${'4d4b52'.padEnd(64, '0')}`))).toEqual(['MKR'])
  })

  test('what is missing is said in a sentence', () => {
    expect(english(decode({ method: 'eth_getTransactionReceipt' }, null).note)).toContain(
      'pending or unknown to this network',
    )
  })

  test('an NFT and a token with one topic are told apart', () => {
    const topics = [0, 1, 2].map((index) => `0x${String(index).padStart(64, '0')}`)
    const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
    const nft = { address: USDC, topics: [transfer, ...topics], data: '0x' }
    const all = lines(decode({ method: 'eth_getLogs' }, [nft]).node)
    expect(all).toContain('[0].tokenId: 2')
  })

  test('a log that nothing is known of shows its topics', () => {
    const topic = `0x${'ab'.repeat(32)}`
    const all = lines(decode({ method: 'eth_getLogs' }, [{ address: USDC, topics: [topic], data: '0x12' }]).node)
    expect(all).toContain(`[0].topics[0]: ${topic}`)
    expect(all).toContain('[0].data: 1 byte')
  })

  test('withdrawals are in gwei, traces know what their calls returned', () => {
    const withdrawal = { index: '0x1', validatorIndex: '0x2', address: HOLDER, amount: '0x3b9aca00' }
    expect(lines(decode({ method: 'x' }, withdrawal).node)).toContain('amount: 1 ETH | 1,000,000,000,000,000,000 wei')
    const { params, reply } = RECORDED.symbol
    const trace = { type: 'CALL', input: params[0].data, output: JSON.parse(reply).result }
    expect(lines(decode({ method: 'debug_traceCall' }, trace).node)).toContain('output: USDC')
  })

  test('a call within a call is taken apart too', () => {
    const inner = `0xa9059cbb${HOLDER.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
    const word = (number: number) => number.toString(16).padStart(64, '0')
    const bytes = word(inner.length / 2 - 1) + inner.slice(2).padEnd(192, '0')
    const input = `0xac9650d8${word(32)}${word(1)}${word(32)}${bytes}`
    const all = lines(decode({ method: 'eth_getTransactionByHash' }, { from: HOLDER, input }).node)
    expect(all).toContain('input = multicall')
    expect(all).toContain('input.data[0] = transfer')
    expect(all).toContain(`input.data[0].to: ${HOLDER}`)
  })

  test('addresses, hashes and blocks can be used again', () => {
    const uses: Use[] = []
    const collect = (node: DecodedNode | undefined) => {
      if (node?.kind === 'value' && node.use) uses.push(node.use)
      if (node?.kind === 'record') for (const { node: inner } of node.fields) collect(inner)
    }
    const hash = `0x${'cd'.repeat(32)}`
    collect(decode({ method: 'x' }, { blockNumber: '0x10', transactionHash: hash, from: HOLDER.toLowerCase() }).node)
    expect(uses).toEqual([
      { kind: 'block', value: '0x10' },
      { kind: 'hash', value: hash },
      { kind: 'address', value: HOLDER },
    ])
  })
})

describe('errors', () => {
  const panic = `0x4e487b71${'11'.padStart(64, '0')}`

  test('a panic in words, wherever the node put its bytes', () => {
    const shapes = [
      { code: 3, message: 'execution reverted', data: panic },
      { code: -32000, message: 'reverted', data: { data: panic } },
      { code: -32015, message: 'VM execution error.', data: `Reverted ${panic}` },
      { code: -32603, message: 'Internal', data: { originalError: { code: 3, data: panic } } },
      { code: -32000, message: `execution reverted: ${panic}` },
    ]
    for (const shape of shapes) {
      const { error } = decode({ method: 'eth_call' }, shape, 'error')
      expect(lines(error?.revert)[0]).toBe(': arithmetic overflow or underflow')
    }
  })

  test('an error that a contract made up', () => {
    const known = `0xe450d38c${[HOLDER.slice(2).toLowerCase(), '5', 'a'].map((one) => one.padStart(64, '0')).join('')}`
    const { error } = decode({ method: 'eth_call' }, { code: 3, message: '', data: known }, 'error')
    expect(lines(error?.revert)).toEqual(
      expect.arrayContaining([' = ERC20InsufficientBalance', `.sender: ${HOLDER}`, '.needed: 10']),
    )
    const unknown = decode({ method: 'eth_call' }, { code: 3, message: '', data: '0x12345678' }, 'error')
    expect(lines(unknown.error?.revert)[0]).toContain('custom error 0x12345678')
  })

  test('codes of Starknet are its own', () => {
    const of = (network: RpcSlug) =>
      english(decode({ network, method: 'x' }, { code: 20, message: 'x' }, 'error').error?.meaning)
    expect(of('starknet-mainnet')).toBe('no contract at this address')
    expect(of('base-mainnet')).toBeUndefined()
  })
})

describe('Starknet', () => {
  const ask = (method: string, result: unknown, params?: unknown) =>
    decode({ network: 'starknet-mainnet', method, params }, result)

  test('short strings, blocks and chain ids', () => {
    expect(said(ask('starknet_chainId', '0x534e5f4d41494e'))).toEqual(['“SN_MAIN” | Starknet Mainnet'])
    expect(said(ask('starknet_blockNumber', 1_234_567))).toEqual(['1,234,567'])
    expect(said(ask('starknet_specVersion', '0.10.0'))).toEqual(['0.10.0'])
  })

  test('a balance is the sum of two felts', () => {
    // The selector of balanceOf.
    const entry_point_selector = '0x2e4263afad30923c891518314c3c95dbe830a16874e8abc5777a9a20b54c76e'
    const item = ask('starknet_call', ['0xde0b6b3a7640000', '0x0'], {
      request: { entry_point_selector },
      block_id: 'latest',
    })
    expect(english(item.note)).toBe('balanceOf() returned a u256')
    expect(said(item)[0]).toContain('1,000,000,000,000,000,000 | 1')
  })

  test('a receipt in its own units, with the names of its events', () => {
    const receipt = {
      type: 'INVOKE',
      transaction_hash: `0x${'7'.repeat(63)}`,
      actual_fee: { amount: '0x2386f26fc10000', unit: 'FRI' },
      block_number: 700_000,
      timestamp: 1_760_000_000,
      events: [
        {
          from_address: '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d',
          keys: ['0x99cd8bde557814842a3121e8ddfd433a539b8c9f14bf31ebf108d12e6196e9'],
          data: ['0x5'],
        },
      ],
    }
    const item = ask('starknet_getTransactionReceipt', receipt)
    const all = lines(item.node)
    expect(all).toContain('actual_fee.amount: 0.01 STRK | 10,000,000,000,000,000 fri')
    expect(all).toContain('block_number: 700,000')
    expect(all).toContain('timestamp: time 1760000000')
    expect(all).toContain('events[0].keys[0]: Transfer')
    expect(all).toContain('events[0].data[0]: 5')
  })
})

describe('anything at all', () => {
  test('a log whose topics are no texts is no log', () => {
    const log = { data: '', address: '0x', topics: [{}] }
    expect(() => decode({ network: 'base-mainnet', method: 'eth_call', params: 0 }, [log], 'result')).not.toThrow()
  })

  test('is decoded without throwing, in a bounded tree', () => {
    const value = fc.jsonValue({ maxDepth: 5 })
    const hex = fc.stringMatching(/^0x[\da-f]{0,200}$/)
    const keys = fc.constantFrom(
      'value',
      'input',
      'data',
      'topics',
      'address',
      'to',
      'timestamp',
      'logsBloom',
      'amount',
      'unit',
    )
    const record = fc.dictionary(keys, fc.oneof(hex, value, fc.array(hex)))
    const method = fc.constantFrom(
      'eth_call',
      'eth_getCode',
      'eth_feeHistory',
      'eth_getBalance',
      'starknet_call',
      'net_version',
    )
    const network = fc.constantFrom<RpcSlug>('base-mainnet', 'starknet-mainnet')
    fc.assert(
      fc.property(
        fc.oneof(value, hex, record, fc.array(record)),
        method,
        network,
        value,
        (result, name, slug, params) => {
          for (const key of ['result', 'error'] as const) decode({ network: slug, method: name, params }, result, key)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('calls with the selector of something else are left as they are', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('a9059cbb', 'ac9650d8', '82ad56cb', '1fad948c'),
        fc.uint8Array(),
        (selector, bytes) => {
          const input = `0x${selector}${Buffer.from(bytes).toString('hex')}`
          expect(decode({ method: 'x' }, { input }).outcome).toBe('result')
        },
      ),
      { numRuns: 500 },
    )
  })

  test('a long list is shown in part, and more of it when it is wanted', () => {
    const list = Array.from({ length: 100_000 }, (_, index) => ({ blockNumber: `0x${index.toString(16)}` }))
    expect(decode({ method: 'x' }, list).node).toMatchObject({
      total: 100_000,
      canShowMore: true,
      items: { length: 20 },
    })
    const wanted = { '0': 1_000_000 }
    expect(decode({ method: 'x', wanted }, list).node).toMatchObject({ canShowMore: false, items: { length: 400 } })
  })

  test('thousands of brackets and fields end somewhere', () => {
    const deep = `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(10_000)}${']'.repeat(10_000)}}`
    expect(lines(decodeText(deep, { method: 'x' }).items[0]!.node)).toEqual([expect.stringContaining('left out, deep')])
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index]))
    expect(decode({ method: 'x' }, wide).node).toMatchObject({ fields: { length: 100 }, hidden: 4_900 })
  })

  test('a batch is decoded item by item, each by the call that it answers', () => {
    const calls = [
      { method: 'eth_blockNumber', params: [] },
      { method: 'eth_getBalance', params: [] },
    ]
    const text = '[{"id":2,"result":"0x0"},{"id":1,"result":"0x10"},{"id":9,"result":"0x10"},{"oops":1}]'
    const { items, total } = decodeReply(text, openReply(text, 2), { network: 'bsc-mainnet', calls }, { wanted: {} })
    expect(total).toBe(4)
    expect(items.map(({ method, outcome }) => [method, outcome])).toEqual([
      ['eth_getBalance', 'result'],
      ['eth_blockNumber', 'result'],
      [undefined, 'result'],
      [undefined, 'neither'],
    ])
    expect(said(items[0]!)).toEqual(['0 BNB'])
  })
})
