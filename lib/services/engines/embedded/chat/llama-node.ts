/**
 * The part of llama.node that is used. The package's own types are its sources, which do not pass this project's checks.
 * Source: https://github.com/mybigday/llama.node, lib/index.ts. Runs in the child process.
 */
import { createRequire } from 'node:module'

type Part = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } }
export type NodeContent = string | Part[]

type Tool = { type: 'function'; function: { name: string; description: string; parameters: Record<string, unknown> } }

export type NodeCompletion = {
  prompt: string
  media_paths?: string[]
  n_predict: number
  stop?: string[]
  grammar?: string
  [sampling: string]: unknown
}

type NodeResult = {
  text: string
  tokens_predicted: number
  context_full: boolean
  /** The bound on tokens ended it. */
  stopped_limit: boolean
  timings: { cache_n: number }
}

type Parallel = {
  enable(options: { n_parallel: 1; n_batch: number }): Promise<boolean>
  disable(): void
  completion(
    options: NodeCompletion,
    onPiece: (id: number, piece: { token: string }) => void,
  ): Promise<{ promise: Promise<NodeResult>; stop: () => void }>
}

export type NodeContext = {
  initMultimodal(options: { path: string; use_gpu: boolean; image_max_tokens: number }): boolean
  getMultimodalSupport(): { vision: boolean }
  getFormattedChat(
    messages: { role: string; content: NodeContent }[],
    template: string | undefined,
    options: { jinja: true; enable_thinking: boolean; add_generation_prompt: true; tools?: Tool[] },
  ): { prompt: string; media_paths?: string[] }
  /** Tokens of images are among them. */
  tokenize(text: string, options: { media_paths?: string[] }): Promise<{ tokens: Int32Array }>
  /** Names of GPUs, and of the CPU. */
  getUsedDevices(): string[]
  parallel: Parallel
}

type LoadOptions = {
  model: string
  n_ctx: number
  n_parallel: 1
  n_threads: number
  n_gpu_layers: number
  vocab_only?: true
}

const require = createRequire(import.meta.url)

/** Ends the process where the file cannot be loaded. */
export const { loadModel } = require('@fugood/llama.node') as {
  loadModel: (options: LoadOptions, onProgress?: (percent: number) => void) => Promise<NodeContext>
}
