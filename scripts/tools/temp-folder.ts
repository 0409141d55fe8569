import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Makes a folder for the temporary files of this process and those it starts, and removes it when this process ends. */
export function makeTempFolder(): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'lagoon-test-'))
  // PostgreSQL refuses to run as root, so its other user must be able to reach its folder in here.
  chmodSync(folder, 0o711)
  process.env[process.platform === 'win32' ? 'TEMP' : 'TMPDIR'] = folder
  process.once('exit', () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    } catch (error) {
      console.error(`${folder} could not be removed: ${error instanceof Error ? error.message : error}`)
    }
  })
}

/** Removes a folder and what is in it. Processes that are ending may still write into it for some seconds. */
export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
