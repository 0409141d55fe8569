import { expect, test } from 'vitest'
import { z } from 'zod'
import { json } from '@/lib/api/body'
import type { RequestContext } from '@/lib/core/context'
import { ApiError } from '@/lib/core/errors'
import { eventually } from '@/lib/core/testing/eventually'

const Schema = z.object({
  name: z.string(),
  size: z.number().max(9).optional(),
  tags: z.array(z.string()).max(2).optional(),
  scale: z.union([z.literal(2), z.literal(4)], 'must be 2 or 4').optional(),
})
const SMALL = 1024

/** Sends a body to the parser; the value, or the error that the caller gets. */
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

test('whoever sends many large bodies at once leaves room for those of others, and for small ones', async () => {
  const large = 35 * 1024 * 1024
  const endings: (() => void)[] = []
  const send = (accountId: string, declared: number) => {
    const body = new ReadableStream({ start: (controller) => void endings.push(() => controller.error(new Error())) })
    const request = new Request('http://localhost/', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'content-length': String(declared) },
      duplex: 'half',
    } as RequestInit)
    const context = { headers: request.headers, facts: { accountId } } as unknown as RequestContext
    return json(Schema)(context, request).catch((error: ApiError) => error.code)
  }
  const first = Array.from({ length: 7 }, () => send('slow', large))
  expect(await send('slow', large)).toBe('SERVICE_UNAVAILABLE')
  const others = [send('other', large), send('slow', 60_000)]
  for (const end of endings) end()
  expect(await Promise.all([...first, ...others])).toEqual(Array(9).fill('REQUEST_TIMEOUT_BODY'))
  const again = send('slow', large)
  endings.at(-1)?.()
  expect(await again).toBe('REQUEST_TIMEOUT_BODY')
})

test('a body is counted whether it says its length or not', async () => {
  const long = `{"name":"${'x'.repeat(SMALL)}"}`
  expect(
    await parse(long, { 'Content-Type': 'application/json', 'Content-Length': String(long.length) }),
  ).toMatchObject({ status: 413 })
  expect(await parse(new Blob([long]).stream())).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', status: 413 })
})

test.each([
  [1_024, '1 KB'],
  [64 * 1_024, '64 KB'],
  [1_024 * 1_024, '1 MB'],
  [35 * 1_024 * 1_024, '35 MB'],
])('a bound of %i bytes is told as %s', async (maxBytes, told) => {
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(maxBytes + 1) }
  const request = new Request('http://localhost/', { method: 'POST', body: '{}', headers })
  const context = { headers: new Headers(headers) } as unknown as RequestContext
  await expect(json(Schema, { maxBytes })(context, request)).rejects.toMatchObject({
    status: 413,
    message: expect.stringContaining(`larger than ${told}.`),
  })
})

test('bodies of unknown length count together while they come, and no more when they have ended', async () => {
  const megabyte = new Uint8Array(1_024 * 1_024).fill(0x20)
  const read = (body: ReadableStream, accountId = 'last') => {
    const request = new Request('http://localhost/', { method: 'POST', body, duplex: 'half' } as RequestInit)
    const headers = new Headers({ 'content-type': 'application/json' })
    const context = { headers, facts: { accountId } } as unknown as RequestContext
    return json(Schema)(context, request).catch((error: ApiError) => error)
  }
  const tide = () => new Blob([`{"name":"tide"}${' '.repeat(100_000)}`]).stream()
  const controllers: ReadableStreamDefaultController[] = []
  /** Sends so much and then nothing. */
  const slow = (megabytes: number) =>
    new ReadableStream({
      start(controller) {
        for (let n = 0; n < megabytes; n++) controller.enqueue(megabyte)
        controllers.push(controller)
      },
    })
  const pending = Array.from({ length: 16 }, (_, n) => read(slow(32), `account ${n % 2}`))
  // Until all that was sent has been taken.
  await eventually(() => expect(controllers.map(({ desiredSize }) => desiredSize)).toEqual(Array(16).fill(1)))
  expect(await read(tide())).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  for (const controller of controllers) controller.error(new Error('left'))
  for (const error of await Promise.all(pending)) expect(error).toMatchObject({ code: 'REQUEST_TIMEOUT_BODY' })
  expect(await read(tide())).toEqual({ name: 'tide' })
})

test('schema faults come with their paths', async () => {
  expect(await parse('{"name":1,"size":10}')).toMatchObject({
    message: 'Invalid request parameters',
    issues: [{ path: ['name'] }, { path: ['size'], code: 'too_big' }],
  })
})
