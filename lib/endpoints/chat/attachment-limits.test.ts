import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type AttachmentRead, readWithinLimits } from '@/lib/endpoints/chat/attachment-limits'
import type { Attachment } from '@/lib/endpoints/chat/attachments'
import type { ReadPart } from '@/lib/endpoints/chat/read-attachments'
import type { ContentPart } from '@/lib/services/engines/engine'
import { createLedger, MAX_ACCOUNT_BYTES, openMemoryReservation } from '@/lib/services/media/memory-budget'

const attachments = (count: number, url = 'https://a.example/b.png'): Attachment[] =>
  Array.from({ length: count }, (_, part) => ({
    message: 0,
    part,
    content: { type: 'image_url', image_url: { url }, cache_control: undefined },
  }))
const made = (...parts: ContentPart[]): ReadPart => ({
  parts,
  tokens: { estimate: 1, most: 1 },
  assists: [],
})
const text = (length: number) => made({ type: 'text', text: 'x'.repeat(length) })
const image = (length: number) => made({ type: 'image_url', image_url: { url: 'x'.repeat(length) } })

function setUp() {
  const ledger = createLedger()
  const memory = openMemoryReservation('somebody', ledger)
  const read = (
    all: Attachment[],
    one: (attachment: Attachment, reading: AttachmentRead) => Promise<ReadPart>,
    more: { assertFits?: (chars: number) => void; signal?: AbortSignal } = {},
  ) =>
    readWithinLimits(all, { memory, assertFits: () => undefined, signal: new AbortController().signal, ...more }, one)
  return { ledger, memory, read }
}

test('attachments are read four at a time, and their readings stand in their order', async () => {
  const { read } = setUp()
  let [active, max] = [0, 0]
  const parts = await read(attachments(9), async ({ part }) => {
    max = Math.max(max, ++active)
    await sleep(20 - part)
    active--
    return text(part)
  })
  expect(parts.map(({ parts: [first] }) => first?.type === 'text' && first.text.length)).toEqual([...Array(9).keys()])
  expect(max).toBe(4)
})

test('the first that fails ends the others, and none is begun any more', async () => {
  const { read } = setUp()
  const begun: number[] = []
  const ended: unknown[] = []
  const reading = read(attachments(8), async ({ part }, { signal }) => {
    begun.push(part)
    if (part === 1) throw new Error('broken')
    await sleep(5_000, undefined, { signal }).catch(() => ended.push(signal.reason))
    throw signal.reason
  })
  await expect(reading).rejects.toThrow('broken')
  await expect.poll(() => ended.length).toBe(3)
  expect(begun).toEqual([0, 1, 2, 3])
})

test('documents end where no context could hold them', async () => {
  const { read } = setUp()
  const assertFits = (chars: number) => {
    if (chars > 2_500) throw new Error('too long')
  }
  let begun = 0
  const reading = read(attachments(100), async () => text(++begun && 1_000), { assertFits })
  await expect(reading).rejects.toThrow('too long')
  expect(begun).toBeLessThan(10)
})

test('media that are small as they come and large as they are read are refused', async () => {
  const { ledger, memory, read } = setUp()
  const reading = read(attachments(100), async () => image(40_000_000))
  await expect(reading).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    issues: [{ path: ['messages'], message: expect.stringContaining('128 MB') }],
  })
  memory.close()
  expect(ledger).toEqual({ bytes: 0, accounts: new Map() })
})

test('who has too much in memory already is asked to come back', async () => {
  const { ledger, read } = setUp()
  openMemoryReservation('somebody', ledger).reserve(MAX_ACCOUNT_BYTES - 10)
  await expect(read(attachments(1), async () => text(1))).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    retryAfterSeconds: expect.any(Number),
  })
})

test('what is in memory only while it is read is given back then', async () => {
  const { ledger, read } = setUp()
  await read(attachments(3, 'data:'), async (_, { count }) => {
    count(1_000_000)
    return text(10)
  })
  expect(ledger.bytes).toBe(3 * 'data:'.length + 3 * 3 * 10)
})

test('a caller who leaves ends it', async () => {
  const { read } = setUp()
  const leaving = new AbortController()
  const reading = read(
    attachments(2),
    async (_, { signal }) => {
      await sleep(5_000, undefined, { signal }).catch(() => undefined)
      throw signal.reason
    },
    { signal: leaving.signal },
  )
  leaving.abort(new Error('gone'))
  await expect(reading).rejects.toThrow('gone')
})
