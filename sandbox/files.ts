import { randomBytes } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'

/** Replaces a file in one step, so that a crash leaves the old one or the new one. Readable by its owner only. */
export function writePrivately(file: string, content: string | Uint8Array): void {
  const temporary = `${file}.${randomBytes(4).toString('hex')}.new`
  writeFileSync(temporary, content, { mode: 0o600 })
  renameSync(temporary, file)
}
