import { fromJson, MessageShape, toJson } from '@/components/history/archive/shapes.lazy'
import { ensureSession } from '@/lib/browser/account-gate'
import { SHARES_PATH, SHARES_TIMEOUT_MS } from '@/lib/browser/active-shares'
import { isRecord, request } from '@/lib/browser/api'
import { queryClient } from '@/lib/browser/queries'
import { loadBlob } from '@/lib/browser/storage/blobs'
import { loadThread, type StoredThread } from '@/lib/browser/storage/chats'
import { databaseOf, db } from '@/lib/browser/storage/database'
import type { Message, Part, StoredShare } from '@/lib/browser/storage/records'
import { pathTo, shownTurns } from '@/lib/browser/storage/thread'
import { decompress } from '@/lib/browser/streams'
import { type Lifetime, MAX_SHARE_BYTES, type NewShare } from '@/lib/contract/shares'
import { t } from '@/lib/i18n/t'

type ShareChoice = { conversationId: string; leafId?: string | undefined; lifetime: Lifetime; withFiles: boolean }

export async function previewShare(
  conversationId: string,
  leafId?: string,
): Promise<{ thread: StoredThread; fileBytes: number } | undefined> {
  const whole = await loadThread(conversationId)
  if (!whole) return undefined
  const thread = branchToShare(whole, leafId)
  const sizes = new Map(
    thread.messages.flatMap(({ attachments = [] }) => attachments.map(({ hash, size }) => [hash, size])),
  )
  return { thread, fileBytes: [...sizes.values()].reduce((sum, size) => sum + size, 0) }
}

/**
 * Encrypts a branch here, uploads the ciphertext, and keeps the secret that revokes it. @throws ApiError when the
 * service refuses; Error when the chat is too large for a link.
 */
