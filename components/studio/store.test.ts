import 'fake-indexeddb/auto'
import { beforeEach, expect, test } from 'vitest'
import { backupBytes } from '@/components/history/archive/backup'
import { importFile } from '@/components/history/archive/import'
import {
  addGeneration,
  changeGeneration,
  countGenerations,
  deleteGeneration,
  keepFile,
  listGenerations,
  listOpen,
  loadGeneration,
  newGeneration,
  priceGeneration,
  purgeGenerations,
  restoreGeneration,
  typicalMs,
} from '@/components/studio/store'
import { dayOf } from '@/lib/browser/format/day'
import { BLOB_GRACE_MS, dropUnusedBlobs, loadBlob } from '@/lib/browser/storage/blobs'
import { db } from '@/lib/browser/storage/database'
import type { CreationDraft } from '@/lib/browser/storage/generations'
import { nano, usd } from '@/lib/contract/money'

beforeEach(() => Promise.all(db.tables.map((table) => table.clear())))

const DRAFT: CreationDraft = {
  kind: 'image',
  task: 'generate',
  modelId: 'painter',
  modelName: 'Painter',
  prompt: 'A lagoon',
  settings: { variants: 2 },
  inputs: [],
}
const REQUEST = { id: 'generate-image-0123456789abcdef01234567', model: 'painter', at: 1_000 }

async function added(changes: Partial<CreationDraft> = {}, now = 1_000, request?: typeof REQUEST) {
  const generation = newGeneration({ ...DRAFT, ...changes }, request, now)
  await addGeneration(generation)
  return generation
}

test('the wall has its own kind, newest first, as far as it is asked for', async () => {
  const first = await added({}, 1)
  const second = await added({}, 2)
  await added({ kind: 'audio', task: 'speech' }, 3)
  expect((await listGenerations('image', 10)).map(({ id }) => id)).toEqual([second.id, first.id])
  expect((await listGenerations('image', 1)).map(({ id }) => id)).toEqual([second.id])
  expect(await countGenerations('image')).toBe(2)
})

test('what is deleted can be brought back, until it is purged', async () => {
  const { id } = await added()
  await changeGeneration(id, { state: 'done' })
  await deleteGeneration(id, 5_000)
  expect(await listGenerations('image', 10)).toEqual([])
  await restoreGeneration(id)
  expect(await listGenerations('image', 10)).toHaveLength(1)
  await deleteGeneration(id, 5_000)
  await purgeGenerations(4_999)
  expect(await loadGeneration(id)).toBeDefined()
  await purgeGenerations(5_000)
  expect(await loadGeneration(id)).toBeUndefined()
})

test('what is deleted while it is under way, or before its price is known, stays until both are settled', async () => {
  const { id } = await added({}, 1_000, REQUEST)
  await deleteGeneration(id, 2_000)
  await purgeGenerations(9_000)
  await changeGeneration(id, { state: 'done', endedAt: 3_000 })
  await purgeGenerations(9_000)
  expect((await listOpen()).map((one) => one.id)).toEqual([id])
  await priceGeneration(id, usd('0.02'), 3_000)
  expect(await listOpen()).toEqual([])
  await purgeGenerations(9_000)
  expect(await loadGeneration(id)).toBeUndefined()
})

test('a price is learnt once and counts towards its day', async () => {
  const at = Date.UTC(2026, 10, 20, 12)
  const { id } = await added({}, at, REQUEST)
  await priceGeneration(id, usd('0.02'), at)
  await priceGeneration(id, usd('0.05'), at)
  const kept = await loadGeneration(id)
  expect(kept).toMatchObject({ cost: usd('0.02') })
  expect(kept).not.toHaveProperty('request')
  expect((await db.spending.get(dayOf(at)))?.spent).toBe(usd('0.02'))
})

test('a generation that another tab has ended is not ended again', async () => {
  const { id } = await added()
  expect(await changeGeneration(id, { state: 'done', failure: undefined }, ['running'])).toBe(true)
  expect(await changeGeneration(id, { state: 'interrupted' }, ['running'])).toBe(false)
  expect((await loadGeneration(id))?.state).toBe('done')
})

test('the usual time is the middle of what this model took for this task', async () => {
  for (const [ms, modelId] of [
    [4_000, 'painter'],
    [6_000, 'painter'],
    [90_000, 'painter'],
    [1, 'other'],
  ] as const) {
    const { id } = await added({ modelId }, 1_000)
    await changeGeneration(id, { state: 'done', endedAt: 1_000 + ms })
  }
  expect(await typicalMs('image', 'generate', 'painter')).toBe(6_000)
  expect(await typicalMs('image', 'upscale', 'painter')).toBeUndefined()
})

test('bytes stay while a generation has them, as what came or as what it was made of', async () => {
  const file = await keepFile(new Blob(['pixels'], { type: 'image/png' }), { name: 'a.png' })
  const { id } = await added({ inputs: [file] })
  await dropUnusedBlobs(0)
  await dropUnusedBlobs(BLOB_GRACE_MS)
  expect(await (await loadBlob(file.hash))?.text()).toBe('pixels')
  await db.creations.delete(id)
  await dropUnusedBlobs(0)
  await dropUnusedBlobs(BLOB_GRACE_MS)
  expect(await loadBlob(file.hash)).toBeUndefined()
})

test('money is kept to the nano-dollar', async () => {
  const { id } = await added()
  await priceGeneration(id, nano(1n))
  expect((await loadGeneration(id))?.cost).toBe(1n)
})

test('a backup brings everything back, open prices and failures too', async () => {
  const file = await keepFile(new Blob(['pixels'], { type: 'image/webp' }), { name: 'a', width: 640, height: 480 })
  const done = await added({ inputs: [file], settings: { ratio: '16:9', variants: 2, isSafeModeOff: true } })
  await changeGeneration(done.id, {
    state: 'done',
    results: [file],
    cost: usd('0.04'),
    content: { isBlurred: true, enhancedPrompt: 'A still lagoon' },
  })
  const left = await added({}, 2_000, REQUEST)
  await changeGeneration(left.id, { state: 'failed', failure: { code: 'OFFLINE', message: 'x', at: 1 } })
  const before = await db.creations.toArray()
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const bytes of backupBytes(db)) parts.push(bytes)
  await Promise.all(db.tables.map((table) => table.clear()))
  const report = await importFile(new File(parts, 'backup.zip'), db)
  expect(report.refused).toBe(0)
  expect(await db.creations.toArray()).toEqual(before)
  expect(await (await loadBlob(file.hash))?.text()).toBe('pixels')
})
