import 'server-only'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { config, secretFromEnvironment } from '@/lib/kernel/config'
import { faultPlace, fileFault, parseOperatorText, readOperatorFile } from '@/lib/kernel/operator-file'
import { ENGINE_KINDS, PUBLIC_BASE_URLS } from '@/lib/services/engines/upstream/kinds'
import { ModelEntry } from '@/lib/services/models/entry'

const MAX_FILE_BYTES = 10_000_000
const MAX_ENGINES = 100
const MAX_MODELS = 10_000
const MAX_YAML_ALIASES = 1_000
const MAX_TIMEOUT_MS = 3_600_000
const ENTRY = { list: 'models', name: 'id', maxChars: 128 }

const timeout = z.int().min(1).max(MAX_TIMEOUT_MS)

const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an address such as http://10.0.0.5:8000/v1' })
  .refine((url) => {
    if (!URL.canParse(url)) return true
    const { username, search, hash } = new URL(url)
    return username === '' && search === '' && hash === ''
  }, 'must hold no user, query or fragment; keys go into the variable that `apiKeyEnv` names')

const EngineFields = z.strictObject({
  kind: z.enum(ENGINE_KINDS, 'must be one of openai anthropic google'),
  baseUrls: z.array(baseUrl).min(1).max(32).optional(),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable, not the key itself')
    .optional(),
  timeouts: z
    .strictObject({ connectMs: timeout, firstTokenMs: timeout, idleMs: timeout, wholeMs: timeout })
    .partial()
    .optional(),
  acceptsTestCredit: z.boolean().optional(),
  maxInFlight: z.int().min(1).max(100_000).optional(),
  jobStyle: z.enum(['openai', 'predictions']).optional(),
  imageStyle: z.enum(['openai', 'webui', 'comfyui']).optional(),
  maxTokensField: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  thinkingSwitch: z.enum(['chat_template_kwargs', 'reasoning_effort']).optional(),
  promptLogprobs: z.boolean().optional(),
})
type EngineFields = Omit<z.output<typeof EngineFields>, 'apiKeyEnv'>

const OPENAI_ONLY = ['jobStyle', 'imageStyle', 'maxTokensField', 'thinkingSwitch', 'promptLogprobs'] as const

function completed<Fields extends EngineFields>(engine: Fields, context: z.RefinementCtx) {
  const { kind, baseUrls = [PUBLIC_BASE_URLS[kind]].filter((url) => url !== undefined) } = engine
  const fault = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message })
  if (baseUrls.length === 0) fault('baseUrls', 'is missing: the address of the server, such as http://10.0.0.5:8000/v1')
  if (kind !== 'openai')
    for (const name of OPENAI_ONLY) if (engine[name] !== undefined) fault(name, 'is of kind openai only')
  return { ...engine, baseUrls }
}

const FileEngine = EngineFields.transform((engine, context) => completed(engine, context))

/** An engine's definition without its key. */
export const EngineSettings = EngineFields.omit({ apiKeyEnv: true }).transform((engine, context) =>
  completed(engine, context),
)

const ModelsFile = z.strictObject({
  engines: z
    .record(
      z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'is no name for an engine')
        .refine((name) => name !== 'embedded', 'is the name of the engine inside this service'),
      FileEngine,
    )
    .refine((engines) => Object.keys(engines).length <= MAX_ENGINES, `has more than ${MAX_ENGINES} engines`)
    .default({}),
  models: z.array(ModelEntry).min(1, 'names no model').max(MAX_MODELS),
})

export type EngineDefinition = z.output<typeof EngineSettings> & { apiKey?: string }

/** An engine and the models that it serves, beside those of the models file. */
export type EngineSource = { engine: string; definition: EngineDefinition; entries: ModelEntry[] }

export type ParsedModels = { engines: Record<string, EngineDefinition>; entries: ModelEntry[] }

/**
 * Reads an operator's models file.
 * @throws ConfigError naming the file and each fault with its place.
 */
export async function readModelsFile(path: string): Promise<ParsedModels> {
  return parseModels(await readOperatorFile('MODELS_FILE', path, MAX_FILE_BYTES), path)
}

export function parseModels(text: string, path: string): ParsedModels {
  const value = parseOperatorText(text, path, MAX_YAML_ALIASES)
  const parsed = ModelsFile.safeParse(value)
  if (!parsed.success) {
    throw fileFault(
      path,
      parsed.error.issues
        .flatMap((issue) => flatten(issue, []))
        .map((issue) => `${faultPlace(issue.path, value, ENTRY)}: ${issue.message}`),
    )
  }
  const faults: string[] = []
  const engines: Record<string, EngineDefinition> = {}
  for (const [name, { apiKeyEnv, ...engine }] of Object.entries(parsed.data.engines)) {
    const apiKey = apiKeyEnv === undefined ? undefined : secretFromEnvironment(apiKeyEnv)
    if (apiKeyEnv !== undefined && apiKey === undefined) {
      faults.push(`engines.${name}.apiKeyEnv: the variable ${apiKeyEnv} is not set`)
    } else if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
      faults.push(`engines.${name}.apiKeyEnv: the variable ${apiKeyEnv} contains spaces or invalid characters`)
    }
    engines[name] = { ...engine, apiKey }
  }
  for (const { id, type, engine } of parsed.data.models) {
    const { kind = 'openai' } = engines[engine] ?? {}
    if (type !== 'text' && kind !== 'openai') {
      faults.push(`models.${id}.engine: an engine of kind ${kind} has models of type text only`)
    }
  }
  if (faults.length > 0) throw fileFault(path, faults)
  return { engines, entries: parsed.data.models }
}

type RawIssue = z.core.$ZodIssue

function flatten(issue: RawIssue, prefix: PropertyKey[]): { path: PropertyKey[]; message: string }[] {
  const path = [...prefix, ...issue.path]
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path, message: issue.message }]
  const closest = issue.errors.reduce((best, branch) => (branch.length < best.length ? branch : best))
  return closest.flatMap((inner) => flatten(inner, path))
}

/**
 * Classifies an engine without a word from its operator: `private` where all of its addresses are on this machine or a
 * private network, else `anonymized`.
 */
export function privacyOf(definition: EngineDefinition | undefined): 'private' | 'anonymized' {
  const isOurs = definition === undefined || definition.baseUrls.every((url) => isInternal(new URL(url).hostname))
  return isOurs ? 'private' : 'anonymized'
}

export function isInternal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(host))
    return ['loopback', 'private', 'uniqueLocal', 'linkLocal'].includes(ipaddr.process(host).range())
  return !host.includes('.') || /\.(local|internal|lan|localhost)$/.test(host)
}

/**
 * Tells whether an engine's models are closed to the sandbox's test credit: an engine elsewhere, or one that takes a
 * key, may cost its operator money.
 */
export function refusesTestCredit(definition: EngineDefinition | undefined): boolean {
  if (!config().isSandbox || definition === undefined) return false
  const isFree = definition.apiKey === undefined && privacyOf(definition) === 'private'
  return !(definition.acceptsTestCredit ?? isFree)
}
