import { loadFile } from '@/components/studio/files'
import { extensionOf } from '@/components/studio/zip-download'
import { showToast } from '@/components/ui/toast'
import { fileNameOf } from '@/lib/browser/save-file'
import { goTo } from '@/lib/browser/shortcut-handlers'
import { NEW_CHAT } from '@/lib/browser/storage/draft-message'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** Puts a result into the draft of a new chat, and goes there. */
export async function sendToChat(file: CreationFile): Promise<void> {
  const data = await loadFile(file)
  if (!data) return showToast({ text: t('This file is no longer on this device.') })
  const { addDraftFiles } = await import('@/lib/browser/files/draft-files')
  const name = fileNameOf(file.name, extensionOf(data.type))
  const left = await addDraftFiles(NEW_CHAT, [new File([data], name, { type: data.type })])
  if (left > 0) return showToast({ text: t('The draft of the new chat cannot hold more files.') })
  goTo('/')
}
