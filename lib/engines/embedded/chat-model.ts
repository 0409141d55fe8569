/** A loaded model and its sequences. Runs in the child process. */
import {
  type ChatWrapper,
  getLlama,
  type Llama,
  type LlamaContextSequence,
  LlamaLogLevel,
  type LlamaModel,
} from 'node-llama-cpp'
import { chatWrapperOf } from './chat-prompt.ts'
import type { ModelOptions } from './chat-protocol.ts'
import { governThreads } from './thread-governor.ts'

/** A prompt is read in pieces of this size: how long an answer beside it waits, and how soon a cancel is heard. */
export const PROMPT_PIECE_TOKENS = 32

/** One place for a request: a context with what was last evaluated in it, and for whom. */
export type Sequence = { context: LlamaContextSequence; cacheKey?: string; isBusy: boolean; usedAt: number }

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
 * A free place for a request, and what is left in it. Only a request with the same cache key finds anything: keys are
 * bound to accounts, and a prompt of one account must not shorten (nor time) the work for another.
 *
 * @throws Error when none is free; the parent sends no more than there are.
 */
export async function takeSequence({ sequences }: ChatModel, cacheKey: string | undefined): Promise<Sequence> {
  const free = sequences.filter(({ isBusy }) => !isBusy).sort((a, b) => a.usedAt - b.usedAt)
  const kept = cacheKey === undefined ? undefined : free.find((sequence) => sequence.cacheKey === cacheKey)
  const sequence = kept ?? free.find((sequence) => sequence.cacheKey === undefined) ?? free[0]
  if (!sequence) throw new Error('more requests than sequences')
  sequence.isBusy = true
  if (!kept) await sequence.context.clearHistory()
  sequence.cacheKey = cacheKey
  return sequence
}

export async function releaseSequence(sequence: Sequence): Promise<void> {
  // Without a key nobody may come back to it, so nothing of it is kept.
  if (sequence.cacheKey === undefined) await sequence.context.clearHistory()
  sequence.usedAt = Date.now()
  sequence.isBusy = false
}
