import 'server-only'
import type { z } from 'zod'
import { ApiError } from '@/lib/contract/errors'
import type { AssistsReply } from '@/lib/contract/models'
import { ModelListQuery, ModelTypeQuery } from '@/lib/contract/models.schema'
import type { Caller } from '@/lib/kernel/request-context'
import { catalogue } from '@/lib/services/models/catalogue'
import { isRetired } from '@/lib/services/models/deprecation'
import type { Model } from '@/lib/services/models/model'
import { assistsOf, isPrivateEnough, shownName } from '@/lib/services/models/resolve'

export type WireList<Data> = { object: 'list'; type: string; data: Data }

/**
 * `GET /models`: models of a type, newest first, without those that the key's privacy setting excludes.
 * @throws ApiError INVALID_REQUEST when `type` is unknown.
 */
export function listModels(query: URLSearchParams, caller?: Caller, now = Date.now()): WireList<Model['record'][]> {
  const { type } = parseQuery(ModelListQuery, query)
  const models = catalogue().list(type, now)
  const data = models.filter((model) => isPrivateEnough(model, caller)).map((model) => recordAt(model, now))
  return { object: 'list', type, data }
}

export function getModel(id: string, caller?: Caller, now = Date.now()): Model['record'] {
  const model = catalogue().byId.get(id)
  if (model && !isRetired(model, now) && isPrivateEnough(model, caller)) return recordAt(model, now)
  throw new ApiError('MODEL_NOT_FOUND', `There is no model "${shownName(id)}". GET /models?type=all lists them.`)
}

export function idFromPath(segments: string | string[] | undefined): string {
  const path = Array.isArray(segments) ? segments.join('/') : (segments ?? '')
  try {
    return decodeURIComponent(path)
  } catch {
    // No id holds a percent sign: what cannot be decoded is unknown as it stands.
    return path
  }
}

export function listTraits(
  query: URLSearchParams,
  caller?: Caller,
  now = Date.now(),
): WireList<Record<string, string>> {
  const { type } = parseQuery(ModelTypeQuery, query)
  return { object: 'list', type, data: idsOf(catalogue().traits(type, now), caller) }
}

export function listAliases(
  query: URLSearchParams,
  caller?: Caller,
  now = Date.now(),
): WireList<Record<string, string>> {
  const { type } = parseQuery(ModelTypeQuery, query)
  const live = [...catalogue().aliases(type)].filter(([, model]) => !isRetired(model, now))
  return { object: 'list', type, data: idsOf(live, caller) }
}

export function cacheHeaders(headers: Headers): Record<string, string> {
  const isPublic = !headers.has('authorization')
  return { 'Cache-Control': isPublic ? 'public, max-age=60' : 'private, no-store', Vary: 'Authorization' }
}

function idsOf(names: Iterable<readonly [string, Model]>, caller: Caller | undefined): Record<string, string> {
  const allowed = [...names].filter(([, model]) => isPrivateEnough(model, caller))
  return Object.fromEntries(allowed.map(([name, model]) => [name, model.id]))
}

function recordAt(model: Model, now: number): Model['record'] {
  const traits = [...catalogue().traits(model.type, now)].flatMap(([trait, holder]) =>
    holder === model ? [trait] : [],
  )
  return { ...model.record, model_spec: { ...(model.record.model_spec as object), traits, offline: model.isOffline } }
}

function parseQuery<Schema extends z.ZodType>(schema: Schema, query: URLSearchParams): z.output<Schema> {
  const parsed = schema.safeParse(Object.fromEntries(query))
  if (parsed.success) return parsed.data
  throw new ApiError('INVALID_REQUEST', 'Invalid request parameters', {
    issues: parsed.error.issues.map(({ code, path, message }) => ({
      code: code ?? 'custom',
      path: path.map(String),
      message,
    })),
  })
}

/** Lists the text models that others read for. `/models` has no place for it (its `capabilities` are closed). */
export function listAssists(now = Date.now()): AssistsReply {
  const data: AssistsReply['data'] = {}
  for (const model of catalogue().list('text', now)) {
    const { vision, audio } = assistsOf(model, undefined, now)
    if (vision || audio) data[model.id] = { ...(vision && { images: vision.id }), ...(audio && { audio: audio.id }) }
  }
  return { data }
}
