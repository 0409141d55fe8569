import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { DataFolderError, openDataFolder } from '@/lib/kernel/data-folder'

const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-data-folder-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a data folder is made with its parents, for its owner only, and nothing is left in it', async () => {
  const made = path.join(folder, 'a', 'b')
  await openDataFolder(made)
  await openDataFolder(made)
  expect((await stat(made)).mode & 0o777).toBe(0o700)
  expect(await readdir(made)).toEqual([])
})

// As root every folder of a disk can be written; below a file and in /proc nobody can make one.
test.each([
  ['below a file', () => path.join(folder, 'file', 'data'), /ENOTDIR/],
  ['where it is a file', () => path.join(folder, 'file'), /ENOTDIR/],
  ['in /proc', () => '/proc/nope/data', /ENOENT/],
])('one that cannot be written is named: %s', async (_, place, reason) => {
  await writeFile(path.join(folder, 'file'), '')
  const failure = openDataFolder(place())
  await expect(failure).rejects.toThrow(DataFolderError)
  await expect(failure).rejects.toThrow(`DATA_DIR: ${place()} cannot be written`)
  await expect(failure).rejects.toThrow(reason)
})
