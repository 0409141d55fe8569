import type { Hit, SearchFilters } from '@/lib/browser/search/chat-search'
import type { SearchAnswer, SearchFeed, SearchQuestion } from '@/lib/browser/search/search.worker'
import { isLocked, isVaultOn } from '@/lib/browser/vault/flag'

type Pending = { question: SearchQuestion; done: (hits: Hit[]) => void; failed: (error: Error) => void }
type Find = (question: SearchQuestion) => Promise<Hit[]>

const pending = new Map<number, Pending>()
let count = 0
let worker: Worker | undefined
let isBroken = false
let feeding: Promise<void> = Promise.resolve()
let here: Promise<Find> | undefined

/** Reads the chats before the first search, in a worker. */
export function warmSearch(): void {
  void run({})
}

/**
 * Returns chats and messages of this device that have all words of the query, or their beginnings; best first.
 * Temporary chats are never among them. @throws Error when the chats cannot be read.
 */
export function searchChats(query: string, filters: SearchFilters = {}): Promise<Hit[]> {
  return run({ query, filters })
}

function run(search: Omit<SearchQuestion, 'id'>): Promise<Hit[]> {
  if (isLocked()) return Promise.resolve([])
  count += 1
  const question = { id: count, ...search }
  return new Promise((done, failed) => {
    pending.set(question.id, { question, done, failed })
    send(question)
  })
}

function send(question: SearchQuestion): void {
  const target = isBroken ? undefined : open()
  if (target) void feeding.then(() => target.postMessage(question))
  else void runHere(question)
}

function open(): Worker | undefined {
  if (worker) return worker
  try {
    worker = new Worker(new URL('./search.worker.ts', import.meta.url), { type: 'module' })
  } catch {
    isBroken = true
    return undefined
  }
  worker.addEventListener('message', ({ data }: MessageEvent<SearchAnswer>) => hear(data))
  worker.addEventListener('error', (event) => {
    event.preventDefault()
    worker?.terminate()
    worker = undefined
    isBroken = true
    for (const { question } of pending.values()) void runHere(question)
  })
  if (isVaultOn()) feeding = feed(worker).catch(() => undefined)
  return worker
}

async function feed(target: Worker): Promise<void> {
  const { feedRecords } = await import('@/lib/browser/vault/vault')
  await feedRecords((records) => target.postMessage({ records } satisfies SearchFeed))
}

function hear(answer: SearchAnswer): void {
  const request = pending.get(answer.id)
  pending.delete(answer.id)
  if ('hits' in answer) request?.done(answer.hits)
  else request?.failed(new Error(answer.failed))
}

async function runHere(question: SearchQuestion): Promise<void> {
  try {
    here ??= findHere()
    hear({ id: question.id, hits: await (await here)(question) })
  } catch (error) {
    hear({ id: question.id, failed: error instanceof Error ? error.message : String(error) })
  }
}

async function findHere(): Promise<Find> {
  const [{ ChatSearch, followChanges }, { db }] = await Promise.all([
    import('@/lib/browser/search/chat-search'),
    import('@/lib/browser/storage/database'),
  ])
  const search = new ChatSearch(db)
  followChanges(search)
  return async ({ query, filters }) => (query === undefined ? [] : search.find(query, filters))
}
