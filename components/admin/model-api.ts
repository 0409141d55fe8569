import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { errorOf, fetchJson, postJson } from '@/lib/browser/api'
import { asOperator, refreshModelLists } from '@/lib/browser/operator'
import type { AdminModels, ModelDownload } from '@/lib/contract/admin-models.schema'

const PATH = '/api/admin/models'
const MODELS_KEY = ['admin', 'hub models'] as const
/** A bar moves while something is downloaded; otherwise another tab or a command may have changed something. */
const WHILE_DOWNLOADING_MS = 1_000
const OTHERWISE_MS = 15_000

export const adminModelsQuery = () =>
  queryOptions({
    queryKey: MODELS_KEY,
    queryFn: ({ signal }) => asOperator(fetchJson<AdminModels>(PATH, { signal })),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.downloads.some(isRunning) === true ? WHILE_DOWNLOADING_MS : OTHERWISE_MS,
  })

const isRunning = ({ state }: ModelDownload): boolean => state === 'running'

/** @throws ApiError */
export async function startDownload(source: string): Promise<void> {
  await postJson(`${PATH}/downloads`, { source })
}

export type DownloadAction = 'pause' | 'resume' | 'cancel'

/** @throws ApiError */
export async function changeDownload(id: string, action: DownloadAction): Promise<void> {
  await postJson(`${PATH}/downloads/${encodeURIComponent(id)}`, { action })
}

/** @throws ApiError */
export async function removeModel(id: string): Promise<void> {
  const response = await fetch(`${PATH}/${encodeURIComponent(id)}`, { method: 'DELETE' })
  if (!response.ok) throw await errorOf(response)
}

/** Shows what changed, here and where models are chosen. */
export async function refreshModels(client: QueryClient): Promise<void> {
  await Promise.all([client.invalidateQueries({ queryKey: MODELS_KEY }), refreshModelLists(client)])
}

/** @throws ApiError */
export async function makeDefault(id: string): Promise<void> {
  await postJson(`${PATH}/default`, { id })
}
