import 'server-only'
import { z } from 'zod'
import { MAX_PROVIDER_ADDRESS_CHARS, MAX_PROVIDER_MODELS, type OfferedModel } from '@/lib/contract/providers'
import { mapLimited } from '@/lib/kernel/semaphore'
import { ANTHROPIC_VERSION, keyHeaders, versionedBaseUrl } from '@/lib/services/engines/upstream/kinds'
import { isWireObject, textOrUndefined } from '@/lib/services/engines/upstream/wire-value'
import {
  completes,
  LlamaCppProps,
  OllamaShow,
  OllamaTags,
  ollamaCapabilities,
  ollamaContext,
} from '@/lib/services/models/local-engines'
import { type EngineDefinition, isInternal } from '@/lib/services/models/models-file'
import {
  type ListForm,
  OTHER,
  type Preset,
  presetAt,
  presetOf,
  speaksVideo,
} from '@/lib/services/models/providers/presets'
import { askProvider, ProbeError } from '@/lib/services/models/providers/probe-http'
import {
  capabilitiesOf,
  readAnthropic,
  readCompatible,
  readGoogle,
  readLmStudio,
  readXai,
} from '@/lib/services/models/providers/vendor-models'
import { readPrediction } from '@/lib/services/models/providers/vendor-videos'

const MAX_PAGES = 10
const PAGE_SIZE = 1_000
const SHOWN_AT_ONCE = 4

/** A server to connect. `address` is its base URL, as an engine's definition has it. */
export type Target = { preset?: Preset; address: string; key?: string; definition: EngineDefinition }

type Given = { preset?: string | undefined; address?: string | undefined; key?: string | undefined }

/**
 * Makes a target of what the operator entered; an address without a preset gets that of a vendor with the same host.
 * @throws ProbeError bad-address, insecure or key-missing.
 */
export function targetOf({ preset: id, address: given, key }: Given): Target {
  const picked = id === undefined ? undefined : presetOf(id)
  const address = plainAddress(given?.trim() || picked?.address || '')
  const preset = picked ?? presetAt(address)
  if (preset?.key === 'required' && key === undefined) throw new ProbeError('key-missing')
  const { protocol, hostname } = new URL(address)
  if (key !== undefined && protocol === 'http:' && !isInternal(hostname)) throw new ProbeError('insecure')
  return withAddress({ preset, address, key, definition: { ...OTHER.engine, baseUrls: [] } }, address)
}

const withAddress = (target: Target, address: string, preset = target.preset): Target => ({
  ...target,
  address,
  ...(preset && { preset }),
  definition: { ...(preset ?? OTHER).engine, baseUrls: [address], ...(target.key && { apiKey: target.key }) },
})

/** Paths that documentation shows and people paste; the base URL is what stands before them. */
const ENDPOINT =
  /\/(chat\/completions|completions|embeddings|responses|messages|models|images\/generations|videos|predictions)$/

function plainAddress(given: string): string {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `${schemeOf(given)}://${given}`
  if (given === '' || given.length > MAX_PROVIDER_ADDRESS_CHARS || !URL.canParse(withScheme)) {
    throw new ProbeError('bad-address')
  }
  const url = new URL(withScheme)
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!/^https?:$/.test(url.protocol) || url.hostname === '' || !isPlain) throw new ProbeError('bad-address')
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(ENDPOINT, '')
}

function schemeOf(address: string): 'http' | 'https' {
  const url = URL.canParse(`http://${address}`) ? new URL(`http://${address}`) : undefined
  return url && isInternal(url.hostname) ? 'http' : 'https'
}

export type Listed = { target: Target; models: OfferedModel[]; omitted: number }

/**
 * Lists the models of a server. Of an address without a preset the usual forms and paths are tried, and the target says
 * which it was.
 * @throws ProbeError
 */
export async function listModels(target: Target): Promise<Listed> {
  let fault: ProbeError | undefined
  for (const candidate of candidatesOf(target)) {
    try {
      return await listAt(candidate)
    } catch (error) {
      if (!(error instanceof ProbeError)) throw error
      // The first says most: the others were guesses.
      fault ??= error
      if (error.fault !== 'not-an-api') throw error
    }
  }
  throw fault ?? new ProbeError('not-an-api')
}

function candidatesOf(target: Target): Target[] {
  const { preset, address } = target
  const origin = address.replace(/\/v1$/, '')
  if (preset?.lists === 'ollama' || preset?.lists === 'lm-studio') return [withAddress(target, `${origin}/v1`)]
  if (preset !== undefined && preset.lists !== 'openai') {
    return [withAddress(target, versionedBaseUrl(preset.engine.kind, address))]
  }
  const compatible = [target, ...(address.endsWith('/v1') ? [] : [withAddress(target, `${address}/v1`)])]
  if (preset !== undefined) return compatible
  const others = ['comfyui', 'sd-webui', 'replicate'].map((id) => withAddress(target, address, presetOf(id)))
  return [...compatible, ...others]
}

