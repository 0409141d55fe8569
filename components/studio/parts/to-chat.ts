import { goTo } from '@/components/shell/shortcuts'
import { showToast } from '@/components/ui/toast'
import { NEW_CHAT } from '@/lib/client/drafts'
import { fileNameOf } from '@/lib/client/save-file'
import type { CreationFile } from '@/lib/client/studio/creation'
import { loadFile } from '@/lib/client/studio/files'
import { extensionOf } from '@/lib/client/studio/packed'
import { t } from '@/lib/i18n/t'

/** Puts a result into the draft of a new chat, and goes there. */
export async function sendToChat(file: CreationFile): Promise<void> {
  const data = await loadFile(file)
  if (!data) return showToast({ text: t('This file is not on this device any more.') })
  const { addDraftFiles } = await import('@/lib/client/attachments/draft-files')
  const name = fileNameOf(file.name, extensionOf(data.type))
  const left = await addDraftFiles(NEW_CHAT, [new File([data], name, { type: data.type })])
  if (left > 0) return showToast({ text: t('The draft of the new chat has no room for more files.') })
  goTo('/')
}
