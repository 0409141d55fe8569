import { queryOptions } from '@tanstack/react-query'
import { API_ROOT, fetchJson } from '@/lib/browser/api'
import { type ModelSpec, modelsOf, type NamedModel, namedIn } from '@/lib/browser/models'
import type { ModelType } from '@/lib/contract/models'

const FRESH_MS = 300_000

/** Fetches the models of a type: those that serve first, the service's own choice before the others. */
export function modelListQuery<S extends ModelSpec<ModelType>, M extends NamedModel>(
  type: 'tts' | 'asr' | 'music' | 'video',
  read: (named: NamedModel, spec: S) => M,
) {
  return queryOptions({
    queryKey: ['models', type, 'studio'],
    queryFn: async ({ signal }): Promise<M[]> =>
      modelsIn(await fetchJson<unknown>(`${API_ROOT}/models?type=${type}`, { signal }), read),
    staleTime: FRESH_MS,
  })
}

/** Reads a reply of `GET /models`; what has no id is left out. Source: API contract, models.md. */
export function modelsIn<S extends ModelSpec<ModelType>, M extends NamedModel>(
  reply: unknown,
  read: (named: NamedModel, spec: S) => M,
): M[] {
  const found = modelsOf(reply).map((record) => {
    const named = namedIn(record)
    return { rank: rankOf(named, record.model_spec), model: read(named, record.model_spec as S) }
  })
  return found.toSorted((one, other) => one.rank - other.rank).map(({ model }) => model)
}

/** Returns the chosen model while it is there, else the first that serves. */
export const chosenOf = <M extends NamedModel>(models: readonly M[], wanted: string | undefined): M | undefined =>
  models.find(({ id }) => id === wanted) ?? models[0]

const rankOf = ({ isOffline }: NamedModel, spec: ModelSpec<ModelType>): number =>
  Number(isOffline) * 2 + Number(!spec.traits?.includes('default'))

export const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

export const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
