import { describe, expect, test } from 'vitest'
import { cleanName, printFile, readFile } from '@/components/rpc/saved-requests-file'
import { MAX_SAVED, type NewSaved } from '@/components/rpc/store'

const AT = new Date('2026-11-20T12:00:00Z')

const saved = (changes: Partial<NewSaved> = {}): NewSaved => ({
  name: 'Balance of the vault',
  folder: 'Vault',
  network: 'base-mainnet',
  calls: [{ method: 'eth_getBalance', params: ['0x01', 'latest'] }],
  isBatch: false,
  ...changes,
})

const file = (requests: unknown[], changes: object = {}) =>
  JSON.stringify({ kind: 'rpc-collections', version: 1, requests, ...changes })

test('what was exported is imported as it was', () => {
  const all = [
    saved(),
    saved({ name: 'Both', folder: '', isBatch: true, calls: [{ method: 'eth_chainId', params: [] }] }),
  ]
  const { text, leftOut } = printFile(all, AT)
  expect(leftOut).toBe(0)
  expect(readFile(text, [])).toEqual({ calls: all, problems: [], moreProblems: 0, known: 0 })
})

test('a signed transaction does not get into a file', () => {
  const { text, leftOut } = printFile(
    [saved({ calls: [{ method: 'eth_sendRawTransaction', params: ['0xf86c'] }] })],
    AT,
  )
  expect(leftOut).toBe(1)
  expect(text).not.toContain('f86c')
})

test('what is saved already, or stands there twice, is not added again', () => {
  const { text } = printFile([saved(), saved({ name: 'Other' })], AT)
  const twice = JSON.parse(text) as { requests: unknown[] }
  const { calls, known } = readFile(file([...twice.requests, ...twice.requests]), [saved()])
  expect(calls.map(({ name }) => name)).toEqual(['Other'])
  expect(known).toBe(3)
})

describe('a hostile file', () => {
  test.each([
    ['not json', /isn’t valid JSON/],
    ['[]', /contains no saved requests/],
    ['null', /contains no saved requests/],
    [file([], { kind: 'other' }), /contains no saved requests/],
    [file([], { version: 2 }), /newer version/],
    [file(Array(MAX_SAVED + 1).fill({})), /more than/],
  ])('is refused as a whole: %.40s', (text, words) => {
    expect(() => readFile(text, [])).toThrow(words)
  })

  test.each([
    [null, /not an object/],
    [{ ...saved(), network: 'base' }, /unknown network “base”/],
    [{ ...saved(), network: '__proto__' }, /unknown network/],
    [{ ...saved(), calls: [] }, /1 to 100 calls/],
    [{ ...saved(), calls: Array(101).fill({ method: 'eth_call' }) }, /1 to 100 calls/],
    [{ ...saved(), calls: [{ method: '<script>' }] }, /not a valid method name/],
    [{ ...saved(), calls: [7] }, /no valid method name/],
    [{ ...saved(), calls: [{ method: 'eth_call', params: 'text' }] }, /must be an array or an object/],
  ])('loses the request that is wrong, and the rest is read: %#', (request, words) => {
    const { calls, problems } = readFile(file([request, saved()]), [])
    expect(calls).toHaveLength(1)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(/^Request 1: /)
    expect(problems[0]).toMatch(words)
  })

  test('brings nothing along that was not asked for', () => {
    const request = {
      ...saved(),
      id: 'x',
      order: -1,
      deletedAt: 1,
      onclick: 'x',
      calls: [{ method: 'eth_call', params: [], id: 1 }],
    }
    const [call] = readFile(file([request]), []).calls
    expect(Object.keys(call!).sort()).toEqual(['calls', 'folder', 'isBatch', 'name', 'network'])
    expect(Object.keys(call!.calls[0]!)).toEqual(['method', 'params'])
  })

  test('is reported in bounds', () => {
    const { problems, moreProblems } = readFile(file(Array(500).fill(null)), [])
    expect(problems).toHaveLength(20)
    expect(moreProblems).toBe(480)
  })
})

test('a name is one line of what can be seen', () => {
  expect(cleanName('  a\u202Eb\u0000c\n d  ', 120)).toBe('a b c d')
  expect(cleanName({}, 120)).toBe('')
  expect(cleanName('x'.repeat(1_000), 120)).toHaveLength(120)
})
