/** Memory that a model needs, and the context that fits beside it. Child processes import this file. */
import { totalmem } from 'node:os'

const MEGABYTE = 1_000_000
const GIGABYTE = 1_000_000_000

/** Left to the system, the server and its other models; a quarter of a small machine. */
const MAX_RESERVED_BYTES = GIGABYTE
/** Buffers of a computation, and the process itself. */
const COMPUTE_BYTES = 250 * MEGABYTE
/** Of networks in ONNX files that see images, measured with an image of five tiles. */
const ONNX_COMPUTE_BYTES = 800 * MEGABYTE
/** Requests that a model answers at a time, each with a context of its own. */
export const SEQUENCES = 2
const MIN_CONTEXT_TOKENS = 2_048
const MAX_CONTEXT_TOKENS = 32_768
const CONTEXT_STEP_TOKENS = 256
/** Context takes at most this share of the memory: on a CPU, long prompts are slow long before they are too large. */
const CONTEXT_SHARE = 0.25

type Needs = { weightBytes: number; cacheBytesPerToken: number; contextTokens: number; form?: 'onnx' }

const computeBytes = ({ form }: Pick<Needs, 'form'>): number => (form === 'onnx' ? ONNX_COMPUTE_BYTES : COMPUTE_BYTES)

/** Memory that this process may count on: the machine's, or its container's if that is less. */
export function machineMemoryBytes(): number {
  const limit = process.constrainedMemory()
  return limit > 0 && limit < totalmem() ? limit : totalmem()
}

/** Memory that loaded models may take together: what the system and the server do not need. */
export const memoryBudgetBytes = (memoryBytes = machineMemoryBytes()): number =>
  memoryBytes - Math.min(MAX_RESERVED_BYTES, memoryBytes / 4)

/** Returns the largest context that fits, or undefined where not even a small one does. */
export function contextThatFits(needs: Needs, memoryBytes: number): number | undefined {
  const { weightBytes, cacheBytesPerToken, contextTokens } = needs
  const room = memoryBudgetBytes(memoryBytes) - weightBytes - computeBytes(needs)
  const most = Math.min(contextTokens, MAX_CONTEXT_TOKENS)
  const least = Math.min(contextTokens, MIN_CONTEXT_TOKENS)
  const perToken = Math.max(1, cacheBytesPerToken) * SEQUENCES
  if (room < least * perToken) return undefined
  const fitting = Math.floor(Math.min(room, Math.max(memoryBytes * CONTEXT_SHARE, least * perToken)) / perToken)
  if (fitting >= most) return most
  return Math.max(least, Math.floor(fitting / CONTEXT_STEP_TOKENS) * CONTEXT_STEP_TOKENS)
}

export const memoryNeedBytes = (needs: Needs, contextTokens: number): number =>
  needs.weightBytes + computeBytes(needs) + needs.cacheBytesPerToken * SEQUENCES * contextTokens

/** Memory that a model needs with the smallest context. */
export const smallestNeedBytes = (needs: Needs): number =>
  memoryNeedBytes(needs, Math.min(needs.contextTokens, MIN_CONTEXT_TOKENS))

/** Memory that a model needs at least, from the size of its files alone. */
export function leastMemoryBytes(weightBytes: number): number {
  // Caches of common architectures: about a tenth of the weights for a small context, more for small models.
  return weightBytes + COMPUTE_BYTES + Math.max(100 * MEGABYTE, weightBytes * 0.1)
}

export function fitsMemory(weightBytes: number, memoryBytes: number): boolean {
  return leastMemoryBytes(weightBytes) <= memoryBudgetBytes(memoryBytes)
}

/** Formats a size for a sentence. */
export function formatSize(bytes: number): string {
  if (bytes >= GIGABYTE) return `${(bytes / GIGABYTE).toFixed(1)} GB`
  return bytes >= MEGABYTE ? `${Math.round(bytes / MEGABYTE)} MB` : `${Math.max(1, Math.round(bytes / 1_000))} KB`
}
