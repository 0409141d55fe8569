import { queryOptions } from '@tanstack/react-query'
import { API_ROOT, fetchJson, isRecord, text } from '@/lib/browser/api'
import { type Availability, availabilityOf } from '@/lib/browser/models'

export type NamedModel = Availability & {
  id: string
  name: string
  description: string
  privacy: 'private' | 'anonymized'
  isBeta: boolean
  /** ISO date. */
  retiresAt?: string
}

const FRESH_MS = 300_000

/** Fetches the models of a type: those that serve first, the service's own choice before the others. */
export function modelListQuery<M extends NamedModel>(
  type: 'tts' | 'asr' | 'music' | 'video',
  read: (named: NamedModel, spec: Record<string, unknown>) => M,
) {
  return queryOptions({
    queryKey: ['models', type, 'studio'],
    queryFn: async ({ signal }): Promise<M[]> =>
      modelsIn(await fetchJson<unknown>(`${API_ROOT}/models?type=${type}`, { signal }), read),
    staleTime: FRESH_MS,
  })
}

/** Reads a reply of `GET /models`; what has no id is left out. Source: API contract, models.md. */
export function modelsIn<M extends NamedModel>(
  reply: unknown,
  read: (named: NamedModel, spec: Record<string, unknown>) => M,
): M[] {
  const data = isRecord(reply) && Array.isArray(reply.data) ? reply.data : []
  const found = data.filter(isRecord).flatMap((record) => {
    const spec = isRecord(record.model_spec) ? record.model_spec : {}
    const named = namedIn(record, spec)
    return named ? [{ rank: rankOf(named, spec), model: read(named, spec) }] : []
  })
  return found.toSorted((one, other) => one.rank - other.rank).map(({ model }) => model)
}

/** Returns the chosen model while it is there, else the first that serves. */
export const chosenOf = <M extends NamedModel>(models: readonly M[], wanted: string | undefined): M | undefined =>
  models.find(({ id }) => id === wanted) ?? models[0]

export function namedIn(record: Record<string, unknown>, spec: Record<string, unknown>): NamedModel | undefined {
  const id = text(record.id)
  if (id === undefined) return undefined
  const deprecation = isRecord(spec.deprecation) ? spec.deprecation : {}
  return {
    id,
    name: text(spec.name) ?? id,
    description: text(spec.description) ?? '',
    privacy: spec.privacy === 'private' ? 'private' : 'anonymized',
    ...availabilityOf(spec),
    isBeta: spec.betaModel === true,
    retiresAt: text(deprecation.removesAt) ?? text(deprecation.date),
  }
}

const rankOf = ({ isOffline }: NamedModel, spec: Record<string, unknown>): number =>
  Number(isOffline) * 2 + Number(!strings(spec.traits).includes('default'))

export const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

export const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
