import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { checkParams } from '@/components/rpc/methods/check-params'
import { EVM_DOCS, STARKNET_DOCS } from '@/components/rpc/methods/testing'
import { loadCatalog, speak } from '@/lib/i18n/t'

afterEach(() => speak('en'))

const doc = (method: string) => (EVM_DOCS.get(method) ?? STARKNET_DOCS.get(method))!
const problemsOf = (method: string, params: unknown) => checkParams(doc(method), params)
const first = (method: string, params: unknown) => problemsOf(method, params)[0]

const RIGHT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const HASH = `0x${'ab'.repeat(32)}`

function mended(method: string, params: unknown[]): unknown[] {
  const [problem] = problemsOf(method, params)
  expect(problem?.fix).toBeDefined()
  return params.with(problem!.path[0] as number, problem!.fix!.value)
}

describe('an address', () => {
  test.each([RIGHT, RIGHT.toLowerCase(), `0x${RIGHT.slice(2).toUpperCase()}`])('passes as %s', (address) => {
    expect(problemsOf('eth_getBalance', [address, 'latest'])).toEqual([])
  })

  test('with letters that do not fit its checksum is a warning, and can be corrected', () => {
    const params = [RIGHT.replace('aAe', 'aae'), 'latest']
    expect(problemsOf('eth_getBalance', params)).toMatchObject([{ path: [0], severity: 'warning' }])
    expect(mended('eth_getBalance', params)).toEqual([RIGHT, 'latest'])
  })

  test.each([
    ['a hash', HASH, /looks like a hash/],
    ['too short', RIGHT.slice(0, -1), /40 hex digits\. This one has 39/],
    ['a name', 'vitalik.eth', /resolve names/],
    ['a number', 7, /got 7/],
    ['nothing', null, /Address is missing/],
    ['not hexadecimal', `${RIGHT.slice(0, -1)}g`, /“g” is not a hex digit/],
    ['markup', '<img src=x onerror=alert(1)>', /starts with 0x/],
  ])('that is %s is an error', (_, address, message) => {
    expect(first('eth_getBalance', [address, 'latest'])).toMatchObject({
      path: [0],
      severity: 'error',
      message: expect.stringMatching(message),
    })
  })

  test('loses the spaces around it, and gets the 0x that it lacks', () => {
    expect(mended('eth_getBalance', [` ${RIGHT}\n`, 'latest'])).toEqual([RIGHT, 'latest'])
    expect(mended('eth_getBalance', [RIGHT.slice(2), 'latest'])).toEqual([RIGHT, 'latest'])
  })
})

describe('a block', () => {
  test.each(['latest', 'earliest', 'pending', 'safe', 'finalized', '0x0', '0x10'])('passes as %s', (block) => {
    expect(problemsOf('eth_getBlockByNumber', [block, false])).toEqual([])
  })

  test('passes by its hash only where a state is asked', () => {
    for (const block of [
      HASH,
      { blockHash: HASH },
      { blockHash: HASH, requireCanonical: true },
      { blockNumber: '0x1' },
    ]) {
      expect(problemsOf('eth_getBalance', [RIGHT, block])).toEqual([])
      expect(first('eth_getBlockByNumber', [block, false])?.severity).toBe('error')
    }
  })

  test.each([
    [16, '0x10'],
    ['16', '0x10'],
    ['0x010', '0x10'],
    ['0x', '0x0'],
    ['Latest', 'latest'],
  ])('written as %j can be mended', (wrong, right) => {
    expect(mended('eth_getBlockByNumber', [wrong, false])).toEqual([right, false])
  })

  test('of a made-up tag names those that there are', () => {
    expect(first('eth_getBlockByNumber', ['newest', false])?.message).toMatch(/latest, pending, safe/)
  })
})

describe('a quantity', () => {
  const price = (value: unknown) => problemsOf('eth_call', [{ to: RIGHT, value }, 'latest'])

  test.each(['0x0', '0x1', `0x${'f'.repeat(64)}`])('passes as %s', (value) => {
    expect(price(value)).toEqual([])
  })

  test.each([
    ['0.5', /in wei/],
    ['0x00', /Leading zeros/],
    [`0x1${'0'.repeat(64)}`, /256 bits/],
    [-1, /0 or more/],
    [1.5, /whole/],
    [1e21, /hex text/],
  ])('as %j is an error', (value, message) => {
    expect(price(value)).toMatchObject([
      { path: [0, 'value'], severity: 'error', message: expect.stringMatching(message) },
    ])
  })
})

describe('data', () => {
  test('of half a byte is an error; of nothing it is fine', () => {
    expect(first('web3_sha3', ['0xabc'])).toMatchObject({ severity: 'error' })
    expect(problemsOf('web3_sha3', ['0x'])).toEqual([])
  })

  test('that names a storage slot may be short', () => {
    expect(problemsOf('eth_getStorageAt', [RIGHT, '0x0', 'latest'])).toEqual([])
    expect(first('eth_getStorageAt', [RIGHT, `${HASH}00`, 'latest'])?.severity).toBe('error')
  })
})

