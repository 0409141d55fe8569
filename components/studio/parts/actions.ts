import { loadFile } from '@/components/studio/files'
import { make, type PromptDraft } from '@/components/studio/generation-store'
import { deleteCreations, purgeCreations, restoreCreations } from '@/components/studio/store'
import { extensionOf, zipOf } from '@/components/studio/zip-download'
import { showToast } from '@/components/ui/toast'
import { fileNameOf, saveFile } from '@/lib/browser/save-file'
import type { CreationFile, Generation } from '@/lib/browser/storage/generations'
import { tidy } from '@/lib/browser/storage/tidy'
import { UNDO_MS } from '@/lib/browser/undo'
import { t } from '@/lib/i18n/t'

const PURGE_SLACK_MS = 500

/** Takes a creation off the wall at once and offers to take it back; then it is removed for good. */
export async function removeCreation({ id }: Pick<Generation, 'id'>): Promise<void> {
  await deleteCreations([id])
  setTimeout(() => void forget(), UNDO_MS + PURGE_SLACK_MS)
  const action = { label: t('Undo'), run: () => void restoreCreations([id]) }
  showToast({ text: t('Deleted'), lastsMs: UNDO_MS, action })
}

async function forget(): Promise<void> {
  await purgeCreations(Date.now() - UNDO_MS)
  // What nothing else points at goes with it, a while later.
  await tidy()
}

/** Asks for the same once more; what there is of the last try makes room for it. */
export async function makeAgain(creation: Generation): Promise<void> {
  const { kind, task, modelId, modelName, prompt, settings, inputs } = creation
  const draft = { kind, task, modelId, modelName, prompt, settings, inputs } as PromptDraft
  const kept = await make(draft, { replacesId: creation.id })
  if (kept?.why === 'failure') showToast({ text: kept.failure.message })
}

/** Gives the person one picture, recording or film as it is. */
export async function saveResult(creation: Generation, fileId: string): Promise<void> {
  const file = creation.results.find(({ id }) => id === fileId)
  const data = file && (await loadFile(file))
  if (data) saveFile(fileNameOf(file.name, extensionOf(data.type)), data)
  else showToast({ text: t('This file is no longer on this device.') })
}

/** Gives the person all that came of it in one file, with what was asked for beside it. */
export async function saveAll(creation: Generation): Promise<void> {
  const files = await Promise.all(creation.results.map(async (file) => ({ file, data: await loadFile(file) })))
  const found = files.flatMap(({ file, data }) => (data ? [{ name: file.name, data }] : []))
  if (found.length === 0) return showToast({ text: t('This file is no longer on this device.') })
  saveFile(fileNameOf(found[0]?.name ?? '', 'zip'), await zipOf(creation, found))
}

/** Puts a result into the draft of a new chat. */
export async function askAbout(file: CreationFile): Promise<void> {
  const { sendToChat } = await import('@/components/studio/parts/to-chat')
  await sendToChat(file)
}