export async function shareChat({ conversationId, leafId, lifetime, withFiles }: ShareChoice): Promise<StoredShare> {
  const preview = await previewShare(conversationId, leafId)
  if (!preview) throw new Error(t('This chat is no longer on this device.'))
  const { thread } = preview
  const files = withFiles ? await loadFiles(thread) : new Map<string, Blob>()
  const { bytes, key } = await sealBundle({ thread, files })
  if (bytes.length > MAX_SHARE_BYTES) throw new Error(t('This chat is larger than 2 MB, the limit for a link.'))
  await ensureSession(queryClient(), t('To share by link'))
  const response = await request(`${SHARES_PATH}?lifetime=${lifetime}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: bytes,
    signal: AbortSignal.timeout(SHARES_TIMEOUT_MS),
  })
  const { id, secret, expiresAt } = (await response.json()) as NewShare
  const { title } = thread.conversation
  const share = { id, conversationId, title, key, secret, createdAt: Date.now(), expiresAt: Date.parse(expiresAt) }
  // A temporary chat leaves nothing here, not even the way to take its link back.
  await databaseOf(conversationId).shares.put(share)
  return share
}

export const linkOf = ({ id, key }: Pick<StoredShare, 'id' | 'key'>): string =>
  `${window.location.origin}/s/${id}#${key}`

/** @throws ApiError when the link has expired; Error when its key is wrong. */
export async function readShared(id: string, key: string): Promise<SharedChat> {
  const signal = AbortSignal.timeout(SHARES_TIMEOUT_MS)
  const response = await request(`${SHARES_PATH}/${encodeURIComponent(id)}`, { signal })
  return await openBundle(new Uint8Array(await response.arrayBuffer()), key)
}

export async function keepShared(shared: SharedChat, shareId: string): Promise<string> {
  const { takeBlob, takeThreads } = await import('@/components/history/archive/take')
  const thread = ownThread(shared, shareId, Date.now())
  await takeThreads(db, [thread])
  for (const [hash, data] of shared.files) await takeBlob(db, hash, data)
  return thread.conversation.id
}

async function loadFiles(thread: StoredThread): Promise<Map<string, Blob>> {
  const hashes = new Set(thread.messages.flatMap(({ attachments = [] }) => attachments.map(({ hash }) => hash)))
  const files = new Map<string, Blob>()
  for (const hash of hashes) {
    const blob = await loadBlob(hash)
    if (blob) files.set(hash, blob)
  }
  return files
}

type SharedChat = { thread: StoredThread; files: Map<string, Blob> }

const FORMAT = 'lagoon-share'
const VERSION = 1
const IV_BYTES = 12
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024
const MAX_MESSAGES = 5_000
const MAX_TITLE_CHARS = 200
const CHAT = 'shared'

/**
 * Returns the branch that ends with `leafId`, or the shown one, without private parts: settings, receipts, failures,
 * thoughts, other versions. The ids say only the order.
 */
export function branchToShare(thread: StoredThread, leafId?: string): StoredThread {
  const leaf = leafId ?? shownTurns(thread).at(-1)?.id ?? ''
  const path = pathTo(thread.messages, leaf).slice(-MAX_MESSAGES)
  const names = new Map(path.map(({ id }, index) => [id, `m${index}`]))
  const { title, createdAt, updatedAt, modelId } = thread.conversation
  return {
    conversation: { id: CHAT, title, isNamed: true, createdAt, updatedAt, modelId, branches: {} },
    messages: path.map((message, at) => ({ ...sharedFields(message), ...placeOf(at) })),
    parts: thread.parts.flatMap((part): Part[] => {
      const messageId = names.get(part.messageId)
      return messageId && part.type === 'text' ? [{ ...part, messageId, conversationId: CHAT }] : []
    }),
    receipts: [],
  }
}

/** Returns nothing but what is shared: settings, failures or open prices of a stranger would be acted upon. */
const sharedFields = ({ role, createdAt, modelId, character, citations, attachments }: Message) => ({
  ...{ role, createdAt },
  ...(modelId && { modelId }),
  ...(character && { character: { id: character.id, name: character.name } }),
  ...(citations && { citations }),
  ...(attachments && { attachments }),
})

/** One branch: each message follows the one before. */
const placeOf = (at: number) => ({
  id: `m${at}`,
  parentId: at === 0 ? '' : `m${at - 1}`,
  conversationId: CHAT,
  status: 'done' as const,
})

/** Packs and encrypts a chat. The key is for the link; without it the bytes say nothing but their size. */
export async function sealBundle({
  thread,
  files,
}: SharedChat): Promise<{ bytes: Uint8Array<ArrayBuffer>; key: string }> {
  const fields: Record<string, { type: string; data: string }> = {}
  for (const [hash, file] of files)
    fields[hash] = { type: file.type, data: toBase64(new Uint8Array(await file.arrayBuffer())) }
  const plain = new Blob([toJson({ format: FORMAT, version: VERSION, ...thread, files: fields })])
  const packed = await new Response(plain.stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()
  const raw = crypto.getRandomValues(new Uint8Array(32))
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const cipher = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await importKey(raw, 'encrypt'), packed)
  const bytes = new Uint8Array(IV_BYTES + cipher.byteLength)
  bytes.set(iv)
  bytes.set(new Uint8Array(cipher), IV_BYTES)
  return { bytes, key: toBase64(raw).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '') }
}

/**
 * Decrypts a shared chat and checks all of it: its sender is a stranger. @throws Error when the key does not open it,
 * or it is no chat.
 */
export async function openBundle(bytes: Uint8Array<ArrayBuffer>, key: string): Promise<SharedChat> {
  const raw = fromBase64(key.replace(/-/g, '+').replace(/_/g, '/'))
  if (raw.length !== 32) throw new Error(t('The link is incomplete: its key is missing. Copy the whole link.'))
  const packed = await crypto.subtle
    .decrypt({ name: 'AES-GCM', iv: bytes.slice(0, IV_BYTES) }, await importKey(raw, 'decrypt'), bytes.slice(IV_BYTES))
    .catch(() => undefined)
  if (!packed) throw new Error(t('The key in the link is wrong. Copy the whole link.'))
  const unpacked = await decompress(new Blob([packed]), 'gzip', MAX_UNPACKED_BYTES)
  if (!unpacked) throw new Error(t('The shared data is too large to be a chat.'))
  return parseChat(fromJson(await unpacked.text()))
}

function parseChat(given: unknown): SharedChat {
  if (!isRecord(given) || given.format !== FORMAT || !isRecord(given.conversation))
    throw new Error(t('This link does not contain a shared chat.'))
  const rows = Array.isArray(given.messages) ? given.messages.slice(0, MAX_MESSAGES) : []
  const messages = rows.flatMap((row) => {
    const checked = MessageShape.safeParse(row)
    return checked.success ? [checked.data as Message] : []
  })
  const names = new Map(messages.map(({ id }, at) => [id, placeOf(at).id]))
  const parts = (Array.isArray(given.parts) ? given.parts : []).flatMap((part: unknown): Part[] => {
    if (!isRecord(part) || part.type !== 'text' || typeof part.payload !== 'string') return []
    const messageId = names.get(String(part.messageId))
    return messageId ? [{ messageId, conversationId: CHAT, i: 1, type: 'text', payload: part.payload }] : []
  })
  const { title, modelId, createdAt } = given.conversation
  const time = typeof createdAt === 'number' && createdAt > 0 && createdAt < 8.64e15 ? createdAt : Date.now()
  return {
    thread: {
      conversation: {
        id: CHAT,
        title: typeof title === 'string' && title.trim() ? title.slice(0, MAX_TITLE_CHARS) : t('Shared chat'),
        isNamed: true,
        createdAt: time,
        updatedAt: time,
        modelId: typeof modelId === 'string' ? modelId.slice(0, MAX_TITLE_CHARS) : '',
        branches: {},
      },
      messages: messages.map((message, at) => ({ ...sharedFields(message), ...placeOf(at) })),
      parts: [...new Map(parts.map((part) => [part.messageId, part])).values()],
      receipts: [],
    },
    files: parseFiles(given.files),
  }
}

function parseFiles(given: unknown): Map<string, Blob> {
  if (!isRecord(given)) return new Map()
  return new Map(
    Object.entries(given).flatMap(([hash, file]): [string, Blob][] => {
      if (!/^[0-9a-f]{64}$/.test(hash) || !isRecord(file) || typeof file.data !== 'string') return []
      const type = typeof file.type === 'string' ? file.type.slice(0, 200) : ''
      return [[hash, new Blob([fromBase64(file.data)], { type })]]
    }),
  )
}

/** Makes the chat one of this browser's own. The same link taken twice is the same chat. */
export function ownThread({ thread }: SharedChat, shareId: string, now: number): StoredThread {
  const id = `share-${shareId}`
  const own = (message: string) => (message === '' ? '' : `${id}-${message}`)
  return {
    conversation: { ...thread.conversation, id, updatedAt: now },
    messages: thread.messages.map((message) => ({
      ...message,
      id: own(message.id),
      parentId: own(message.parentId),
      conversationId: id,
    })),
    parts: thread.parts.map((part) => ({ ...part, messageId: own(part.messageId), conversationId: id })),
    receipts: [],
  }
}

const importKey = (raw: Uint8Array<ArrayBuffer>, use: 'encrypt' | 'decrypt') =>
  crypto.subtle.importKey('raw', raw, 'AES-GCM', false, [use])

const CHUNK = 32_768

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return btoa(text)
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}
