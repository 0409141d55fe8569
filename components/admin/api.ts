import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { errorOf, fetchJson, postJson } from '@/lib/browser/api'
import { asOperator, refreshModelLists } from '@/lib/browser/operator'
import type { AdminModels, ModelDownload } from '@/lib/contract/admin-models.schema'
import type {
  ConnectedProvider,
  FoundServer,
  ListReply,
  PricedModel,
  ProviderModelType,
  ProvidersReply,
  WordReply,
} from '@/lib/contract/providers'

const PROVIDERS_PATH = '/api/admin/providers'
const FRESH_MS = 10_000
const PROVIDERS_KEY = ['admin', 'providers'] as const

export const providersQuery = () =>
  queryOptions({
    queryKey: [...PROVIDERS_KEY, 'connected'],
    queryFn: ({ signal }) => asOperator(fetchJson<ProvidersReply>(PROVIDERS_PATH, { signal })),
    staleTime: FRESH_MS,
  })

export const foundQuery = () =>
  queryOptions({
    queryKey: [...PROVIDERS_KEY, 'found'],
    queryFn: async ({ signal }) =>
      (await fetchJson<{ found: FoundServer[] }>(`${PROVIDERS_PATH}/found`, { signal })).found,
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
  post(`${PROVIDERS_PATH}/models`, server, signal)

/** @throws ApiError as `listServerModels`. */
export const tryServer = (server: Server, model: string, type: ProviderModelType): Promise<WordReply> =>
  post(`${PROVIDERS_PATH}/word`, { ...server, model, type })

export type NewProvider = Omit<Server, 'provider'> & {
  models: PricedModel[]
  marginPercent: number
  acceptsTestCredit?: boolean
}

/** @throws ApiError */
export const addProvider = (provider: NewProvider): Promise<ConnectedProvider> => post(PROVIDERS_PATH, provider)

export type ProviderChange = {
  key?: string
  models?: PricedModel[]
  marginPercent?: number
  isPaused?: boolean
  acceptsTestCredit?: boolean
}

/** @throws ApiError */
export async function changeProvider(name: string, change: ProviderChange): Promise<ConnectedProvider> {
  const response = await fetch(`${PROVIDERS_PATH}/${encodeURIComponent(name)}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  })
  if (!response.ok) throw await errorOf(response)
  return (await response.json()) as ConnectedProvider
}

/** @throws ApiError */
export async function removeProvider(name: string): Promise<void> {
  const response = await fetch(`${PROVIDERS_PATH}/${encodeURIComponent(name)}`, { method: 'DELETE' })
  if (!response.ok) throw await errorOf(response)
}

async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await (await postJson(path, body, signal)).json()) as T
}

const MODELS_PATH = '/api/admin/models'
const MODELS_KEY = ['admin', 'hub models'] as const
/** A bar moves while something is downloaded; otherwise another tab or a command may have changed something. */
const WHILE_DOWNLOADING_MS = 1_000
const OTHERWISE_MS = 15_000

export const adminModelsQuery = () =>
  queryOptions({
    queryKey: MODELS_KEY,
    queryFn: ({ signal }) => asOperator(fetchJson<AdminModels>(MODELS_PATH, { signal })),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.downloads.some(isRunning) === true ? WHILE_DOWNLOADING_MS : OTHERWISE_MS,
  })

const isRunning = ({ state }: ModelDownload): boolean => state === 'running'

/** @throws ApiError */
export async function startDownload(source: string): Promise<void> {
  await postJson(`${MODELS_PATH}/downloads`, { source })
}

export type DownloadAction = 'pause' | 'resume' | 'cancel'

/** @throws ApiError */
export async function changeDownload(id: string, action: DownloadAction): Promise<void> {
  await postJson(`${MODELS_PATH}/downloads/${encodeURIComponent(id)}`, { action })
}

/** @throws ApiError */
export async function removeModel(id: string): Promise<void> {
  const response = await fetch(`${MODELS_PATH}/${encodeURIComponent(id)}`, { method: 'DELETE' })
  if (!response.ok) throw await errorOf(response)
}

/** Shows what changed, here and where models are chosen. */
export async function refreshModels(client: QueryClient): Promise<void> {
  await Promise.all([client.invalidateQueries({ queryKey: MODELS_KEY }), refreshModelLists(client)])
}

/** @throws ApiError */
export async function makeDefault(id: string): Promise<void> {
  await postJson(`${MODELS_PATH}/default`, { id })
}