async function listAt(target: Target): Promise<Listed> {
  const form = target.preset?.lists ?? OTHER.lists
  const { models, omitted = 0, preset } = await FORMS[form](target)
  const isOurs = isInternal(new URL(target.address).hostname)
  const usual = (preset ?? target.preset)?.usual
  const offered = models.filter(({ type }) => type !== 'video' || speaksVideo(preset ?? target.preset))
  const listed = offered.map((model) => ({
    ...model,
    ...(model.type === 'text' && usual && withUsual(model, usual)),
    ...(isOurs && model.cost === undefined && { cost: null }),
  }))
  return {
    target: preset === undefined ? target : withAddress(target, target.address, preset),
    models: inOrder(listed).slice(0, MAX_PROVIDER_MODELS),
    omitted: omitted + models.length - offered.length + Math.max(0, listed.length - MAX_PROVIDER_MODELS),
  }
}

const withUsual = (model: OfferedModel, { capabilities, contextTokens }: NonNullable<Preset['usual']>) => ({
  capabilities: model.capabilities ?? capabilities,
  contextTokens: model.contextTokens ?? contextTokens?.(model.upstreamModel),
})

const TYPE_ORDER = { text: 0, image: 1, video: 2, embedding: 3, tts: 4, asr: 5 } as const

function inOrder(models: OfferedModel[]): OfferedModel[] {
  const unique = [...new Map(models.map((model) => [model.upstreamModel, model])).values()]
  return unique.sort(
    (a, b) =>
      TYPE_ORDER[a.type] - TYPE_ORDER[b.type] ||
      (b.created ?? 0) - (a.created ?? 0) ||
      a.upstreamModel.localeCompare(b.upstreamModel),
  )
}

type Read = { models: OfferedModel[]; omitted?: number; preset?: Preset | undefined }

const FORMS: Record<ListForm, (target: Target) => Promise<Read>> = {
  openai: listCompatible,
  anthropic: listAnthropic,
  google: listGoogle,
  xai: listXai,
  ollama: listOllama,
  'lm-studio': listLmStudio,
  comfyui: listComfyUi,
  webui: listWebUi,
  predictions: listPredictions,
}

const keyOf = ({ key, definition }: Target): Record<string, string> => {
  const [name, value] = key === undefined ? [] : keyHeaders(definition.kind, key)
  return name === undefined || value === undefined ? {} : { [name]: value }
}
const ask = (target: Target, url: string, headers = keyOf(target), body?: object) =>
  askProvider({ url, headers, ...(body && { body }), ...(target.key !== undefined && { key: target.key }) })

/** Servers that say in their list what they are; an address alone then gets the right settings. */
const BY_OWNER: Record<string, string> = { vllm: 'vllm', sglang: 'sglang', llamacpp: 'llama-cpp', library: 'ollama' }

async function listCompatible(target: Target): Promise<Read> {
  const listed = rowsOf(await ask(target, `${target.address}/models`), 'data', 'models')
  const [first] = listed
  const owner = isWireObject(first) ? textOrUndefined(first.owned_by) : undefined
  const preset = target.preset ?? presetOf(BY_OWNER[owner ?? ''] ?? '')
  if (preset?.lists === 'ollama') return { ...(await listOllama(target)), preset }
  const read = readAll(listed, readCompatible)
  if (owner !== 'llamacpp') return { ...read, preset }
  const about = await llamaCppFacts(target)
  return { ...read, preset, models: read.models.map((model) => ({ ...model, ...about })) }
}

async function llamaCppFacts(target: Target): Promise<Partial<OfferedModel>> {
  const origin = target.address.replace(/\/v1$/, '')
  const props = LlamaCppProps.safeParse(await ask(target, `${origin}/props`).catch(() => undefined)).data
  return {
    contextTokens: props?.default_generation_settings.n_ctx,
    capabilities: capabilitiesOf({
      supportsFunctionCalling: true,
      supportsResponseSchema: true,
      supportsLogProbs: true,
      supportsVision: props?.modalities?.vision,
      supportsAudioInput: props?.modalities?.audio,
    }),
  }
}

async function listAnthropic(target: Target): Promise<Read> {
  const [name, version] = ANTHROPIC_VERSION
  const headers = { ...keyOf(target), [name]: version }
  const rows: unknown[] = []
  for (let page = 0, after = ''; page < MAX_PAGES; page++) {
    const reply = await ask(target, `${target.address}/models?limit=${PAGE_SIZE}${after}`, headers)
    rows.push(...rowsOf(reply, 'data'))
    const last = isWireObject(reply) && reply.has_more === true ? textOrUndefined(reply.last_id) : undefined
    if (last === undefined) break
    after = `&after_id=${encodeURIComponent(last)}`
  }
  return readAll(rows, readAnthropic)
}

