import { toJson } from '@/components/history/archive/shapes.lazy'
import { loadThread, type StoredThread } from '@/lib/browser/storage/chats'
import { shownTurns } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

const CHATS_FORMAT = 'lagoon-chats'

/** Exports chats as JSON, with all versions and receipts; it can be imported. */
export async function chatsAsJson(ids: readonly string[]): Promise<string> {
  const threads = await Promise.all(ids.map((id) => loadThread(id)))
  const chats = threads.filter((thread) => thread !== undefined)
  return `{"format":"${CHATS_FORMAT}","version":1,"chats":${toJson(chats)}}\n`
}

export function threadAsMarkdown(thread: StoredThread): string {
  const names = new Map(thread.messages.map(({ id, attachments = [] }) => [id, attachments.map(({ name }) => name)]))
  const turns = shownTurns(thread).map(({ id, role, text, modelId }) => {
    const who = role === 'user' ? t('You') : (modelId ?? t('Answer'))
    const files = (names.get(id) ?? []).map((name) => `- ${oneLine(name)}`)
    return [`## ${oneLine(who)}`, ...(files.length > 0 ? [files.join('\n')] : []), text].join('\n\n')
  })
  const head = `# ${oneLine(thread.conversation.title)}\n\n${new Date(thread.conversation.createdAt).toISOString().slice(0, 10)}`
  return `${[head, ...turns].join('\n\n')}\n`
}

export function fileName(title: string, ending: string): string {
  const plain = title
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\\/:*?"<>|#%]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 80)
    .replace(/^\.+|[. ]+$/g, '')
  return `${plain || 'chat'}.${ending}`
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
