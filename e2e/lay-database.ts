import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import * as tar from 'tar'
import { snapshotFile } from '@/lib/db/testing-snapshot'

/** Lays a migrated, empty database into a data folder. The start on none at all is made by playwright.config.ts. */
export async function layDatabase(dataDir: string): Promise<void> {
  const database = path.join(dataDir, 'db')
  await mkdir(database, { recursive: true, mode: 0o700 })
  await tar.x({ file: await snapshotFile(process.cwd()), cwd: database })
}
