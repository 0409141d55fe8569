import 'server-only'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import type { Worker as WorkerThread } from 'node:worker_threads'
import {
  type Address,
  type BaseError,
  type Client,
  createClient,
  encodeDeployData,
  encodeFunctionData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  fallback,
  type Hex,
  hashMessage,
  http,
  parseAbi,
  RpcRequestError,
} from 'viem'
import { call, getCode } from 'viem/actions'
import { ApiError } from '@/lib/contract/errors'
import { config } from '@/lib/kernel/config'
import { withDeadline } from '@/lib/kernel/deadlines'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import { nodesOf } from '@/lib/services/chains/rails'
import { signInUnavailable } from '@/lib/services/identity/sign-in/parse-message'
import type { RecoveryAnswer, RecoveryJob } from '@/lib/services/identity/sign-in/recovery-worker'
import { type LocalWindows, memoryWindows, secondsUntil, windowEnd } from '@/lib/services/limits/limits'

const HEX = /^0x(?:[0-9a-fA-F]{2})+$/
const KEY_SIGNATURE_BYTES = 65
/** The order of secp256k1. Of two valid signatures s and n - s only the lower counts (EIP-2), as on chain. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

type EvmProof = {
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

const MAX_PER_CLIENT = 60
const WINDOW_MS = 60_000
const MAX_UNDER_WAY_PER_CLIENT = 10
const MAX_UNDER_WAY = 20
const NODE_TIMEOUT_MS = 3_000
const TIMEOUT_MS = 6_000
const CHAIN_RETRY_SECONDS = 5
const MAX_GAS = 5_000_000n

const EIP1271 = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
/** Source: EIP-1271. */
const VALID = '0x1626ba7e'
/** Suffix of a signature that says how to deploy its wallet first. Source: EIP-6492. */
const DEPLOYS = '6492649264926492649264926492649264926492649264926492649264926492'
/** JSON-RPC codes of a node that could not, as opposed to a call that fails: internal, unknown method, limit. */
const NODE_FAULTS = new Set([-32603, -32601, -32005, -32002, 429])
const CALL_FAULT = /out ?of ?gas|revert|opcode|invalid jump|stack ?(over|under)flow|EVM error/i

type ContractProof = { address: string; text: string; signature: Hex; client: string }

/**
 * Asks a contract wallet whether a signature is its own. Without a node there are no such wallets.
 * @throws ApiError RATE_LIMIT_EXCEEDED when this client asks too often, SERVICE_UNAVAILABLE when no node answers.
 */
async function isSignedByContract({ address, text, signature, client }: ContractProof): Promise<boolean> {
  const urls = nodesOf('evm')
  if (urls.length === 0) return false
  const limits = perProcess('contract-wallets', createLimits)
  limits.enter(client)
  const leaving = new AbortController()
  const fetchFn: typeof fetch = (url, init) =>
    fetch(url, { ...init, signal: AbortSignal.any([leaving.signal, ...(init?.signal ? [init.signal] : [])]) })
  try {
    const node = createClient({
      transport: fallback(
        urls.map((url) => http(url, { retryCount: 0, timeout: NODE_TIMEOUT_MS, fetchFn })),
        { retryCount: 0 },
      ),
      // The library would follow a contract that says "ask this address" (EIP-3668), and anyone can deploy one.
      ccipRead: false,
    })
    return await withDeadline(ask(node, address as Address, hashMessage(text), signature), TIMEOUT_MS)
  } catch (cause) {
    throw signInUnavailable('Contract wallets cannot be checked at the moment.', CHAIN_RETRY_SECONDS, cause)
  } finally {
    leaving.abort()
    limits.leave(client)
  }
}

async function ask(node: Client, address: Address, hash: Hex, signature: Hex): Promise<boolean> {
  if (signature.endsWith(DEPLOYS)) {
    const args = [address, hash, signature] as const
    const abi = erc6492SignatureValidatorAbi
    const data = encodeDeployData({ abi, args, bytecode: erc6492SignatureValidatorByteCode })
    return BigInt((await read(node, { data })) ?? '0x0') === 1n
  }
  // An address without code would be asked in vain; a validator would recover a key there, and take its malleable twin.
  if ((await getCode(node, { address })) === undefined) return false
  const data = encodeFunctionData({ abi: EIP1271, functionName: 'isValidSignature', args: [hash, signature] })
  const answer = await read(node, { to: address, data })
  return answer?.length === 66 && answer.startsWith(VALID)
}

async function read(node: Client, request: { to?: Address; data: Hex }): Promise<Hex | undefined> {
  try {
    return (await call(node, { ...request, gas: MAX_GAS })).data
  } catch (error) {
    const refusal = (error as BaseError).walk?.((cause) => cause instanceof RpcRequestError)
    if (refusal instanceof RpcRequestError && isOfCall(refusal)) return undefined
    throw error
  }
}

const isOfCall = ({ code, details }: RpcRequestError): boolean => !NODE_FAULTS.has(code) || CALL_FAULT.test(details)

function createLimits() {
  const windows: LocalWindows = memoryWindows()
  const underWay = new Map<string, number>()
  let allUnderWay = 0
  return {
    enter(client: string): void {
      const nowMs = Date.now()
      const endsAtMs = windowEnd(nowMs, WINDOW_MS)
      const own = underWay.get(client) ?? 0
      if (allUnderWay >= MAX_UNDER_WAY || own >= MAX_UNDER_WAY_PER_CLIENT) {
        throw signInUnavailable('Too many contract wallets at once.', CHAIN_RETRY_SECONDS)
      }
      if (!windows.take(client, MAX_PER_CLIENT, endsAtMs).isAllowed) {
        const retryAfterSeconds = secondsUntil(endsAtMs, nowMs)
        const message = `Too many sign-ins of contract wallets. Try again in ${retryAfterSeconds} s.`
        throw new ApiError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds })
      }
      underWay.set(client, own + 1)
      allUnderWay++
    },
    leave(client: string): void {
      const own = (underWay.get(client) ?? 1) - 1
      if (own > 0) underWay.set(client, own)
      else underWay.delete(client)
      allUnderWay--
    },
  }
}
