import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writePrivately } from '../files'
import type { Ask } from './node'

const FILE = 'evm.state'
/** Changes that come together are written together. */
const DELAY_MS = 5

/**
 * Keeps the EVM's state in a folder: after every change, in one step, so that no way of dying leaves half a file. The
 * node's own way writes on its orderly end only, or every so many seconds and over the old file.
 */
export function createStore(ask: Ask, folder: string) {
  const file = path.join(folder, FILE)
  let last: Promise<void> = Promise.resolve()
  /** The writing that has not begun, and will have all that changes until then. */
  let next: Promise<void> | undefined

  const write = async () => {
    writePrivately(file, Buffer.from((await ask<string>('anvil_dumpState')).slice(2), 'hex'))
  }
  const writeAfter = async (before: Promise<void>) => {
    await before.catch(() => undefined)
    await sleep(DELAY_MS)
    next = undefined
    await write()
  }

  return {
    /** Loads what was kept. False when there is nothing yet. */
    async load(): Promise<boolean> {
      let state: Buffer
      try {
        state = readFileSync(file)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
        throw error
      }
      await ask('anvil_loadState', [`0x${state.toString('hex')}`])
      return true
    },
    /** Writes what the chain is now; resolves when it is written. */
    save(): Promise<void> {
      if (next) return next
      next = writeAfter(last)
      last = next
      return next
    },
  }
}
