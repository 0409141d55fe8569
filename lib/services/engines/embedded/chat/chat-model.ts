/** A loaded model and its sequences. Runs in the child process. */

import { availableParallelism, cpus } from 'node:os'
import { type ChatWrapper, getLlama, type Llama, LlamaLogLevel, type LlamaModel } from 'node-llama-cpp'
import { chatWrapperOf } from './chat-prompt.ts'
import type { ModelOptions } from './chat-protocol.ts'
import type { Sequence } from './chat-sequences.ts'

/** A prompt is read in pieces of this size: how long an answer beside it waits, and how soon a cancel is heard. */
export const PROMPT_PIECE_TOKENS = 32

export type ChatModel = {
  llama: Llama
  model: LlamaModel
  wrapper: ChatWrapper
  options: ModelOptions
  sequences: Sequence[]
}

/** Loads the file into memory. @throws Error when it is no model, or has no chat template. */
export async function loadChatModel(options: ModelOptions, onProgress: (fraction: number) => void): Promise<ChatModel> {
  const { modelPath, contextTokens, sequences, threads } = options
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.error, maxThreads: threads })
  const model = await llama.loadModel({ modelPath, onLoadProgress: onProgress })
  const context = await model.createContext({
    contextSize: contextTokens,
    sequences,
    threads,
    batchSize: PROMPT_PIECE_TOKENS * sequences,
  })
  governThreads(threads, (now) => {
    llama.maxThreads = now
  })
  const places = Array.from({ length: sequences }, () => ({ context: context.getSequence(), isBusy: false, usedAt: 0 }))
  return { llama, model, wrapper: chatWrapperOf(model), options, sequences: places }
}

/**
 * How many threads a model may use just now. Its threads wait for each other hundreds of times a token, spinning; when
 * other work takes one of them off its core, all wait for a time slice. Measured with TinyLlama on two cores that three
 * other jobs were using: two threads gave 0.2 to 0.9 tokens a second, one gave 2.2 to 4.7; with nothing else to do,
 * two gave 22 and one 11. Runs in the child process.
 */

const INTERVAL_MS = 1_000

/** Processor time since some beginning, in milliseconds: of the whole machine, and of this process. */
type CpuTimes = { atMs: number; busyMs: number; ownMs: number }

/** Cores that other processes left free between two readings, rounded: at least one thread, at most `most`. */
export function threadsFor(before: CpuTimes, after: CpuTimes, cores: number, most: number): number {
  const elapsedMs = after.atMs - before.atMs
  if (elapsedMs <= 0) return most
  const others = (after.busyMs - before.busyMs - (after.ownMs - before.ownMs)) / elapsedMs
  return Math.max(1, Math.min(most, Math.round(cores - Math.max(0, others))))
}

/** Looks at the machine once a second and says the number of threads. Does not keep the process alive. */
function governThreads(most: number, setThreads: (threads: number) => void): void {
  if (most <= 1) return
  let before = readCpuTimes()
  setInterval(() => {
    const after = readCpuTimes()
    setThreads(threadsFor(before, after, availableParallelism(), most))
    before = after
  }, INTERVAL_MS).unref()
}

function readCpuTimes(): CpuTimes {
  const busyMs = cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
  const own = process.cpuUsage()
  return { atMs: performance.now(), busyMs, ownMs: (own.user + own.system) / 1_000 }
}
