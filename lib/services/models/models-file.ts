import 'server-only'
import { readFile, stat } from 'node:fs/promises'
import { parse as parseYaml, YAMLParseError } from 'yaml'
import { z } from 'zod'
import { ConfigError, secretFromEnvironment } from '@/lib/kernel/config'
import { ModelEntry } from '@/lib/services/models/entry'

const MAX_FILE_BYTES = 10_000_000
const MAX_ENGINES = 100
const MAX_MODELS = 10_000
const MAX_YAML_ALIASES = 1_000
const MAX_FAULTS = 20
const MAX_TIMEOUT_MS = 3_600_000

const timeout = z.int().min(1).max(MAX_TIMEOUT_MS)

const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an address such as http://10.0.0.5:8000/v1' })
  .refine((url) => {
    if (!URL.canParse(url)) return true
    const { username, search, hash } = new URL(url)
    return username === '' && search === '' && hash === ''
  }, 'must hold no user, query or fragment; keys go into the variable that `apiKeyEnv` names')

const FileEngine = z.strictObject({
  kind: z.literal('openai'),
  baseUrls: z.array(baseUrl).min(1).max(32),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable, not the key itself')
    .optional(),
  timeouts: z.strictObject({ connectMs: timeout, firstTokenMs: timeout, idleMs: timeout }).partial().optional(),
  acceptsTestCredit: z.boolean().optional(),
  maxInFlight: z.int().min(1).max(100_000).optional(),
  jobStyle: z.enum(['openai', 'predictions']).optional(),
  imageStyle: z.enum(['openai', 'webui', 'comfyui']).optional(),
  maxTokensField: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  thinkingSwitch: z.enum(['chat_template_kwargs', 'reasoning_effort']).optional(),
  promptLogprobs: z.boolean().optional(),
})

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

export type EngineDefinition = Omit<z.output<typeof FileEngine>, 'apiKeyEnv'> & { apiKey?: string }

export type ParsedModels = { engines: Record<string, EngineDefinition>; entries: ModelEntry[] }

/**
 * Reads an operator's models file.
 * @throws ConfigError naming the file and each fault with its place.
 */
export async function readModelsFile(path: string): Promise<ParsedModels> {
  let text: string
  try {
    const { size } = await stat(path)
    if (size > MAX_FILE_BYTES) throw new ConfigError(`MODELS_FILE: ${path} is larger than ${MAX_FILE_BYTES / 1e6} MB.`)
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError(`MODELS_FILE: ${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
  return parseModels(text, path)
}

export function parseModels(text: string, path: string): ParsedModels {
  const value = parseText(text, path)
  const parsed = ModelsFile.safeParse(value)
  if (!parsed.success) {
    throw fault(
      path,
      parsed.error.issues
        .flatMap((issue) => flatten(issue, []))
        .map((issue) => `${placeOf(issue.path, value)}: ${issue.message}`),
    )
  }
  const faults: string[] = []
  const engines: Record<string, EngineDefinition> = {}
  for (const [name, { apiKeyEnv, ...engine }] of Object.entries(parsed.data.engines)) {
    const apiKey = apiKeyEnv === undefined ? undefined : secretFromEnvironment(apiKeyEnv)
    if (apiKeyEnv !== undefined && apiKey === undefined) {
      faults.push(`engines.${name}.apiKeyEnv: the variable ${apiKeyEnv} is not set`)
    } else if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
      faults.push(`engines.${name}.apiKeyEnv: the variable ${apiKeyEnv} holds blanks or characters that no key has`)
    }
    engines[name] = { ...engine, apiKey }
  }
  if (faults.length > 0) throw fault(path, faults)
  return { engines, entries: parsed.data.models }
}

export function fault(path: string, faults: string[]): ConfigError {
  const rest = faults.length - MAX_FAULTS
  const lines = rest > 0 ? [...faults.slice(0, MAX_FAULTS), `and ${rest} more`] : faults
  return new ConfigError(`${path}:\n${lines.map((line) => `  ${line}`).join('\n')}`)
}

function parseText(text: string, path: string): unknown {
  try {
    return parseYaml(text, { maxAliasCount: MAX_YAML_ALIASES })
  } catch (error) {
    const place = error instanceof YAMLParseError && error.linePos ? ` (line ${error.linePos[0].line})` : ''
    throw fault(path, [`is neither YAML nor JSON${place}: ${(error as Error).message.split('\n', 1)[0]}`])
  }
}

type RawIssue = z.core.$ZodIssue

function flatten(issue: RawIssue, prefix: PropertyKey[]): { path: PropertyKey[]; message: string }[] {
  const path = [...prefix, ...issue.path]
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path, message: issue.message }]
  const closest = issue.errors.reduce((best, branch) => (branch.length < best.length ? branch : best))
  return closest.flatMap((inner) => flatten(inner, path))
}

function placeOf(path: PropertyKey[], value: unknown): string {
  const at = path.map(String).join('.')
  if (path[0] !== 'models' || typeof path[1] !== 'number') return at || 'the file'
  const entry = (value as { models: unknown[] }).models[path[1]]
  const id = typeof entry === 'object' && entry !== null && 'id' in entry ? String(entry.id).slice(0, 128) : undefined
  return id === undefined ? at : `${at} (${id})`
}
