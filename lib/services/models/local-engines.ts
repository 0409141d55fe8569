import 'server-only'
import { z } from 'zod'
import { ModelEntry, type ModelEntryInput, upstreamModelId, upstreamModelName } from '@/lib/services/models/entry'
import type { EngineSource } from '@/lib/services/models/models-file'
import { askProvider } from '@/lib/services/models/providers/probe-http'
import { secondsOf } from '@/lib/services/models/providers/vendor-videos'

const USUAL_PLACES = { ollama: 'http://127.0.0.1:11434', llamacpp: 'http://127.0.0.1:8080' }
const TIMEOUT_MS = 300
const MAX_MODELS = 50
/** Ollama loads a model with this context unless its file says otherwise, whatever the model could. */
const OLLAMA_CONTEXT_TOKENS = 4_096
const DEFAULT_CONTEXT_TOKENS = 4_096

export const OllamaTags = z.object({
  models: z.array(z.object({ name: z.string(), digest: z.string(), modified_at: z.string().optional() })),
})
export const OllamaShow = z.object({
  capabilities: z.array(z.string()).optional(),
  parameters: z.string().optional(),
  model_info: z.record(z.string(), z.unknown()).optional(),
})
const Models = z.object({
  data: z.array(z.object({ id: z.string(), owned_by: z.literal('llamacpp'), created: z.int().optional() })),
})
export const LlamaCppProps = z.object({
  default_generation_settings: z.object({ n_ctx: z.int().min(1) }),
  modalities: z.object({ vision: z.boolean().optional(), audio: z.boolean().optional() }).optional(),
})

export async function findLocalEngines(places = USUAL_PLACES): Promise<EngineSource[]> {
  const found = await Promise.all([findOllama(places.ollama), findLlamaCpp(places.llamacpp)])
  return found.filter((engine) => engine !== undefined)
}

async function findOllama(origin: string): Promise<EngineSource | undefined> {
  const tags = await ask(OllamaTags, `${origin}/api/tags`)
  if (tags === undefined) return undefined
  const entries: ModelEntry[] = []
  for (const { name, modified_at } of tags.models.slice(0, MAX_MODELS)) {
    const about = await ask(OllamaShow, `${origin}/api/show`, { model: name })
    if (!completes(about)) continue
    addEntry(entries, {
      id: `ollama/${upstreamModelId(name)}`,
      name: `${name} (Ollama)`,
      engine: 'ollama',
      upstreamModel: name,
      created: secondsOf(modified_at),
      contextTokens: ollamaContext(about),
      capabilities: ollamaCapabilities(about),
    })
  }
  const baseUrls = [`${origin}/v1`]
  return { engine: 'ollama', definition: { kind: 'openai', baseUrls, thinkingSwitch: 'reasoning_effort' }, entries }
}

async function findLlamaCpp(origin: string): Promise<EngineSource | undefined> {
  const models = await ask(Models, `${origin}/v1/models`)
  if (models === undefined) return undefined
  const props = await ask(LlamaCppProps, `${origin}/props`)
  const entries: ModelEntry[] = []
  for (const { id, created } of models.data.slice(0, MAX_MODELS)) {
    addEntry(entries, {
      id: `llamacpp/${upstreamModelId(id)}`,
      name: `${upstreamModelName(id)} (llama.cpp)`,
      engine: 'llamacpp',
      upstreamModel: id,
      created,
      contextTokens: props?.default_generation_settings.n_ctx ?? DEFAULT_CONTEXT_TOKENS,
      capabilities: { supportsFunctionCalling: true, supportsResponseSchema: true, supportsLogProbs: true },
    })
  }
  return { engine: 'llamacpp', definition: { kind: 'openai', baseUrls: [`${origin}/v1`] }, entries }
}

function addEntry(entries: ModelEntry[], input: Omit<Extract<ModelEntryInput, { type: 'text' }>, 'type'>): void {
  const parsed = ModelEntry.safeParse({ ...input, type: 'text', tier: 'XS', privacy: 'private' })
  if (parsed.success && !entries.some(({ id }) => id === parsed.data.id)) entries.push(parsed.data)
}

type OllamaFacts = z.output<typeof OllamaShow> | undefined

/** Tells whether it is a model for chat: a server that does not say serves no others. */
export const completes = (about: OllamaFacts): boolean => about?.capabilities?.includes('completion') ?? true

export function ollamaCapabilities({ capabilities: can = [] }: NonNullable<OllamaFacts> = {}) {
  return {
    supportsFunctionCalling: can.includes('tools'),
    supportsResponseSchema: can.includes('tools'),
    supportsVision: can.includes('vision'),
    supportsReasoning: can.includes('thinking'),
  }
}

export function ollamaContext(about: OllamaFacts): number {
  const set = /^num_ctx\s+(\d{1,8})\s*$/m.exec(about?.parameters ?? '')?.[1]
  const trained = Object.entries(about?.model_info ?? {}).find(([name]) => name.endsWith('.context_length'))?.[1]
  const max = typeof trained === 'number' && Number.isInteger(trained) && trained > 0 ? trained : OLLAMA_CONTEXT_TOKENS
  return Math.min(set === undefined ? OLLAMA_CONTEXT_TOKENS : Number(set), max)
}

async function ask<Schema extends z.ZodType>(
  schema: Schema,
  url: string,
  body?: object,
): Promise<z.output<Schema> | undefined> {
  try {
    return schema.safeParse(await askProvider({ url, ...(body && { body }), timeoutMs: TIMEOUT_MS })).data
  } catch {
    // Nobody there is the usual case, and not a fault.
    return undefined
  }
}
