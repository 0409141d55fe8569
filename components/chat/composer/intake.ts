import { showToast } from '@/components/ui/toast'
import { readDraft, saveDraft } from '@/lib/browser/drafts'
import { draftFilesOf } from '@/lib/browser/files/draft-file-state'
import { addDraftFiles, removeDraftFile } from '@/lib/browser/files/draft-files'
import { MAX_DRAFT_FILES } from '@/lib/browser/files/limits'
import { UNDO_MS } from '@/lib/browser/storage/records'
import { plural, t } from '@/lib/i18n/t'

export async function takeFiles(draftId: string, files: File[]): Promise<void> {
  const left = await addDraftFiles(draftId, files)
  if (left === 0) return
  showToast({
    text: plural(
      left,
      {
        one: 'Up to {most} files per message. {count} file was not added.',
        other: 'Up to {most} files per message. {count} files were not added.',
      },
      { most: MAX_DRAFT_FILES },
    ),
  })
}

export async function takePaste(draftId: string, text: string, at: { start: number; end: number }): Promise<void> {
  const file = fileOfPaste(text, new Date())
  await addDraftFiles(draftId, [file])
  const undo = () => {
    const added = draftFilesOf(draftId).find(({ name }) => name === file.name)
    if (added) removeDraftFile(draftId, added.id)
    const draft = readDraft(draftId)
    saveDraft(draftId, draft.slice(0, at.start) + text + draft.slice(at.end))
  }
  showToast({ text: t('Long text added as a file.'), action: { label: t('Undo'), run: undo }, lastsMs: UNDO_MS })
}

export function fileOfPaste(text: string, at: Date): File {
  const pad = (value: number) => String(value).padStart(2, '0')
  return new File([text], `pasted-${pad(at.getHours())}${pad(at.getMinutes())}${pad(at.getSeconds())}.txt`, {
    type: 'text/plain',
  })
}
