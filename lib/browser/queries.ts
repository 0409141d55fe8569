import { QueryClient, queryOptions } from '@tanstack/react-query'
import { API_ROOT, fetchJson } from '@/lib/browser/api'
import { type ModelCard, modelCards } from '@/lib/browser/models'
import { fetchSession, SESSION_KEY } from '@/lib/browser/session'
import type { AssistsReply } from '@/lib/contract/models'

const MODELS_FRESH_MS = 60_000
const SESSION_FRESH_MS = 15_000

export const modelsQuery = () =>
  queryOptions({
    queryKey: ['models', 'text'],
    queryFn: async ({ signal }): Promise<ModelCard[]> => {
      const [models, assists] = await Promise.all([
        fetchJson<unknown>(`${API_ROOT}/models?type=text`, { signal }),
        // Without it the page still asks; it only knows less of what may come along.
        fetchJson<AssistsReply>('/api/assists', { signal }).catch(() => undefined),
      ])
      return modelCards(models, assists?.data)
    },
    staleTime: MODELS_FRESH_MS,
  })

export const sessionQuery = () =>
  queryOptions({ queryKey: SESSION_KEY, queryFn: ({ signal }) => fetchSession(signal), staleTime: SESSION_FRESH_MS })

let browserClient: QueryClient | undefined

/** Returns the page's cache. A server render gets its own, since pages hold no data of anyone. */
export function queryClient(): QueryClient {
  if (typeof window === 'undefined') return newClient()
  browserClient ??= newClient()
  return browserClient
}

function newClient(): QueryClient {
  return new QueryClient({ defaultOptions: { queries: { retry: 1 } } })
}

export const listedModels = (): ModelCard[] => queryClient().getQueryData<ModelCard[]>(modelsQuery().queryKey) ?? []

export const listedModel = (modelId: string): ModelCard | undefined => listedModels().find(({ id }) => id === modelId)

/** Demo models are not asked for titles and suggestions. */
export const isDemoModel = (modelId: string): boolean => listedModel(modelId)?.isDemo === true

/** True for a model that this page does not know, too. */
export function isFreeModel(modelId: string): boolean {
  const price = listedModel(modelId)?.price
  return price === undefined || (price.input === 0 && price.output === 0)
}

export const WALLET_KEY = ['wallet'] as const

const CHANNEL = 'lagoon:credit'

export function refreshMoney(): void {
  void queryClient().invalidateQueries({ queryKey: SESSION_KEY })
  void queryClient().invalidateQueries({ queryKey: WALLET_KEY })
}

export function tellOtherTabs(): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage('credited')
  channel.close()
}

export function hearOtherTabs(): () => void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = refreshMoney
  return () => channel.close()
}
