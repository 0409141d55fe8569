import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withLockFile } from '@/lib/services/engines/embedded/weights/lock'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lock-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('one at a time works, the others wait, and the file is gone in the end', async () => {
  const file = path.join(folder, 'lock')
  let atWork = 0
  let waits = 0
  const work = () =>
    withLockFile(
      file,
      () => waits++,
      async () => {
        expect(++atWork).toBe(1)
        await new Promise((resolve) => setTimeout(resolve, 50))
        atWork--
      },
    )
  await Promise.all([work(), work(), work()])
  expect(waits).toBeGreaterThan(0)
  expect(await readdir(folder)).toEqual([])
})

test("a dead holder's lock is taken over", async () => {
  const file = path.join(folder, 'lock')
  await writeFile(file, '1\n')
  const longAgo = new Date(Date.now() - 60_000)
  await utimes(file, longAgo, longAgo)
  expect(
    await withLockFile(
      file,
      () => expect.unreachable('waited for the dead'),
      async () => 'done',
    ),
  ).toBe('done')
})

test('work that fails gives the lock back', async () => {
  const file = path.join(folder, 'lock')
  await expect(
    withLockFile(
      file,
      () => undefined,
      () => Promise.reject(new Error('broken')),
    ),
  ).rejects.toThrow('broken')
  expect(await readdir(folder)).toEqual([])
})
