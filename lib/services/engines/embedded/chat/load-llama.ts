/** Loads a chat model's file on a GPU or on the CPU. Part of the child process. */
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  getLlama,
  type Llama,
  type LlamaContext,
  LlamaLogLevel,
  type LlamaModel,
  NoBinaryFoundError,
} from 'node-llama-cpp'
import type { Gpu, GpuKind } from '../processors/packages.ts'
import type { ModelOptions, UsedProcessor } from './chat-protocol.ts'

export const PROMPT_PIECE_TOKENS = 32

export type Loaded = { llama: Llama; model: LlamaModel; context: LlamaContext; processor: UsedProcessor }

type OnProgress = (fraction: number) => void

/**
 * Loads the model on the GPU, if there is one, or else on the CPU.
 *
 * @throws Error when the file is no model.
 */
export async function loadLlama(options: ModelOptions, onProgress: OnProgress): Promise<Loaded> {
  const { gpu } = options
  if (!gpu) return await loadOn(undefined, options, onProgress)
  try {
    findPackagesIn(gpu.packages)
    return await loadOn(gpu.kind, options, onProgress)
  } catch (error) {
    const loaded = await loadOn(undefined, options, onProgress)
    return { ...loaded, processor: { ...loaded.processor, fallback: fallbackSentence(gpu, error) } }
  }
}

const TITLES: Record<GpuKind, string> = { metal: 'Metal', cuda: 'CUDA', vulkan: 'Vulkan' }

function fallbackSentence({ kind }: Gpu, error: unknown): string {
  return `${whyOf(kind, error)} The CPU is used.`
}

function whyOf(kind: GpuKind, error: unknown): string {
  if (error instanceof Unsuitable) return error.message
  // The runtime tries a binary in a process of its own, and finds none where that fails.
  if (error instanceof NoBinaryFoundError)
    return `${TITLES[kind]} could not be initialized. Check the driver of the GPU.`
  return `The model could not be loaded with ${TITLES[kind]} (${messageOf(error)}).`
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Its message is a sentence. */
class Unsuitable extends Error {}

/** The runtime imports its packages by name; these are not in `node_modules`, which may be read-only. */
function findPackagesIn(folders: Record<string, string>): void {
  registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const folder = folders[specifier]
      if (folder === undefined) return nextResolve(specifier, context)
      const url = pathToFileURL(path.join(folder, 'dist', 'index.js')).href
      return { url, format: 'module', shortCircuit: true }
    },
  })
}

async function loadOn(kind: GpuKind | undefined, options: ModelOptions, onProgress: OnProgress): Promise<Loaded> {
  const { modelPath, contextTokens, sequences, threads } = options
  const llama = await getLlama({
    gpu: kind ?? false,
    build: 'never',
    progressLogs: false,
    logLevel: LlamaLogLevel.error,
    maxThreads: threads,
  })
  try {
    const name = kind && (await deviceOf(llama, kind))
    const fitContext = { contextSize: contextTokens * sequences }
    const model = await llama.loadModel({
      modelPath,
      onLoadProgress: onProgress,
      ...(kind && { gpuLayers: { fitContext } }),
    })
    if (kind && model.gpuLayers === 0) throw new Unsuitable(`The memory of ${name} is too small for this model.`)
    const context = await model.createContext({
      contextSize: contextTokens,
      sequences,
      threads,
      batchSize: PROMPT_PIECE_TOKENS * sequences,
    })
    const layers = kind && `${model.gpuLayers} of ${model.fileInsights.totalLayers}`
    return { llama, model, context, processor: kind ? { kind, name, layers } : { kind: 'cpu' } }
  } catch (error) {
    await llama.dispose().catch(() => undefined)
    throw error
  }
}

async function deviceOf(llama: Llama, kind: GpuKind): Promise<string> {
  const names = await llama.getGpuDeviceNames()
  if (llama.gpu !== kind || names.length === 0) throw new Unsuitable(`${TITLES[kind]} found no GPU.`)
  return names.join(', ')
}
