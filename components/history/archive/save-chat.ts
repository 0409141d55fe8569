import { showToast } from '@/components/ui/toast'
import { saveFile } from '@/lib/browser/save-file'
import { msg, t } from '@/lib/i18n/t'

const FAILED = msg('The chat couldn’t be saved. Try again.')

export async function saveChatFile(chatId: string, kind: 'markdown' | 'json' | 'print'): Promise<void> {
  try {
    const { loadThread } = await import('@/lib/browser/storage/chats')
    const { chatsAsJson, fileName, threadAsMarkdown } = await import('@/components/history/archive/chat-files')
    const thread = await loadThread(chatId)
    if (!thread) return
    const { title } = thread.conversation
    if (kind === 'markdown') {
      saveFile(fileName(title, 'md'), new Blob([threadAsMarkdown(thread)], { type: 'text/markdown' }))
    } else if (kind === 'json') {
      saveFile(fileName(title, 'json'), new Blob([await chatsAsJson([chatId])], { type: 'application/json' }))
    } else {
      const { printThread } = await import('@/components/history/archive/print')
      await printThread(thread)
    }
  } catch {
    showToast({ text: t(FAILED) })
  }
}

export async function saveChatsFile(ids: readonly string[]): Promise<void> {
  try {
    const { chatsAsJson } = await import('@/components/history/archive/chat-files')
    const day = new Date().toISOString().slice(0, 10)
    saveFile(`chats-${day}.json`, new Blob([await chatsAsJson(ids)], { type: 'application/json' }))
  } catch {
    showToast({ text: t(FAILED) })
  }
}
