import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { API_ROOT, fetchJson, postJson, request } from '@/lib/browser/api'
import { queryClient } from '@/lib/browser/queries'
import { ApiError } from '@/lib/contract/errors'
import { MODEL_TYPES } from '@/lib/contract/models'

const PATH = '/api/admin/session'
const FRESH_MS = 60_000

export const OPERATOR_KEY = ['operator'] as const

/** `isLinkRefused`: the page was opened with a link that is wrong or has expired. */
export type Operator = { isOperator: boolean; isLinkRefused?: boolean }

/** Tells whether this browser is the operator's; a link in the address signs it in first. */
export const operatorQuery = () =>
  queryOptions({
    queryKey: OPERATOR_KEY,
    queryFn: async ({ signal }): Promise<Operator> => {
      const token = takeToken()
      if (token === undefined) return fetchJson<Operator>(PATH, { signal })
      try {
        const reply = (await (await postJson(PATH, { token }, signal)).json()) as Operator
        waiting = undefined
        return reply
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) throw error
        waiting = undefined
        return { ...(await fetchJson<Operator>(PATH, { signal })), isLinkRefused: true }
      }
    },
    staleTime: FRESH_MS,
    networkMode: 'always',
  })

/** Kept until the service has answered, so that a retry has it still. */
let waiting: string | undefined

/** Takes the token out of the address, which history and screenshots would keep. */
function takeToken(): string | undefined {
  const { hash, search, pathname } = window.location
  const token = new URLSearchParams(hash.slice(1)).get('token') ?? new URLSearchParams(search).get('token') ?? undefined
  if (token === undefined || pathname !== '/admin') return waiting
  waiting = token
  window.history.replaceState(window.history.state, '', pathname)
  return token
}

/** @throws ApiError */
export async function signOutOperator(): Promise<void> {
  await request(PATH, { method: 'DELETE' })
}

/** Asks as the operator; whoever is none any more is shown how to become one again. @throws ApiError */
export async function asOperator<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking
  } catch (error) {
    if (error instanceof ApiError && error.code === 'AUTHENTICATION_FAILED') {
      queryClient().setQueryData<Operator>(OPERATOR_KEY, { isOperator: false })
    }
    throw error
  }
}

/** Shows models that came or went wherever they are chosen: in this page's lists, and past the browser's cache. */
export async function refreshModelLists(client: QueryClient): Promise<void> {
  // Their replies may be kept for a minute; what is fetched anew takes the place of what is kept.
  await Promise.all(
    MODEL_TYPES.map((type) => fetchJson(`${API_ROOT}/models?type=${type}`, { cache: 'reload' }).catch(() => undefined)),
  )
  await client.invalidateQueries({ queryKey: ['models'] })
}
