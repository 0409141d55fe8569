import 'server-only'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { hex } from '@/lib/contract/ids'
import { config } from '@/lib/kernel/config'

export class DataFolderError extends Error {
  override name = 'DataFolderError'

  constructor(folder: string, cause: NodeJS.ErrnoException) {
    super(
      `DATA_DIR: ${folder} cannot be written (${cause.code ?? cause.message}). Set DATA_DIR to a folder that this user may write and that has room.`,
      { cause },
    )
  }
}

export async function prepareDataFolder(): Promise<void> {
  const { databaseUrl, isSandbox, dataDir } = config()
  if (databaseUrl === undefined || isSandbox) await openDataFolder(dataDir)
}

/**
 * Creates the data folder for its owner only and writes into it once, so that a fault shows at the start.
 *
 * @throws DataFolderError
 */
export async function openDataFolder(folder: string): Promise<void> {
  const probe = path.join(folder, `.write-probe-${hex(4)}`)
  try {
    await makeFolder(folder)
    await writeFile(probe, 'x', { mode: 0o600 })
    await rm(probe)
  } catch (error) {
    await rm(probe, { force: true }).catch(() => {})
    throw new DataFolderError(folder, error as NodeJS.ErrnoException)
  }
}

/**
 * Creates one level at a time: where a parent can never be made, such as below `/proc`, Node's recursive `mkdir` never
 * returns.
 */
async function makeFolder(folder: string): Promise<void> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  )
  if (isThere) return
  const parent = path.dirname(folder)
  if (parent !== folder) await makeFolder(parent)
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    // Another process made it in the meantime.
    if (error.code !== 'EEXIST') throw error
  })
}
