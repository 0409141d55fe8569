import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import fc from 'fast-check'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { ParamsForm, placeName } from '@/components/rpc/form/params-form'
import { checkParams } from '@/components/rpc/methods/check-params'
import { EVM_DOCS, STARKNET_DOCS } from '@/components/rpc/methods/testing'
import { type MethodDoc, startParams } from '@/components/rpc/methods/types'
import { SESSION_KEY } from '@/lib/browser/session'
import { networkOf } from '@/lib/contract/rpc-networks'

const docs = [...EVM_DOCS.values(), ...STARKNET_DOCS.values()]
const WALLET = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'

function drawn(doc: MethodDoc | undefined, params: unknown, address: string | null = null): string {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  client.setQueryData(SESSION_KEY, address && { address, family: 'evm' })
  const html = renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <ParamsForm
        doc={doc}
        network={networkOf(doc?.paramsBy === 'name' ? 'starknet-mainnet' : 'base-mainnet')!}
        params={params}
        onChange={() => undefined}
        problems={doc ? checkParams(doc, params) : []}
      />
    </QueryClientProvider>,
  )
  client.clear()
  return html
}

const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#x27;', "'")
    .replace(/\s+/g, ' ')

describe('the form', () => {
  test.each(docs.map((doc) => [doc.method, doc] as const))(
    'of %s shows every parameter that is not folded away',
    (_, doc) => {
      const text = textOf(drawn(doc, startParams(doc)))
      for (const { label, isMinor } of doc.params) if (!isMinor) expect(text).toContain(label)
      if (doc.params.length === 0) expect(text).toContain('takes no parameters')
      expect(text).not.toContain('Error:')
    },
  )

  test('says what it has no field for, and shows what does not belong into a field as JSON', () => {
    const doc = EVM_DOCS.get('eth_getLogs')!
    const text = textOf(drawn(doc, [{ extra: 1, blockHash: { a: 1 } }, 'more', 'and more']))
    expect(text).toContain('extra')
    expect(text).toContain('2 more parameters')
    expect(text).toContain('The value doesn’t fit this field')
  })

  test('says so when the parameters are of another kind altogether', () => {
    expect(textOf(drawn(EVM_DOCS.get('eth_getBalance'), { address: WALLET }))).toContain('Use example')
    expect(textOf(drawn(EVM_DOCS.get('eth_getBalance'), 'latest'))).toContain('Use example')
  })

  test('ties what is wrong to its control', () => {
    const html = drawn(EVM_DOCS.get('eth_getBalance'), ['0x12', 'latest'])
    const [control] = html.match(/<textarea[^>]*>/) ?? []
    expect(control).toContain('aria-invalid="true"')
    const [, ids = ''] = /aria-describedby="([^"]*)"/.exec(control ?? '') ?? []
    const [, id] = ids.split(' ')
    expect(textOf(html.slice(html.indexOf(`id="${id}"`)))).toMatch(/Error: An address has 40 hex digits/)
  })

  test('offers the address of the wallet that is signed in, and of no other kind', () => {
    const doc = EVM_DOCS.get('eth_getBalance')!
    expect(drawn(doc, ['', 'latest'], WALLET)).toContain('Mine')
    expect(drawn(doc, ['', 'latest'])).not.toContain('Mine')
    expect(textOf(drawn(doc, [WALLET, 'latest'], WALLET))).toContain('Your wallet’s')
  })

  test('of a method that no list has is JSON, and says so', () => {
    expect(textOf(drawn(undefined, []))).toContain('parameters aren’t checked')
  })

  test('draws any JSON without a fault, and runs none of it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...docs), fc.jsonValue({ maxDepth: 5 }), (doc, value) => {
        for (const params of [value, [value, value, value], { block_id: value, request: value }]) drawn(doc, params)
      }),
      { numRuns: 60 },
    )
    const markup = '<img src=x onerror=alert(1)>'
    for (const doc of docs) {
      const places = [markup, { [markup]: markup }, [markup]]
      for (const hostile of places) expect(drawn(doc, [hostile, hostile])).not.toContain('<img')
    }
  })

  test('draws lists and objects of a hundred thousand entries in part, and says how many there are', () => {
    const many = Array.from({ length: 100_000 }, () => WALLET)
    const html = drawn(EVM_DOCS.get('eth_getLogs'), [{ address: many }])
    expect(html.length).toBeLessThan(600_000)
    expect(textOf(html)).toContain('99,900 more entries')
    const keyed = Object.fromEntries(many.map((_, index) => [`0x${index}`, {}]))
    expect(textOf(drawn(EVM_DOCS.get('eth_call'), [{}, 'latest', keyed]))).toContain('99,950 more')
  })

  test('draws what is nested a hundred thousand levels deep without looking into it', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    for (const doc of docs) drawn(doc, [deep, deep])
  })
})

describe('a place', () => {
  test('is said in the words of the form', () => {
    const call = EVM_DOCS.get('eth_call')!
    expect(placeName(call, [{ data: '0x1' }], [0, 'data'])).toBe('Call › Data')
    const logs = EVM_DOCS.get('eth_getLogs')!
    expect(placeName(logs, [{ topics: [['x']] }], [0, 'topics', 0, 0])).toBe('Filter › Topics › Topic 1 › Value 1')
    expect(placeName(logs, [{ foo: 1 }], [0, 'foo'])).toBe('Filter › foo')
    expect(placeName(STARKNET_DOCS.get('starknet_getNonce'), {}, ['block_id'])).toBe('Block')
    expect(placeName(undefined, {}, ['a', 0])).toBe('a › Entry 1')
  })
})
