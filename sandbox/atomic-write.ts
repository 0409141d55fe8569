import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const UNFINISHED = /\.[0-9a-f]{8}\.new$/

export function writePrivately(file: string, content: string | Uint8Array): void {
  const temporary = `${file}.${randomBytes(4).toString('hex')}.new`
  writeFileSync(temporary, content, { mode: 0o600 })
  renameSync(temporary, file)
}

/** Removes what a process that died while writing left. Only one process writes in this folder. */
export function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) if (UNFINISHED.test(name)) rmSync(path.join(folder, name), { force: true })
}
