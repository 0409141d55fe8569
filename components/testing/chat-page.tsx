import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { PathnameContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime'
import { useSyncExternalStore } from 'react'
import { expect, vi } from 'vitest'
import { stopRuns } from '@/components/chat/asking/answer-store'
import { runsEnded } from '@/components/chat/asking/run'
import { Chat } from '@/components/chat/chat'
import '@/components/chat/chat-runtime.lazy'
import { provideLocks } from '@/components/testing/locks'
import { press } from '@/components/testing/press'
import { GUEST_SESSION } from '@/components/testing/replies'
import { Toaster } from '@/components/ui/toast'
import type { ChatBody } from '@/lib/browser/chat-request'
import { saveDraft } from '@/lib/browser/drafts'
import { clearDraftFiles } from '@/lib/browser/files/draft-files'
import { queryClient } from '@/lib/browser/queries'
import { db } from '@/lib/browser/storage/database'
import { NEW_CHAT } from '@/lib/browser/storage/records'
import type { ChatChunk, Citation, UsageBody } from '@/lib/contract/chat.schema'
import type { ErrorCode } from '@/lib/contract/errors'
import type { AssistsReply } from '@/lib/contract/models'

const ASSISTS: AssistsReply = { data: {} }

const textModel = (id: string, name: string) => ({
  id,
  type: 'text',
  model_spec: {
    name,
    availableContextTokens: 131_072,
    maxCompletionTokens: 16_384,
    capabilities: { supportsWebSearch: true },
    pricing: { input: { usd: 0.4 }, output: { usd: 1.2 } },
  },
})
const MODELS = { data: [textModel('atlas-large', 'Atlas Large'), textModel('harbour-mini', 'Harbour Mini')] }

/** What the service does with one chat request. */
type ScriptedReply = {
  text?: string
  /** The outcome of its web search. */
  search?: NonNullable<ChatChunk['service_parameters']>['web_search_status']
  citations?: Citation[]
  /** It writes the text and then nothing, until the page leaves. */
  staysOpen?: boolean
  /** It writes the text, and ends once this is done. */
  until?: Promise<unknown>
  /** It refuses with this status. */
  refusal?: number
  code?: ErrorCode
  retryAfterSeconds?: number
  /** The words with which the service announces that the model will be retired. */
  notice?: string
}

export type ChatPage = {
  user: UserEvent
  /** The bodies of the chat requests so far. */
  requests: ChatBody[]
  /** Answers the next request so; called several times, the next ones in turn. */
  next: (reply: ScriptedReply) => void
  ask: (question: string) => Promise<void>
  /** Clicks a button once it can be clicked. */
  press: (name: string | RegExp) => Promise<void>
  /** Renders the page anew, as a reload does. */
  reload: () => Promise<void>
}

/** Renders the page of a new chat, on a service that plays scripts. Ends with `closeChatPage`. */
export async function openChatPage(): Promise<ChatPage> {
  const user = userEvent.setup()
  const requests: ChatBody[] = []
  const scripts: ScriptedReply[] = []
  vi.stubGlobal('fetch', async (path: string, { body, signal }: RequestInit = {}) => {
    if (path === '/api/session') return Response.json(GUEST_SESSION)
    if (path === '/api/assists') return Response.json(ASSISTS)
    if (path.startsWith('/api/v1/models')) return Response.json(MODELS)
    if (path.startsWith('/api/charges/')) return Response.json({ state: 'settled', charged: 0 })
    if (!path.endsWith('/chat/completions')) return Response.json({ error: 'not found' }, { status: 404 })
    const request: ChatBody = JSON.parse(String(body))
    requests.push(request)
    const reply = scripts.shift() ?? { text: 'The tide comes in.' }
    if (reply.refusal) return refuse(reply.refusal, reply)
    // Titles and suggestions are asked for without a stream.
    if (!('stream' in request)) return Response.json(wholeReply(reply, request.model))
    return streamOf(reply, request.model, signal)
  })
  localStorage.setItem('lagoon:titles', 'words')
  provideLocks()
  followAddress()
  const show = async () => {
    render(
      <QueryClientProvider client={queryClient()}>
        <AtAddress />
        <Toaster />
      </QueryClientProvider>,
    )
    await screen.findByRole('button', { name: /^Model: (?!loading)/ })
  }
  await show()
  return {
    user,
    requests,
    next: (reply) => void scripts.push(reply),
    ask: async (question) => {
      await user.type(screen.getByRole('textbox', { name: 'Message' }), question)
      await user.click(screen.getByRole('button', { name: 'Send' }))
    },
    press: (name) => press(user, name),
    reload: async () => {
      cleanup()
      await show()
    },
  }
}

/** The answers on screen. */
export const answers = () => screen.queryAllByRole('article', { name: 'Assistant' })

/** The questions on screen. */
export const questions = () => screen.queryAllByRole('article', { name: 'You' })

/** Waits until so many answers have a receipt and none is written any more. */
export async function answered(count = 1): Promise<void> {
  await waitFor(() => {
    expect(screen.getAllByRole('button', { name: /^Receipt/ })).toHaveLength(count)
    expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull()
  })
}

/** Ends what is still written, and forgets all chats. */
export async function closeChatPage(): Promise<void> {
  const chatIds = await db.conversations.toCollection().primaryKeys()
  for (const chatId of chatIds) {
    act(() => stopRuns(chatId))
    await runsEnded(chatId)
  }
  cleanup()
  await vi.dynamicImportSettled()
  saveDraft(NEW_CHAT, '')
  clearDraftFiles(NEW_CHAT)
  await Promise.all(db.tables.map((table) => table.clear()))
  queryClient().clear()
  window.history.pushState(null, '', '/')
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
}

const USAGE: UsageBody = {
  prompt_tokens: 5,
  completion_tokens: 2,
  total_tokens: 7,
  prompt_tokens_details: { cached_tokens: 0, cache_creation_input_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
}
const COST = { usd: 0.000002, diem: 0 }
const NOTICE_HEADER = 'x-service-model-deprecation-warning'

function refuse(status: number, { code = 'INVALID_REQUEST', retryAfterSeconds }: ScriptedReply): Response {
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  return Response.json({ error: 'No.', code }, { status, headers })
}

const wholeReply = ({ text = '' }: ScriptedReply, model: string) => ({
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model, usage: USAGE, cost: COST },
  choices: [{ index: 0, finish_reason: 'stop', logprobs: null, message: { role: 'assistant', content: text } }],
})

function streamOf(reply: ScriptedReply, model: string, signal?: AbortSignal | null) {
  const { text = '', search, citations = [], staysOpen, until, notice } = reply
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk' as const, created: 1, model, choices: [] }
  const choice = { index: 0, finish_reason: null, logprobs: null }
  const status = search && { service_parameters: { web_search_citations: citations, web_search_status: search } }
  const words: Partial<ChatChunk>[] = [
    ...(status ? [status] : []),
    { choices: [{ ...choice, delta: { role: 'assistant', content: text } }] },
  ]
  const end: Partial<ChatChunk>[] = [
    { choices: [{ ...choice, delta: {}, finish_reason: 'stop' }] },
    { usage: USAGE, cost: COST, ...status },
  ]
  const events = (fields: Partial<ChatChunk>[]) =>
    fields.map((one) => `data: ${JSON.stringify({ ...chunk, ...one })}\n\n`).join('')
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      const write = (frames: string) => controller.enqueue(new TextEncoder().encode(frames))
      if (!staysOpen || text !== '') write(events(words))
      if (staysOpen) return signal?.addEventListener('abort', () => controller.error(signal.reason))
      await until
      write(`${events(end)}data: [DONE]\n\n`)
      controller.close()
    },
  })
  const headers = { 'content-type': 'text/event-stream', ...(notice && { [NOTICE_HEADER]: notice }) }
  return new Response(stream, { headers })
}

const ADDRESS_EVENT = 'test:address'

/** Next.js tells its pages of an address that was pushed. */
function followAddress(): void {
  const { pushState } = window.history
  vi.spyOn(window.history, 'pushState').mockImplementation((...given) => {
    pushState.apply(window.history, given)
    window.dispatchEvent(new Event(ADDRESS_EVENT))
  })
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener(ADDRESS_EVENT, onChange)
  return () => window.removeEventListener(ADDRESS_EVENT, onChange)
}

function AtAddress() {
  const pathname = useSyncExternalStore(subscribe, () => window.location.pathname)
  return (
    <PathnameContext value={pathname}>
      <Chat />
    </PathnameContext>
  )
}
