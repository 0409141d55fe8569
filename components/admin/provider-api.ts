import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { errorOf, fetchJson, postJson } from '@/lib/browser/api'
import { asOperator, refreshModelLists } from '@/lib/browser/operator'
import type {
  ConnectedProvider,
  FoundServer,
  ListReply,
  PricedModel,
  ProviderModelType,
  ProvidersReply,
  WordReply,
} from '@/lib/contract/providers'

const PATH = '/api/admin/providers'
const FRESH_MS = 10_000
const PROVIDERS_KEY = ['admin', 'providers'] as const

export const providersQuery = () =>
  queryOptions({
    queryKey: [...PROVIDERS_KEY, 'connected'],
    queryFn: ({ signal }) => asOperator(fetchJson<ProvidersReply>(PATH, { signal })),
    staleTime: FRESH_MS,
  })

export const foundQuery = () =>
  queryOptions({
    queryKey: [...PROVIDERS_KEY, 'found'],
    queryFn: async ({ signal }) => (await fetchJson<{ found: FoundServer[] }>(`${PATH}/found`, { signal })).found,
    staleTime: FRESH_MS,
  })

/** Shows what changed, here and where models are chosen. */
export async function refreshProviders(client: QueryClient): Promise<void> {
  await Promise.all([client.invalidateQueries({ queryKey: PROVIDERS_KEY }), refreshModelLists(client)])
}

/** A server by address and key, or a connected one whose key the service has. */
export type Server = { preset?: string; address?: string; key?: string; provider?: string }

/** @throws ApiError when the request fails; what the server answers is a result. */
export const listServerModels = (server: Server, signal?: AbortSignal): Promise<ListReply> =>
  post(`${PATH}/models`, server, signal)

/** @throws ApiError as `listServerModels`. */
export const tryServer = (server: Server, model: string, type: ProviderModelType): Promise<WordReply> =>
  post(`${PATH}/word`, { ...server, model, type })

export type NewProvider = Omit<Server, 'provider'> & {
  models: PricedModel[]
  marginPercent: number
  acceptsTestCredit?: boolean
}

/** @throws ApiError */
export const addProvider = (provider: NewProvider): Promise<ConnectedProvider> => post(PATH, provider)

export type ProviderChange = {
  key?: string
  models?: PricedModel[]
  marginPercent?: number
  isPaused?: boolean
  acceptsTestCredit?: boolean
}

/** @throws ApiError */
export async function changeProvider(name: string, change: ProviderChange): Promise<ConnectedProvider> {
  const response = await fetch(`${PATH}/${encodeURIComponent(name)}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  })
  if (!response.ok) throw await errorOf(response)
  return (await response.json()) as ConnectedProvider
}

/** @throws ApiError */
export async function removeProvider(name: string): Promise<void> {
  const response = await fetch(`${PATH}/${encodeURIComponent(name)}`, { method: 'DELETE' })
  if (!response.ok) throw await errorOf(response)
}

async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await (await postJson(path, body, signal)).json()) as T
}
