import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import type { Attachment } from '@/lib/browser/storage/records'
import type { Citation } from '@/lib/contract/chat.schema'

/** A turn as the browser keeps it. `files` have their bytes; an attachment without any is one whose bytes are gone. */
export type KeptTurn = {
  role: 'user' | 'assistant'
  text: string
  citations?: readonly Citation[]
  attachments?: readonly Attachment[]
  files?: readonly { hash: string; base64: string; mediaType: string }[]
}

/** Dexie's versions are tens: lower ones are of a database that was opened only to see whether there is one. */
const FIRST_VERSION = 10

/** Writes a new chat as an import would have. @returns its path, where a page that is then opened shows it. */
export async function keepChat(page: Page, title: string, turns: readonly KeptTurn[]): Promise<string> {
  const conversationId = randomUUID()
  // Opened before the page has made it, the database would be an empty one.
  const isMade = () =>
    page.evaluate(
      async (first) =>
        (await indexedDB.databases()).some(({ name, version = 0 }) => name === 'lagoon' && version >= first),
      FIRST_VERSION,
    )
  await expect.poll(isMade).toBe(true)
  await page.evaluate(writeTurns, { conversationId, turns, title })
  return `/c/${conversationId}`
}

/** Writes turns to the end of the chat on screen, as an import or a search would have, and shows them. */
export async function keepTurns(page: Page, turns: readonly KeptTurn[]): Promise<void> {
  const conversationId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await page.evaluate(writeTurns, { conversationId, turns })
  await page.reload()
}

type Written = { conversationId: string; turns: readonly KeptTurn[]; title?: string }

/** Runs in the page. */
async function writeTurns({ conversationId, turns, title }: Written) {
  const TABLES = ['conversations', 'messages', 'parts', 'blobs']
  const whenDone = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  const database = await whenDone(indexedDB.open('lagoon'))
  const transaction = database.transaction(TABLES, 'readwrite')
  const [conversations, messages, parts, blobs] = TABLES.map((name) => transaction.objectStore(name))
  if (!conversations || !messages || !parts || !blobs) throw new Error('The tables of the history are not there.')
  const all: { id: string; conversationId: string; createdAt: number }[] = await whenDone(messages.getAll())
  const last = all
    .filter((message) => message.conversationId === conversationId)
    .sort((one, other) => other.createdAt - one.createdAt)[0]
  if (title !== undefined) {
    const now = Date.now()
    const chat = { title, isNamed: false, modelId: 'atlas-large', createdAt: now, updatedAt: now, branches: {} }
    conversations.put({ id: conversationId, ...chat })
  }
  let parentId = last?.id ?? ''
  let createdAt = (last?.createdAt ?? Date.now()) + 1
  for (const { role, text, citations, attachments, files = [] } of turns) {
    const id = crypto.randomUUID()
    messages.put({ id, conversationId, parentId, role, status: 'done', createdAt, citations, attachments })
    parts.put({ messageId: id, conversationId, i: 0, type: 'text', payload: text })
    for (const { hash, base64, mediaType } of files) {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      blobs.put({ hash, size: bytes.length, data: new Blob([bytes], { type: mediaType }) })
    }
    parentId = id
    createdAt += 1
  }
  await new Promise((resolve, reject) => {
    transaction.oncomplete = resolve
    transaction.onerror = reject
  })
  database.close()
}
