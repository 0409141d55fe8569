import { readFileSync } from 'node:fs'
import path from 'node:path'
import { writePrivately } from '../files'
import type { Ask } from './node'

const FILE = 'evm.state'
/** Changes that come together are written together. */
const DELAY_MS = 25

/**
 * Keeps the EVM's state in a folder: after every change, in one step, so that no way of dying leaves half a file. The
 * node's own way writes on its orderly end only, or every so many seconds and over the old file.
 */
export function createStore(ask: Ask, folder: string) {
  const file = path.join(folder, FILE)
  let running: Promise<void> | undefined
  let isStale = false

  const save = async () => {
    while (isStale) {
      isStale = false
      writePrivately(file, Buffer.from((await ask<string>('anvil_dumpState')).slice(2), 'hex'))
    }
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
    /** Says that something changed. */
    touch(): void {
      isStale = true
      running ??= new Promise<void>((resolve) => setTimeout(resolve, DELAY_MS))
        .then(save)
        .catch(() => undefined)
        .finally(() => {
          running = undefined
        })
    },
    /** Resolves when all that changed is written. */
    async flush(): Promise<void> {
      await running
      await save()
    },
  }
}
