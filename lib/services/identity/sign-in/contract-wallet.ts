import 'server-only'
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
import { createIdleTimeout, TIMED_OUT } from '@/lib/kernel/idle-timeout'
import { perProcess } from '@/lib/kernel/per-process'
import { nodesOf } from '@/lib/services/chains/rails'
import { signInUnavailable } from '@/lib/services/identity/sign-in/message'
import { type LocalWindows, memoryWindows, secondsUntil, windowEnd } from '@/lib/services/limits/windows'

const MAX_PER_CLIENT = 60
const WINDOW_MS = 60_000
const MAX_UNDER_WAY_PER_CLIENT = 10
const MAX_UNDER_WAY = 20
const NODE_TIMEOUT_MS = 3_000
const TIMEOUT_MS = 6_000
const RETRY_AFTER_SECONDS = 5
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
export async function isSignedByContract({ address, text, signature, client }: ContractProof): Promise<boolean> {
  const urls = nodesOf('evm')
  if (urls.length === 0) return false
  const limits = perProcess('contract-wallets', createLimits)
  limits.enter(client)
  const idleTimeout = createIdleTimeout(TIMEOUT_MS, { isRenewed: false })
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
    const answer = await idleTimeout.race(ask(node, address as Address, hashMessage(text), signature))
    if (answer === TIMED_OUT) throw new Error('the nodes did not answer in time')
    return answer
  } catch (cause) {
    throw signInUnavailable('Contract wallets cannot be checked at the moment.', RETRY_AFTER_SECONDS, cause)
  } finally {
    idleTimeout.end()
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
        throw signInUnavailable('Too many contract wallets at once.', RETRY_AFTER_SECONDS)
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
