import { extensionOf, loadFile } from '@/components/studio/store'
import { showToast } from '@/components/ui/toast'
import { goTo } from '@/lib/browser/commands'
import { readDraft, saveDraft } from '@/lib/browser/drafts'
import { fileNameOf } from '@/lib/browser/save-file'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { NEW_CHAT } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

export async function sendToChat(file: CreationFile): Promise<void> {
  const data = await loadFile(file)
  if (!data) return showToast({ text: t('This file is no longer on this device.') })
  const { addDraftFiles } = await import('@/lib/browser/files/draft-files')
  const name = fileNameOf(file.name, extensionOf(data.type))
  const left = await addDraftFiles(NEW_CHAT, [new File([data], name, { type: data.type })])
  if (left > 0) return showToast({ text: t('The draft of the new chat cannot hold more files.') })
  goTo('/')
}

export function sendTextToChat(text: string): void {
  const before = readDraft(NEW_CHAT)
  saveDraft(NEW_CHAT, [before, text].filter((part) => part.trim() !== '').join('\n\n'))
  goTo('/')
}
