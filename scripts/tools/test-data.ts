import { mkdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import * as tar from 'tar'
import { snapshotFile } from '@/lib/db/testing-snapshot'

export async function layDatabase(dataDir: string): Promise<void> {
  const database = path.join(dataDir, 'db')
  await mkdir(database, { recursive: true, mode: 0o700 })
  await tar.x({ file: await snapshotFile(process.cwd()), cwd: database })
}

export async function linkModels(dataDir: string): Promise<void> {
  const models = path.resolve('.cache', 'models')
  await mkdir(models, { recursive: true })
  // Windows lets everybody make a junction.
  await symlink(models, path.join(dataDir, 'models'), 'junction')
}
