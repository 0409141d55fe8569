/** A loaded model and its sequences. Runs in the child process. */
import { type ChatWrapper, getLlama, type Llama, LlamaLogLevel, type LlamaModel } from 'node-llama-cpp'
import { chatWrapperOf } from './chat-prompt.ts'
import type { ModelOptions } from './chat-protocol.ts'
import type { Sequence } from './chat-sequences.ts'
import { governThreads } from './thread-governor.ts'

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
