import { createHash } from 'node:crypto'
import { access, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { hex } from '@/lib/contract/ids'
import { migrationsFolder } from '@/lib/db/client'
import { takeSnapshot } from '@/lib/db/embedded'

/**
 * Makes an archive of a migrated, empty database, kept between runs by a hash of the migrations. Loading it takes a
 * sixth of the time of migrating.
 * @returns the archive's path.
 */
export async function snapshotFile(root: string): Promise<string> {
  const migrations = migrationsFolder(root)
  const hash = createHash('sha256')
  const files = (await readdir(migrations)).filter((name) => name.endsWith('.sql')).sort()
  for (const name of files) hash.update(name).update(await readFile(path.join(migrations, name)))
  const folder = path.join(root, '.cache')
  const file = path.join(folder, `database-${hash.digest('hex').slice(0, 16)}.tar`)
  const isKept = await access(file).then(
    () => true,
    () => false,
  )
  if (isKept) return file
  const made = await takeSnapshot(migrations)
  await mkdir(folder, { recursive: true })
  const temporary = `${file}.${hex(4)}`
  await writeFile(temporary, Buffer.from(await made.arrayBuffer()))
  await rename(temporary, file)
  return file
}
