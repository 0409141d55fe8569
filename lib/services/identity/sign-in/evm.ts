import 'server-only'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import type { Worker as WorkerThread } from 'node:worker_threads'
import { config } from '@/lib/kernel/config'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import { isSignedByContract } from '@/lib/services/identity/sign-in/contract-wallet'
import { signInUnavailable } from '@/lib/services/identity/sign-in/message'
import type { RecoveryAnswer, RecoveryJob } from '@/lib/services/identity/sign-in/recovery-worker'

const HEX = /^0x(?:[0-9a-fA-F]{2})+$/
const KEY_SIGNATURE_BYTES = 65
/** The order of secp256k1. Of two valid signatures s and n - s only the lower counts (EIP-2), as on chain. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

export type EvmProof = {
  address: string
  text: string
  signature: string
  client: string
  assertAllowed: () => void
}

/**
 * Tells whether the wallet signed the text (EIP-191): by a key's own signature, else, when a node is configured, by the
 * wallet's contract (EIP-1271, EIP-6492).
 * @throws ApiError SERVICE_UNAVAILABLE or RATE_LIMIT_EXCEEDED when it cannot be checked now.
 */
export async function isSignedByEvm(proof: EvmProof): Promise<boolean> {
  const { signature } = proof
  if (!isHex(signature)) return false
  const bytes = (signature.length - 2) / 2
  if (bytes < KEY_SIGNATURE_BYTES) return false
  if (bytes === KEY_SIGNATURE_BYTES && isCanonical(signature)) {
    const signer = await recoverSigner({ ...proof, signature })
    if (signer === proof.address) return true
  }
  proof.assertAllowed()
  return isSignedByContract({ ...proof, signature })
}

const isHex = (text: string): text is `0x${string}` => HEX.test(text)

/** viem refuses an r or s of zero or beyond the order, but takes the malleable twin of a signature. */
function isCanonical(signature: string): boolean {
  const r = BigInt(signature.slice(0, 66))
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  return r > 0n && r < ORDER && s > 0n && s <= ORDER / 2n
}

// Next's bundler takes what an imported `Worker` is given for a module to bundle, and fails on a path made at run time.
const { Worker } = process.getBuiltinModule('node:worker_threads')

const MAX_WORKERS = Math.min(4, Math.max(1, availableParallelism() - 1))
/** Of one client address, and of all. A recovery takes 2.4 ms, so this is about a second. */
const MAX_WAITING_PER_CLIENT = 100
const MAX_WAITING = 400
const RETRY_AFTER_SECONDS = 2
const MAX_HEAP_MB = 64

type Recovery = {
  text: string
  signature: `0x${string}`
  client: string
  assertAllowed: () => void
}

type Job = Recovery & { resolve: (address: string | undefined) => void; reject: (error: unknown) => void }
type Lane = { thread: WorkerThread; job?: Job }

/**
 * Recovers the address that signed a text (EIP-191), in lower case; undefined when the signature is of no key. In
 * worker threads: a recovery takes 2.4 ms in viem, 0.08 ms of it on the event loop this way.
 * @throws ApiError SERVICE_UNAVAILABLE when too many wait, or when the worker fails.
 */
export const recoverSigner = (recovery: Recovery): Promise<string | undefined> =>
  perProcess('signer-recovery', createRecoveries).add(recovery)

function createRecoveries() {
  const waiting = new Map<string, Job[]>()
  const lanes = new Set<Lane>()
  let waitingCount = 0

  function add(recovery: Recovery): Promise<string | undefined> {
    const own = waiting.get(recovery.client) ?? []
    if (waitingCount >= MAX_WAITING || own.length >= MAX_WAITING_PER_CLIENT) {
      return Promise.reject(signInUnavailable('Too many sign-ins at once.', RETRY_AFTER_SECONDS))
    }
    return new Promise((resolve, reject) => {
      own.push({ ...recovery, resolve, reject })
      waiting.set(recovery.client, own)
      waitingCount++
      pump()
    })
  }

  function pump(): void {
    while (waitingCount > 0) {
      const lane = [...lanes].find(({ job }) => job === undefined) ?? (lanes.size < MAX_WORKERS ? open() : undefined)
      if (!lane) return
      const job = next()
      if (!job) return
      lane.job = job
      lane.thread.postMessage({ text: job.text, signature: job.signature } satisfies RecoveryJob)
    }
  }

  function next(): Job | undefined {
    for (const [client, jobs] of waiting) {
      const job = jobs.shift()
      waiting.delete(client)
      if (jobs.length > 0) waiting.set(client, jobs)
      if (!job) continue
      waitingCount--
      try {
        job.assertAllowed()
        return job
      } catch (error) {
        job.reject(error)
      }
    }
  }

  function open(): Lane {
    const file = path.join(config().root, 'lib', 'services', 'identity', 'sign-in', 'recovery-worker.ts')
    const thread = new Worker(file, {
      // Flags of this process (inspector ports, loaders of a test runner) and its secrets are not meant for a thread.
      execArgv: [],
      env: { NODE_ENV: 'production' },
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
    const lane: Lane = { thread }
    lanes.add(lane)
    thread.on('message', ({ address }: RecoveryAnswer) => {
      const { job } = lane
      lane.job = undefined
      job?.resolve(address)
      pump()
    })
    thread.on('error', (error) => log().error({ err: error }, 'a thread that checks signatures failed'))
    thread.on('exit', () => {
      lanes.delete(lane)
      lane.job?.reject(signInUnavailable('Signatures cannot be checked at the moment.', RETRY_AFTER_SECONDS))
      pump()
    })
    // After the listeners: one that is added later would keep the process alive again.
    thread.unref()
    return lane
  }

  return { add }
}