describe('logs', () => {
  const logs = (filter: unknown) => problemsOf('eth_getLogs', [filter])

  test.each([
    [
      'more than 10,000 blocks',
      { fromBlock: '0x0', toBlock: '0x2711' },
      'warning',
      /10,002 blocks\. .* 10,000 per call/,
    ],
    ['the whole chain', { fromBlock: 'earliest' }, 'warning', /whole chain/],
    ['a range that ends before it begins', { fromBlock: '0x2', toBlock: '0x1' }, 'error', /before the start block/],
    ['a range and a hash', { blockHash: HASH, fromBlock: '0x1' }, 'error', /not both/],
    ['five topics', { topics: [null, null, null, null, null] }, 'error', /maximum is 4 entries\. This array has 5/],
    ['a misspelt field', { fromblock: '0x1' }, 'warning', /Did you mean fromBlock\?/],
  ] as const)('with %s are a problem', (_, filter, severity, message) => {
    expect(logs(filter)).toMatchObject([{ severity, message: expect.stringMatching(message) }])
  })

  test('pass with 10,000 blocks, several contracts and topics of every form', () => {
    expect(logs({ fromBlock: '0x0', toBlock: '0x2710', address: [RIGHT], topics: [HASH, null, [HASH, HASH]] })).toEqual(
      [],
    )
  })
})

describe('a call', () => {
  test('is refused with both kinds of fee, and with data that is not its input', () => {
    expect(first('eth_call', [{ gasPrice: '0x1', maxFeePerGas: '0x1' }])).toMatchObject({ path: [0, 'gasPrice'] })
    expect(first('eth_call', [{ data: '0x', input: '0x00' }])).toMatchObject({ path: [0, 'input'] })
    expect(problemsOf('eth_call', [{ data: '0x00', input: '0x00' }])).toEqual([])
  })

  test('may leave out what is optional, also by null', () => {
    expect(problemsOf('eth_call', [{ to: null, data: '0x' }])).toEqual([])
    expect(problemsOf('eth_call', [{ to: RIGHT }, null])).toEqual([])
  })
})

describe('parameters as a whole', () => {
  test('by name are refused where they go by place', () => {
    expect(problemsOf('eth_getBalance', { address: RIGHT })).toMatchObject([{ path: [], severity: 'error' }])
  })

  test('are taken by place and by name on Starknet', () => {
    expect(problemsOf('starknet_getNonce', ['latest', '0x1'])).toEqual([])
    expect(problemsOf('starknet_getNonce', { block_id: 'latest', contract_address: '0x1' })).toEqual([])
    expect(problemsOf('starknet_getNonce', {})).toMatchObject([{ path: ['block_id'] }, { path: ['contract_address'] }])
  })

  test('beyond what a method takes are a warning', () => {
    expect(problemsOf('eth_chainId', ['more'])).toMatchObject([{ path: [0], severity: 'warning' }])
  })

  test.each([undefined, null])('that are left out (%s) lack what is required, and nothing else', (params) => {
    expect(problemsOf('eth_chainId', params)).toEqual([])
    expect(problemsOf('eth_getCode', params)).toHaveLength(2)
  })
})

describe('a felt', () => {
  test.each([
    ['0x', /0x0/],
    [`0x8${'0'.repeat(15)}11${'0'.repeat(47)}1`, /too large for a felt/],
    ['STRK', /starts with 0x/],
  ])('as %s is an error', (value, message) => {
    expect(first('starknet_getNonce', { block_id: 'latest', contract_address: value })?.message).toMatch(message)
  })

  test('may have zeros in front, as addresses are written', () => {
    expect(problemsOf('starknet_getNonce', { block_id: 'latest', contract_address: `0x0${'4'.repeat(63)}` })).toEqual(
      [],
    )
  })

  test.each([
    [5, { block_number: 5 }],
    ['0x5', { block_hash: '0x5' }],
    ['pending', 'pre_confirmed'],
  ])('block written as %j can be mended', (wrong, right) => {
    expect(first('starknet_getNonce', { block_id: wrong, contract_address: '0x1' })?.fix?.value).toEqual(right)
  })
})

test('problems are in the language of the page', async () => {
  await loadCatalog('de')
  speak('de')
  expect(first('eth_getBalance', ['7', 'latest'])).toMatchObject({
    message: expect.stringMatching(/^Das Präfix 0x fehlt/),
    fix: { label: '0x verwenden' },
  })
  expect(first('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x2711' }])?.message).toMatch(/^10\.002 Blöcke\. /)
})

describe('hostile parameters', () => {
  const docs = [...EVM_DOCS.values(), ...STARKNET_DOCS.values()]

  test('of any shape give problems, bounded in number, and throw nothing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...docs), fc.jsonValue({ maxDepth: 6 }), (each, value) => {
        for (const params of [value, [value], [value, value, value]]) {
          expect(checkParams(each, params).length).toBeLessThanOrEqual(50)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('of a million entries are looked at no further than a bound', () => {
    const many = Array.from({ length: 1_000_000 }, () => RIGHT)
    expect(problemsOf('eth_getLogs', [{ address: many }])).toEqual([])
    expect(problemsOf('eth_getLogs', [{ address: many.fill('x') }])).toHaveLength(50)
  })

  test('a hundred thousand levels deep do no harm', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    for (const each of docs) expect(() => checkParams(each, [deep, deep])).not.toThrow()
  })

  test('with keys of every object’s prototype are only unknown keys', () => {
    const filter: unknown = JSON.parse('{"__proto__":{"fromBlock":"x"},"constructor":1,"toString":2}')
    const problems = problemsOf('eth_getLogs', [filter])
    expect(problems.map(({ path }) => path.at(-1))).toEqual(['__proto__', 'constructor', 'toString'])
    expect(problems.every(({ severity }) => severity === 'warning')).toBe(true)
  })

  test('are named by their first characters only', () => {
    expect(first('eth_getBalance', ['x'.repeat(1_000_000), 'latest'])!.message.length).toBeLessThan(120)
  })
})
