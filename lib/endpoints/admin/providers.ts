import 'server-only'
import { z } from 'zod'
import { ApiError } from '@/lib/contract/errors'
import {
  DEFAULT_MARGIN_PERCENT,
  type ListReply,
  MAX_MARGIN_PERCENT,
  MAX_PROVIDER_ADDRESS_CHARS,
  MAX_PROVIDER_KEY_CHARS,
  MAX_PROVIDER_MODELS,
  MAX_UPSTREAM_MODEL_CHARS,
  PROVIDER_MODEL_TYPES,
  type ProbeFailure,
  type ProvidersReply,
  type WordReply,
} from '@/lib/contract/providers'
import { config } from '@/lib/kernel/config'
import { json } from '@/lib/pipeline/body'
import { uncachedJson } from '@/lib/pipeline/reply'
import type { Handle } from '@/lib/pipeline/route'
import { refusesTestCredit } from '@/lib/services/models/models-file'
import {
  changeProvider,
  connectProvider,
  listProviders,
  removeProvider,
  targetOfProvider,
} from '@/lib/services/models/providers/connect'
import { findServers } from '@/lib/services/models/providers/find-servers'
import { listModels, type Target, targetOf } from '@/lib/services/models/providers/list-models'
import { presetOf, shownPresets } from '@/lib/services/models/providers/presets'
import { failureOf, ProbeError } from '@/lib/services/models/providers/probe-http'
import { StoredModel } from '@/lib/services/models/providers/store'
import { tryModel } from '@/lib/services/models/providers/try-model'

const MAX_BODY_BYTES = 1_000_000
const MAX_NAME_CHARS = 40

const name = z.string().min(1).max(MAX_NAME_CHARS)
const preset = z.string().refine((id) => presetOf(id) !== undefined, 'is no known provider')
const margin = z.number().min(0).max(MAX_MARGIN_PERCENT)
const models = z.array(StoredModel).max(MAX_PROVIDER_MODELS)
/** A server by its address, or one that is connected and whose key the page does not have. */
const server = {
  preset: preset.optional(),
  address: z.string().max(MAX_PROVIDER_ADDRESS_CHARS).optional(),
  key: z.string().max(MAX_PROVIDER_KEY_CHARS).optional(),
}
const options = { maxBytes: MAX_BODY_BYTES }
const listBody = json(z.strictObject({ ...server, provider: name.optional() }), options)
const wordBody = json(
  z.strictObject({
    ...server,
    provider: name.optional(),
    model: z.string().min(1).max(MAX_UPSTREAM_MODEL_CHARS),
    type: z.enum(PROVIDER_MODEL_TYPES).default('text'),
  }),
  options,
)
const connectBody = json(
  z.strictObject({
    ...server,
    name: name.optional(),
    models,
    marginPercent: margin.default(DEFAULT_MARGIN_PERCENT),
    acceptsTestCredit: z.boolean().optional(),
  }),
  options,
)
const changeBody = json(
  z.strictObject({
    key: server.key,
    models: models.optional(),
    marginPercent: margin.optional(),
    isPaused: z.boolean().optional(),
    acceptsTestCredit: z.boolean().optional(),
  }),
  options,
)

export const showProviders: Handle = async () => {
  const reply: ProvidersReply = {
    presets: shownPresets(),
    providers: await listProviders(),
    isSandbox: config().isSandbox,
  }
  return uncachedJson(reply)
}

export const showFoundServers: Handle = async () => uncachedJson({ found: await findServers() })

/** Lists the models of a server, with what it charges where it says so. */
export const listProviderModels: Handle = async (context, request) => {
  const { provider, ...given } = await listBody(context, request)
  return uncachedJson(
    await orFailure<ListReply>(async () => {
      const { target, models, omitted } = await listModels(await targetFor(provider, given))
      const acceptsTestCredit = !refusesTestCredit(target.definition)
      return { address: target.address, preset: target.preset?.id ?? null, models, omitted, acceptsTestCredit }
    }),
  )
}

/** Asks one model for a word, before anything is stored. */
export const tryProvider: Handle = async (context, request) => {
  const { provider, model, type, ...given } = await wordBody(context, request)
  const startedAt = performance.now()
  return uncachedJson(
    await orFailure<WordReply>(async () => {
      const word = await tryModel(await targetFor(provider, given), model, type)
      return { word, ms: Math.round(performance.now() - startedAt) }
    }),
  )
}

export const addProvider: Handle = async (context, request) => {
  const connection = await connectBody(context, request)
  return { ...uncachedJson(await orRefusal(() => connectProvider(connection))), status: 201 }
}

export const editProvider: Handle = async (context, request, { name }) => {
  const change = await changeBody(context, request)
  return uncachedJson(await changeProvider(String(name), change))
}

export const dropProvider: Handle = async (_context, _request, { name }) => {
  await removeProvider(String(name))
  return uncachedJson({ removed: true })
}

type Given = Parameters<typeof targetOf>[0]

/** With the stored key, unless a new one is to be tried. */
async function targetFor(provider: string | undefined, given: Given): Promise<Target> {
  const key = given.key?.trim() || undefined
  return provider === undefined ? targetOf({ ...given, key }) : targetOfProvider(provider, key)
}

/** What a server answers to a probe is a result, and no fault of the request. */
async function orFailure<T>(probe: () => Promise<T>): Promise<T | ProbeFailure> {
  try {
    return await probe()
  } catch (error) {
    if (error instanceof ProbeError) return failureOf(error)
    throw error
  }
}

async function orRefusal<T>(connect: () => Promise<T>): Promise<T> {
  try {
    return await connect()
  } catch (error) {
    if (error instanceof ProbeError) throw new ApiError('INVALID_REQUEST', error.message, { cause: error })
    throw error
  }
}
