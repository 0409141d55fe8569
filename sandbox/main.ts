import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { DatabaseInUseError, lockFolder } from '@/lib/db/embedded'
import { removeUnfinished, writePrivately } from './atomic-write'
import { type Chains, startChains } from './chains.ts'

/** What this process tells the server. */
export type FromSandbox = { type: 'ready' } | { type: 'failed'; message: string; isInUse: boolean }

const USUAL_PORTS = { evm: 8545, solana: 8899 }
const STOP_TIMEOUT_MS = 5_000
const PARENT_CHECK_MS = 500
const LOCK_WAIT_MS = 2_000
const ENDING_WAIT_MS = STOP_TIMEOUT_MS + 2_000
const LOCK_RETRY_MS = 100

const Ports = z.object({ evm: z.int(), solana: z.int() })

async function main(folder: string): Promise<void> {
  watchParent()
  // The server may have gone while the imports were read: then nobody hears of it any more.
  if (!process.connected) process.exit(0)
  const stopping = new Promise<void>((resolve) => {
    process.once('disconnect', resolve)
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
  // Before the chains run there is nothing to save.
  let chains: Chains | undefined
  let isStopping = false
  void stopping.then(async () => {
    isStopping = true
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS)
    if (chains) {
      rmSync(stateFile(folder), { force: true })
      await chains.stop()
    }
    process.exit(0)
  })
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    await lock(folder)
    removeUnfinished(folder)
    // What chains that died said of themselves stands until these are there: mostly it is the same.
    chains = await startChains({ folder, keeps: true, ports: portsToTry(folder) })
    writePrivately(path.join(folder, 'ports.json'), JSON.stringify(chains.ports))
    writePrivately(stateFile(folder), JSON.stringify(chains.sandbox, null, 2))
    tell({ type: 'ready' })
    const reason = await chains.ended
    if (!isStopping) await fail(reason, false)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    await fail(message, error instanceof DatabaseInUseError)
  }
}

/**
 * Ends this process soon after its parent is gone: in a thread, since the main thread may be busy. The process gets its
 * time to save.
 */
function watchParent(): void {
  const parent = Number(process.env.PARENT_PROCESS_ID) || process.ppid
  const code = `
    const { workerData: parent } = require('node:worker_threads')
    // Windows gives an orphan no new parent.
    const isOrphaned = () => {
      if (process.platform !== 'win32') return process.ppid !== parent
      try { return !process.kill(parent, 0) } catch { return true }
    }
    let rounds = 0
    setInterval(() => {
      if (!isOrphaned()) return
      rounds++
      if (rounds * ${PARENT_CHECK_MS} > ${STOP_TIMEOUT_MS + 1_000}) process.kill(process.pid, 'SIGKILL')
    }, ${PARENT_CHECK_MS})`
  const limits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 }
  new Worker(code, { eval: true, workerData: parent, resourceLimits: limits }).unref()
}

const stateFile = (folder: string): string => path.join(folder, 'sandbox.json')

async function lock(folder: string): Promise<void> {
  const since = performance.now()
  while (true) {
    try {
      await lockFolder(folder)
      return
    } catch (error) {
      const waitMs = existsSync(stateFile(folder)) ? LOCK_WAIT_MS : ENDING_WAIT_MS
      if (!(error instanceof DatabaseInUseError) || performance.now() - since > waitMs) throw error
      await sleep(LOCK_RETRY_MS)
    }
  }
}

function portsToTry(folder: string): { evm: number[]; solana: number[] } {
  const last = lastPorts(path.join(folder, 'ports.json'))
  const evm = new Set([last?.evm ?? USUAL_PORTS.evm, USUAL_PORTS.evm, 0])
  const solana = new Set([last?.solana ?? USUAL_PORTS.solana, USUAL_PORTS.solana, 0])
  return { evm: [...evm], solana: [...solana] }
}

function lastPorts(file: string): z.infer<typeof Ports> | undefined {
  try {
    return Ports.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

async function fail(message: string, isInUse: boolean): Promise<never> {
  await tell({ type: 'failed', message, isInUse })
  process.exit(1)
}

function tell(message: FromSandbox): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, {}, () => resolve())
    else resolve()
  })
}

const [folder] = process.argv.slice(2)
if (folder === undefined) process.exit(2)
await main(folder)
