import { answerAsText } from '@/components/chat/turns/answer-text'
import { showToast } from '@/components/ui/toast'
import { isChatPath } from '@/lib/browser/navigation'
import {
  type ForkExtent,
  forkConversation,
  keepCompared,
  removeMessage,
  restoreRemoved,
  showBranch,
} from '@/lib/browser/storage/branches'
import { loadThread } from '@/lib/browser/storage/chats'
import { newTemporaryId } from '@/lib/browser/storage/database'
import { isTemporary, UNDO_MS } from '@/lib/browser/storage/records'
import { shownTurns, type Turn } from '@/lib/browser/storage/thread'
import { noteTemporary } from '@/lib/browser/temporary-chat'
import { uuid } from '@/lib/contract/ids'
import { t } from '@/lib/i18n/t'

const FENCED = /^( *)(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^ *\2/gm

export async function copyAnswer(): Promise<void> {
  const turn = lastAnswer(await loadTurns(chatInAddress()))
  if (turn) await copy(answerAsText(turn.text, turn.citations ?? [], 'markdown'), t('Answer copied'))
  else showToast({ text: t('No answer to copy yet.') })
}

export async function copyCode(): Promise<void> {
  const turns = await loadTurns(chatInAddress())
  const code = turns.flatMap(({ role, text }) => (role === 'assistant' ? codeIn(text) : [])).at(-1)
  if (code === undefined) showToast({ text: t('No code to copy yet.') })
  else await copy(code, t('Code copied'))
}

export function codeIn(text: string): string[] {
  return [...text.matchAll(FENCED)].map(([, indent = '', , code = '']) =>
    code.replace(new RegExp(`^ {0,${indent.length}}`, 'gm'), '').replace(/\n$/, ''),
  )
}

function chatInAddress(): string | undefined {
  const { pathname } = window.location
  return isChatPath(pathname) ? pathname.split('/')[2] : undefined
}

async function loadTurns(chatId: string | undefined): Promise<Turn[]> {
  const thread = chatId ? await loadThread(chatId) : undefined
  return thread ? shownTurns(thread) : []
}

const lastAnswer = (turns: Turn[]): Turn | undefined =>
  turns.findLast(({ role, text }) => role === 'assistant' && text !== '')

async function copy(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    showToast({ text: done })
  } catch {
    showToast({ text: t('Could not copy. Try again.') })
  }
}

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
