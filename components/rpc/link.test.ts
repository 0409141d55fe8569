import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPlaygroundPath, linkOf, MAX_LINK_CHARS, readLink } from '@/components/rpc/link'
import { networkOf } from '@/lib/contract/rpc-networks'

const BASE = networkOf('base-mainnet')!

const opened = (href: string) => {
  const { pathname, search } = new URL(href, 'https://example.org')
  return readLink(pathname, search)
}

describe('a link', () => {
  test('says network, method and parameters, readably', () => {
    const { href } = linkOf({ network: BASE, method: 'eth_getBalance', params: ['0xdEaD', 'latest'] })
    expect(href).toBe('/rpc/base-mainnet/eth_getBalance?p=%5B%220xdEaD%22,%22latest%22%5D')
    expect(opened(href)).toEqual({ network: BASE, method: 'eth_getBalance', params: ['0xdEaD', 'latest'] })
  })

  test('leaves out the parameters that a method starts with', () => {
    expect(linkOf({ network: BASE, method: 'eth_blockNumber', params: undefined })).toEqual({
      href: '/rpc/base-mainnet/eth_blockNumber',
    })
  })

  test.each([
    'eth_sendRawTransaction',
    'eth_sendUserOperation',
    'starknet_addInvokeTransaction',
    'trace_rawTransaction',
  ])('never holds what %s would send', (method) => {
    const { href, loss } = linkOf({ network: BASE, method, params: ['0xf86c'] })
    expect(loss).toBe('signed')
    expect(href).not.toContain('f86c')
  })

  test('says when the parameters are too long for it', () => {
    const { href, loss } = linkOf({ network: BASE, method: 'eth_call', params: ['x'.repeat(MAX_LINK_CHARS)] })
    expect(loss).toBe('too-long')
    expect(href).toBe('/rpc/base-mainnet/eth_call')
  })

  const json = fc.oneof(
    fc.array(fc.jsonValue({ maxDepth: 4 })),
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })),
  )
  test('brings back whatever parameters it took', () => {
    fc.assert(
      fc.property(json, (params) => {
        const { href, loss } = linkOf({ network: BASE, method: 'eth_call', params })
        if (!loss) expect(JSON.stringify(opened(href).params)).toBe(JSON.stringify(params))
      }),
    )
  })
})

describe('a link from anybody', () => {
  test.each([
    ['/rpc/base-mainnet/eth_call?p={', /parameters/],
    ['/rpc/base-mainnet/eth_call?p=%22text%22', /parameters/],
    ['/rpc/base-mainnet/eth_call?p=7', /parameters/],
    ['/rpc/base-mainnet/eth_call?p=null', /parameters/],
    [`/rpc/base-mainnet/eth_call?p=${'['.repeat(60)}${']'.repeat(60)}`, /parameters/],
    [`/rpc/base-mainnet/eth_call?p=%5B%22${'x'.repeat(5_000)}%22%5D`, /parameters/],
    ['/rpc/base-mainnet/<img src=x>', /invalid method name/],
    ['/rpc/base-mainnet/%E0%A4%A', /invalid method name/],
    ['/rpc/base-mainnet/eth_sendRawTransaction?p=%5B%220xf86c%22%5D', /signed transaction/],
  ])('is read as far as it is sound: %s', (href, problem) => {
    const [pathname = '', search = ''] = href.split(/(?=\?)/)
    const read = readLink(pathname, search)
    expect(read.network).toBe(BASE)
    expect(read.params).toBeUndefined()
    expect(read.problem).toMatch(problem)
  })

  test('names a network that is none', () => {
    const { network, problem } = readLink(`/rpc/${'base'.repeat(30)}/eth_call`, '')
    expect(network).toBeUndefined()
    expect(problem).toMatch(/^Unknown network “base/)
    expect(problem!.length).toBeLessThan(120)
  })

  test('a name of the language is no network', () => {
    expect(readLink('/rpc/__proto__/eth_call', '').network).toBeUndefined()
    expect(readLink('/rpc/constructor', '').network).toBeUndefined()
  })
})

test('the matrix is a screen of its own', () => {
  expect(['/rpc', '/rpc/base-mainnet', '/rpc/base-mainnet/eth_call'].every(isPlaygroundPath)).toBe(true)
  expect(['/rpc/matrix', '/', '/rpcs'].some(isPlaygroundPath)).toBe(false)
})
