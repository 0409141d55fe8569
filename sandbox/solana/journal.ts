import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { writePrivately } from '../files'
import type { Genesis } from './clock'
import type { TransactionRecord } from './history'

export type AccountRecord = {
  address: string
  owner: string
  lamports: string
  data: string
  executable: boolean
}

/** One line: all of it happened, or nothing. */
export type Entry = { genesis?: Genesis; accounts?: AccountRecord[]; transaction?: TransactionRecord }

export type Journal = { append: (entry: Entry) => void; close: () => void }

const FILE = 'solana.jsonl'
/** Appended bytes after which the file is rewritten with the current state. */
const MAX_APPENDED_BYTES = 64 * 1024 * 1024

export const noJournal = (): Journal => ({ append: () => undefined, close: () => undefined })

/** Reads a journal in order; a last line that was torn by a crash is dropped. */
export function readJournal(folder: string): Entry[] {
  let text: string
  try {
    text = readFileSync(path.join(folder, FILE), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  const lines = text.split('\n')
  // What follows the last line break is nothing, or torn.
  lines.pop()
  return lines.map((line, index) => {
    try {
      return JSON.parse(line) as Entry
    } catch (cause) {
      throw new Error(`line ${index + 1} of ${path.join(folder, FILE)} is damaged`, { cause })
    }
  })
}

export function openJournal(folder: string, current: () => Iterable<Entry>): Journal {
  const file = path.join(folder, FILE)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let appended = 0
  let descriptor = begin()

  function begin(): number {
    let text = ''
    for (const entry of current()) text += `${JSON.stringify(entry)}\n`
    writePrivately(file, text)
    appended = 0
    return openSync(file, 'a')
  }

  return {
    append(entry) {
      const line = `${JSON.stringify(entry)}\n`
      appendFileSync(descriptor, line)
      appended += line.length
      if (appended < MAX_APPENDED_BYTES) return
      closeSync(descriptor)
      descriptor = begin()
    },
    close: () => closeSync(descriptor),
  }
}
