import { showToast } from '@/components/ui/toast'
import {
  type ForkExtent,
  forkConversation,
  keepCompared,
  removeMessage,
  restoreRemoved,
} from '@/lib/browser/storage/branches'
import { showBranch } from '@/lib/browser/storage/chats'
import { newTemporaryId } from '@/lib/browser/storage/database'
import { isTemporary, UNDO_MS } from '@/lib/browser/storage/records'
import type { Turn } from '@/lib/browser/storage/thread'
import { noteTemporary } from '@/lib/browser/temporary-chat'
import { uuid } from '@/lib/contract/ids'
import { t } from '@/lib/i18n/t'

export async function showVersion(conversationId: string, turn: Turn, versionId: string): Promise<void> {
  await showBranch(conversationId, turn.parentId, versionId)
}

export async function keep(conversationId: string, turn: Turn): Promise<void> {
  await keepCompared(conversationId, turn.parentId, turn.id)
}

export async function fork(conversationId: string, turn: Turn, extent: ForkExtent): Promise<string> {
  const newId = isTemporary(conversationId) ? await newTemporaryId(uuid()) : uuid()
  if (isTemporary(newId)) noteTemporary(newId)
  await forkConversation(conversationId, turn.id, extent, newId)
  showToast({ text: t('Forked into a new chat. Past charges stay with the original.') })
  return newId
}

export async function remove(conversationId: string, turn: Turn): Promise<void> {
  const removed = await removeMessage(conversationId, turn.id)
  if (!removed) return
  showToast({
    text:
      turn.role === 'user' ? t('Message and everything after it deleted') : t('Answer and everything after it deleted'),
    lastsMs: UNDO_MS,
    action: { label: t('Undo'), run: () => void restoreRemoved(removed) },
  })
}
