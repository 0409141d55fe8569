import { branchToShare, openBundle, ownThread, type SharedChat, sealBundle } from '@/components/history/share/bundle'
import { ensureSession } from '@/lib/browser/account-gate'
import { errorOf } from '@/lib/browser/api'
import { queryClient } from '@/lib/browser/queries'
import { SHARES_PATH, SHARES_TIMEOUT_MS } from '@/lib/browser/shared-links'
import { loadBlob } from '@/lib/browser/storage/blobs'
import { loadThread, type StoredThread } from '@/lib/browser/storage/chats'
import { databaseOf, db } from '@/lib/browser/storage/database'
import type { StoredShare } from '@/lib/browser/storage/records'
import { type Lifetime, MAX_SHARE_BYTES, type NewShare } from '@/lib/contract/shares'
import { t } from '@/lib/i18n/t'

export type ShareChoice = {
  conversationId: string
  leafId?: string | undefined
  lifetime: Lifetime
  withFiles: boolean
}

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
  const response = await fetch(`${SHARES_PATH}?lifetime=${lifetime}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: bytes,
    signal: AbortSignal.timeout(SHARES_TIMEOUT_MS),
  })
  if (!response.ok) throw await errorOf(response)
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
  const response = await fetch(`${SHARES_PATH}/${encodeURIComponent(id)}`, {
    signal: AbortSignal.timeout(SHARES_TIMEOUT_MS),
  })
  if (!response.ok) throw await errorOf(response)
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