async function listGoogle(target: Target): Promise<Read> {
  const rows: unknown[] = []
  for (let page = 0, token = ''; page < MAX_PAGES; page++) {
    const reply = await ask(target, `${target.address}/models?pageSize=${PAGE_SIZE}${token}`)
    rows.push(...rowsOf(reply, 'models'))
    const next = isWireObject(reply) ? textOrUndefined(reply.nextPageToken) : undefined
    if (!next) break
    token = `&pageToken=${encodeURIComponent(next)}`
  }
  return readAll(rows, readGoogle)
}

/** The list with prices; the compatible one has names only. */
async function listXai(target: Target): Promise<Read> {
  return readAll(rowsOf(await ask(target, `${target.address}/language-models`), 'models', 'data'), readXai)
}

async function listOllama(target: Target): Promise<Read> {
  const origin = target.address.replace(/\/v1$/, '')
  const tags = OllamaTags.safeParse(await ask(target, `${origin}/api/tags`)).data
  if (tags === undefined) throw new ProbeError('not-an-api')
  const models = await mapLimited(tags.models.slice(0, MAX_PROVIDER_MODELS), SHOWN_AT_ONCE, async ({ name }) => {
    const shown = await ask(target, `${origin}/api/show`, keyOf(target), { model: name }).catch(() => undefined)
    const about = OllamaShow.safeParse(shown).data
    const offered: OfferedModel = completes(about)
      ? {
          upstreamModel: name,
          type: 'text',
          contextTokens: ollamaContext(about),
          capabilities: ollamaCapabilities(about),
        }
      : { upstreamModel: name, type: 'embedding' }
    return offered
  })
  return { models }
}

async function listLmStudio(target: Target): Promise<Read> {
  const origin = target.address.replace(/\/v1$/, '')
  try {
    return readAll(rowsOf(await ask(target, `${origin}/api/v0/models`), 'data'), readLmStudio)
  } catch (error) {
    // Versions before 0.3.6 have the compatible list only.
    if (error instanceof ProbeError && error.fault === 'not-an-api') return listCompatible(target)
    throw error
  }
}

async function listComfyUi(target: Target): Promise<Read> {
  const reply = await ask(target, `${target.address}/object_info/CheckpointLoaderSimple`)
  const names = comfyNames(reply)
  if (names === undefined) throw new ProbeError('not-an-api')
  return { models: names.map((name) => ({ upstreamModel: name, name: withoutSuffix(name), type: 'image' })) }
}

const ComfyNode = z.object({
  CheckpointLoaderSimple: z.object({
    input: z.object({ required: z.object({ ckpt_name: z.array(z.unknown()).min(1) }) }),
  }),
})

/** The names stand first, or in newer versions in the options of a `COMBO`. */
function comfyNames(reply: unknown): string[] | undefined {
  const [first, second] = ComfyNode.safeParse(reply).data?.CheckpointLoaderSimple.input.required.ckpt_name ?? []
  const names = Array.isArray(first) ? first : isWireObject(second) ? second.options : undefined
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : undefined
}

async function listWebUi(target: Target): Promise<Read> {
  const reply = await ask(target, `${target.address}/sdapi/v1/sd-models`)
  if (!Array.isArray(reply)) throw new ProbeError('not-an-api')
  const names = reply.flatMap((row) => (isWireObject(row) ? (textOrUndefined(row.model_name) ?? []) : []))
  return { models: names.map((name) => ({ upstreamModel: name, type: 'image' })) }
}

const VIDEO_COLLECTIONS = ['text-to-video', 'image-to-video']

/** There are thousands of models, sorted into collections by what they do. */
async function listPredictions(target: Target): Promise<Read> {
  const [first = '', ...others] = VIDEO_COLLECTIONS.map((name) => `${target.address}/collections/${name}`)
  const rows = rowsOf(await ask(target, first), 'models')
  for (const url of others) {
    const reply = await ask(target, url).catch((error: unknown) => {
      if (error instanceof ProbeError && error.fault === 'not-an-api') return { models: [] }
      throw error
    })
    rows.push(...rowsOf(reply, 'models'))
  }
  return readAll(rows, readPrediction)
}

const withoutSuffix = (file: string): string => file.replace(/\.(safetensors|ckpt)$/i, '')

function rowsOf(reply: unknown, ...names: string[]): unknown[] {
  if (Array.isArray(reply)) return reply
  const rows = isWireObject(reply) ? names.map((name) => reply[name]).find(Array.isArray) : undefined
  if (!Array.isArray(rows)) throw new ProbeError('not-an-api')
  return rows
}

function readAll(rows: unknown[], read: (row: unknown) => OfferedModel | 'omitted' | undefined): Read {
  const models: OfferedModel[] = []
  let omitted = 0
  for (const row of rows) {
    const model = read(row)
    if (model === 'omitted') omitted++
    else if (model) models.push(model)
  }
  return { models, omitted }
}
