import { z } from 'zod'

/** Models of the hub, as the operator's page sees them: `/api/admin/models`. Sizes are bytes. */

const MAX_SOURCE_CHARS = 2_000
const bytes = z.number().min(0)
const speed = z.number().positive()

const Machine = z.object({
  memoryBytes: bytes,
  freeDiskBytes: bytes,
  cores: z.int().min(1),
  processor: z.string(),
  /** What embedded models run on, and why; `name` is the GPU or the processor. */
  runsOn: z
    .object({ kind: z.enum(['cpu', 'metal', 'cuda', 'vulkan']), name: z.string(), reason: z.string() })
    .optional(),
  folder: z.string(),
})

export const ModelSuggestion = z.object({
  source: z.string(),
  name: z.string(),
  /** Billions of parameters. */
  parameters: z.number().positive(),
  sizeBytes: bytes,
  /** Memory with the context that fits this machine. */
  memoryBytes: bytes,
  contextTokens: z.int().min(1),
  license: z.string(),
  quantization: z.string(),
  strengths: z.array(z.enum(['chat', 'code', 'thinking', 'tools', 'languages', 'images', 'embeddings', 'speech'])),
  fits: z.enum(['well', 'slowly', 'no']),
  /** Measured where the model has answered on this machine. */
  estimatedTokensPerSecond: speed,
  isInstalled: z.boolean(),
  installedId: z.string().optional(),
})

export const InstalledModelRecord = z.object({
  id: z.string(),
  name: z.string(),
  source: z.string(),
  page: z.string().optional(),
  license: z.string().optional(),
  quantization: z.string(),
  sizeBytes: bytes,
  parameters: z.number().optional(),
  /** The context that it is offered with; absent where memory is too small for it, and of models that are not for chat. */
  contextTokens: z.int().min(1).optional(),
  trainedContextTokens: z.int().min(1),
  callsTools: z.boolean(),
  thinks: z.boolean(),
  seesImages: z.boolean(),
  /** In the catalogue, so that it can be chosen. */
  isOffered: z.boolean(),
  isDefault: z.boolean(),
  /** The hub stated the checksum that the files have. */
  isVerified: z.boolean(),
  installedAt: z.string(),
  tokensPerSecond: speed.optional(),
})

export const ModelDownload = z.object({
  id: z.string(),
  source: z.string(),
  state: z.enum(['running', 'paused', 'failed']),
  step: z.enum(['waiting', 'resolving', 'downloading', 'verifying', 'reading']),
  bytes,
  /** 0 until it is known. */
  total: bytes,
  bytesPerSecond: bytes.optional(),
  secondsLeft: bytes.optional(),
  /** Why it failed, and what to do. */
  message: z.string().optional(),
})

export const AdminModels = z.object({
  /** False where EMBEDDED_MODELS is off: then nothing can be installed. */
  isAvailable: z.boolean(),
  hub: z.object({ endpoint: z.string(), hasToken: z.boolean() }),
  machine: Machine,
  suggestions: z.array(ModelSuggestion),
  installed: z.array(InstalledModelRecord),
  downloads: z.array(ModelDownload),
})

export const StartDownload = z.strictObject({ source: z.string().min(1).max(MAX_SOURCE_CHARS) })
export const ChooseDefault = z.strictObject({ id: z.string().min(1).max(MAX_SOURCE_CHARS) })
export const ChangeDownload = z.strictObject({ action: z.enum(['pause', 'resume', 'cancel']) })

export type AdminModels = z.output<typeof AdminModels>
export type ModelSuggestion = z.output<typeof ModelSuggestion>
export type InstalledModelRecord = z.output<typeof InstalledModelRecord>
export type ModelDownload = z.output<typeof ModelDownload>
