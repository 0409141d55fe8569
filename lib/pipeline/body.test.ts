import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ApiError } from '@/lib/contract/errors'
import { nano, ZERO } from '@/lib/contract/money'
import type { RequestContext } from '@/lib/kernel/request-context'
import { json } from '@/lib/pipeline/body'
import { noteBalances } from '@/lib/services/ledger/ledger'

const Schema = z.object({
  name: z.string(),
  size: z.number().max(9).optional(),
  tags: z.array(z.string()).max(2).optional(),
  scale: z.union([z.literal(2), z.literal(4)], 'must be 2 or 4').optional(),
})
const SMALL = 1024

async function parse(body: BodyInit | null, headers: Record<string, string> = { 'Content-Type': 'application/json' }) {
  const request = new Request('http://localhost/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
  try {
    return await json(Schema, { maxBytes: SMALL })({ headers: request.headers } as RequestContext, request)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

test('a good body becomes a typed value, with any JSON content type', async () => {
  expect(await parse('{"name":"tide"}')).toEqual({ name: 'tide' })
  expect(await parse('{"name":"tide"}', { 'Content-Type': 'application/json; charset=utf-8' })).toEqual({
    name: 'tide',
  })
})

test.each(['text/plain', 'multipart/form-data', 'application/jsonx', ''])('content type %j is 415', async (type) => {
  expect(await parse('{"name":"tide"}', { 'Content-Type': type })).toMatchObject({
    code: 'INVALID_CONTENT_TYPE',
    status: 415,
  })
})

test.each([
  ['', /empty/],
  ['{"name":', /not valid JSON/],
  ['[[', /not valid JSON/],
  ['{"name":'.repeat(100), /nested/],
])('%j is a syntax error that says what is wrong', async (body, message) => {
  expect(await parse(body)).toMatchObject({
    code: 'INVALID_REQUEST',
    status: 400,
    message: expect.stringMatching(message),
  })
})

test('a value of another kind has one fault, and a union says what it is in its own words', async () => {
  expect(await parse('{"name":"tide","tags":"many words","scale":3}')).toMatchObject({
    issues: [
      { code: 'invalid_type', path: ['tags'] },
      { code: 'invalid_union', path: ['scale'], message: 'must be 2 or 4' },
    ],
  })
})

test('bytes that are not UTF-8 are refused, not replaced', async () => {
  expect(await parse(new Uint8Array([0x22, 0xff, 0xfe, 0x22]))).toMatchObject({
    message: expect.stringMatching('UTF-8'),
  })
})

describe('room for large bodies', () => {
  const megabyte = new Uint8Array(1_000_000).fill(0x20)
  const funded = (accountId: string) => {
    noteBalances(accountId, { USD: nano(1_000_000_000n), DIEM: ZERO, BUNDLED_CREDITS: ZERO })
    return accountId
  }
  const empty = (accountId: string) => {
    noteBalances(accountId, { USD: ZERO, DIEM: ZERO, BUNDLED_CREDITS: ZERO })
    return accountId
  }
  const uploads: { fail: () => void; answer: Promise<unknown> }[] = []

  async function begin(accountId: string, megabytes: number, announced?: number): Promise<unknown> {
    let left = megabytes
    let fail = () => {}
    const taken = Promise.withResolvers<undefined>()
    const body = new ReadableStream(
      {
        start(controller) {
          fail = () => controller.error(new Error('left'))
        },
        pull(controller) {
          if (left-- > 0) return controller.enqueue(megabyte)
          taken.resolve(undefined)
          return new Promise(() => {})
        },
      },
      { highWaterMark: 0 },
    )
    const answer = send(accountId, body, announced)
    uploads.push({ fail, answer })
    return Promise.race([taken.promise, answer])
  }
  function send(accountId: string, body: BodyInit, announced?: number): Promise<unknown> {
    const request = new Request('http://localhost/', { method: 'POST', body, duplex: 'half' } as RequestInit)
    const headers = new Headers({ 'content-type': 'application/json' })
    if (announced !== undefined) headers.set('content-length', String(announced))
    const context = { headers, facts: { accountId } } as unknown as RequestContext
    return json(Schema)(context, request).catch((error: ApiError) => error.code)
  }
  const tide = (accountId: string) => send(accountId, new Blob([`{"name":"tide"}${' '.repeat(100_000)}`]))

  afterEach(async () => {
    for (const { fail } of uploads) fail()
    await Promise.all(uploads.splice(0).map(({ answer }) => answer))
  })

  test('is not taken by what is only announced', async () => {
    const wallets = ['one', 'two', 'three'].map(empty)
    for (const wallet of wallets) for (let n = 0; n < 5; n++) expect(await begin(wallet, 0, 35_000_000)).toBeUndefined()
    expect(await tide(funded('paying'))).toEqual({ name: 'tide' })
    expect(await tide(empty('four'))).toEqual({ name: 'tide' })
  })

  test('is shared by all who have no credit, beside those who have', async () => {
    const answers: unknown[] = []
    for (let n = 0; n < 15; n++) answers.push(await begin(empty(`empty ${n % 3}`), 34, 34_000_001))
    expect(new Set(answers)).toEqual(new Set([undefined, 'SERVICE_UNAVAILABLE']))
    expect(answers.filter((answer) => answer === undefined).length).toBeGreaterThan(1)
    for (let n = 0; n < 5; n++) expect(await begin(funded('paying'), 34, 34_000_001)).toBeUndefined()
    expect(await tide(empty('another'))).toEqual({ name: 'tide' })
  })

  test.each([34_000_001, undefined])('is left to others by whoever sends much (length: %s)', async (announced) => {
    const answers: unknown[] = []
    for (let n = 0; n < 15; n++) answers.push(await begin(funded(`large ${n % 2}`), 34, announced))
    expect(answers).toContain('SERVICE_UNAVAILABLE')
    expect(await begin(funded('other'), 34, announced)).toBeUndefined()
  })

  test('is given back', async () => {
    for (let n = 0; n < 40; n++) {
      expect(await begin(empty('again'), 34, 34_000_001)).toBeUndefined()
      const { fail, answer } = uploads.pop()!
      fail()
      expect(await answer).toBe('REQUEST_TIMEOUT_BODY')
    }
  })
})

test('a body is counted whether it says its length or not', async () => {
  const long = `{"name":"${'x'.repeat(SMALL)}"}`
  expect(
    await parse(long, { 'Content-Type': 'application/json', 'Content-Length': String(long.length) }),
  ).toMatchObject({ status: 413 })
  expect(await parse(new Blob([long]).stream())).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', status: 413 })
})

test.each([
  [1_000, '1 KB'],
  [64_000, '64 KB'],
  [1_000_000, '1 MB'],
  [25_262_144, '25 MB'],
  [35_000_000, '35 MB'],
])('a bound of %i bytes is told as %s', async (maxBytes, told) => {
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(maxBytes + 1) }
  const request = new Request('http://localhost/', { method: 'POST', body: '{}', headers })
  const context = { headers: new Headers(headers) } as unknown as RequestContext
  await expect(json(Schema, { maxBytes })(context, request)).rejects.toMatchObject({
    status: 413,
    message: expect.stringContaining(`larger than ${told}.`),
  })
})

test('schema faults come with their paths', async () => {
  expect(await parse('{"name":1,"size":10}')).toMatchObject({
    message: 'Invalid request parameters',
    issues: [{ path: ['name'] }, { path: ['size'], code: 'too_big' }],
  })
})
