import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, screen, within } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { vi } from 'vitest'
import { storeItems } from '@/components/rpc/batch/items'
import { Playground } from '@/components/rpc/playground'
import { showRequestsTab, showView } from '@/components/rpc/request-draft'
import { useRpcRun } from '@/components/rpc/run'
import { deleteRuns, deleteSaved, listSaved, purgeSaved } from '@/components/rpc/store'
import { press } from '@/components/testing/press'
import { GUEST_SESSION } from '@/components/testing/replies'
import { Toaster } from '@/components/ui/toast'
import { queryClient } from '@/lib/browser/queries'
import { db } from '@/lib/browser/storage/database'
import { NETWORKS, type NetworkState, type RpcOverview, type RpcSlug } from '@/lib/contract/rpc-networks'

const stateOf = (slug: RpcSlug, state: NetworkState['state']): NetworkState => ({
  slug,
  state,
  reason: null,
  isLocal: state === 'up',
  checkedAt: null,
  ...(state === 'up' ? { height: 100, latencyMs: 3 } : { height: null, latencyMs: null }),
})

/** Answers one call of the playground. */
type RpcService = (body: unknown, headers: Headers) => Response | Promise<Response>

type PlaygroundOptions = {
  answer?: RpcService
  unconnected?: readonly RpcSlug[]
  /** The service does not say how the networks are. */
  isWithoutStates?: boolean
}

export type PlaygroundPage = {
  user: UserEvent
  /** The bodies of the calls so far. */
  calls: unknown[]
}

/** A reply of the service to a call that a node answered. */
export const paidReply = (body: unknown, credits = 20): Response =>
  Response.json(body, {
    headers: {
      'x-service-rpc-credits': String(credits),
      'x-service-rpc-cost-usd': (credits * 7e-7).toFixed(8),
      'x-request-id': '0123456789abcdef0123456789abcdef',
    },
  })

export const rpcResult = (result: unknown, id = 1) => ({ jsonrpc: '2.0', id, result })

/** What the service says of its networks. */
export const overviewOf = (unconnected: readonly RpcSlug[] = []): RpcOverview => ({
  usdPerCredit: 7e-7,
  networks: NETWORKS.map(({ slug }) => stateOf(slug, unconnected.includes(slug) ? 'unconfigured' : 'up')),
})

/** Renders the playground at an address. Ends with `closePlayground`. */
export async function openPlayground(
  path: string,
  { answer = () => paidReply(rpcResult('0x2105')), unconnected, isWithoutStates }: PlaygroundOptions = {},
): Promise<PlaygroundPage> {
  const user = userEvent.setup()
  const calls: unknown[] = []
  vi.stubGlobal('fetch', async (url: string, { body, headers }: RequestInit = {}) => {
    if (url === '/api/session') return Response.json(GUEST_SESSION)
    if (url === '/api/rpc/networks')
      return isWithoutStates ? Response.json({ error: 'no' }, { status: 500 }) : Response.json(overviewOf(unconnected))
    if (!url.startsWith('/api/v1/crypto/rpc/')) return Response.json({ error: 'not found' }, { status: 404 })
    const call: unknown = JSON.parse(String(body))
    calls.push(call)
    return await answer(call, new Headers(headers))
  })
  window.history.replaceState(null, '', path)
  render(
    <QueryClientProvider client={queryClient()}>
      <Playground />
      <Toaster />
    </QueryClientProvider>,
  )
  await screen.findByRole('button', { name: 'Snippet' })
  await screen.findByRole('tabpanel', { name: 'History' })
  return { user, calls }
}

export const requestPart = () => screen.getByRole('region', { name: 'Request' })
export const responsePart = () => screen.getByRole('region', { name: 'Response' })
const RUN = /^Run( Ctrl|$)/
export const runButton = () => screen.getByRole<HTMLButtonElement>('button', { name: RUN })

/** Runs the call, once that is possible: not while another runs. */
export const runCall = ({ user }: PlaygroundPage): Promise<void> => press(user, RUN)

/** The runs of the history, latest first. */
export function runs(): HTMLElement[] {
  const list = screen.queryByRole('region', { name: 'Runs' })
  return list ? within(list).queryAllByRole('listitem') : []
}

/** Chooses a method by a search. */
export async function pickMethod({ user }: PlaygroundPage, search: string): Promise<void> {
  await user.click(screen.getByRole('button', { name: /^Method: / }))
  await user.click(await screen.findByRole('combobox', { name: 'Search methods' }))
  await user.paste(search)
  await user.keyboard('{Enter}')
}

/** Removes the page and forgets what it stored. */
export async function closePlayground(): Promise<void> {
  cleanup()
  vi.useRealTimers()
  await vi.dynamicImportSettled()
  act(() => {
    useRpcRun.setState({ phase: 'idle', isWaiting: false, isOld: false }, true)
    showView('call')
    showRequestsTab('history')
    storeItems([])
  })
  await deleteRuns()
  await deleteSaved((await listSaved()).map(({ id }) => id))
  await purgeSaved(Date.now())
  await db.spending.clear()
  queryClient().clear()
  sessionStorage.clear()
  window.history.replaceState(null, '', '/')
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
}
