import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { scannedPdf } from '@/lib/services/documents/testing/documents'
import { extractText, parserPool } from '@/lib/services/documents/text-parser'
import { imageFile, writing } from '@/lib/services/engines/embedded/testing/images'
import { closeEngines } from '@/lib/services/engines/registry'

const DOWNLOAD_MS = 300_000
const signal = new AbortController().signal
const FIRST = ['The harbour was dredged in 1998.', 'Its depth is 7 metres at low water.']
const SECOND = ['Ships longer than 120 metres need a pilot.']

const drawn = (lines: string[]) => imageFile(1_000, 400, writing(lines, { size: 32 }))
const read = async (bytes: Uint8Array) => (await extractText({ bytes }, { signal, maxChars: 10_000 })).text

beforeAll(async () => {
  vi.stubEnv('DATA_DIR', '.cache')
  await read(await drawn(['warm up']))
}, DOWNLOAD_MS)
afterAll(async () => {
  parserPool().close()
  await closeEngines()
})

test('a scanned document is read page by page', async () => {
  const text = await read(await scannedPdf([await drawn(FIRST), await drawn(SECOND)]))
  expect(text).toBe(`${FIRST.join('\n')}\n\n${SECOND.join('\n')}`)
})

test('a picture file is read', async () => {
  expect(await read(await drawn(SECOND))).toBe(SECOND[0])
})

test('a picture without text is empty', async () => {
  await expect(read(await imageFile(200, 200, ''))).rejects.toMatchObject({ reason: 'empty' })
})
