import { generate, type PromptDraft } from '@/components/studio/generation-store'
import {
  deleteGenerations,
  extensionOf,
  loadFile,
  purgeGenerations,
  restoreGenerations,
} from '@/components/studio/store'
import { showToast } from '@/components/ui/toast'
import { goTo } from '@/lib/browser/commands'
import { readDraft, saveDraft } from '@/lib/browser/drafts'
import { fileNameOf, saveFile } from '@/lib/browser/save-file'
import { tidy } from '@/lib/browser/storage/blobs'
import type { CreationFile, Generation } from '@/lib/browser/storage/generations'
import { NEW_CHAT, UNDO_MS } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

const PURGE_SLACK_MS = 500

/** Removes a generation and offers to undo that; afterwards it is removed for good. */
export async function removeGeneration({ id }: Pick<Generation, 'id'>): Promise<void> {
  await deleteGenerations([id])
  setTimeout(() => void forget(), UNDO_MS + PURGE_SLACK_MS)
  const action = { label: t('Undo'), run: () => void restoreGenerations([id]) }
  showToast({ text: t('Deleted'), lastsMs: UNDO_MS, action })
}

async function forget(): Promise<void> {
  await purgeGenerations(Date.now() - UNDO_MS)
  // What nothing else points at goes with it, a while later.
  await tidy()
}

export async function regenerate(generation: Generation): Promise<void> {
  const { kind, task, modelId, modelName, prompt, settings, inputs } = generation
  const draft = { kind, task, modelId, modelName, prompt, settings, inputs } as PromptDraft
  const refusal = await generate(draft, { replacesId: generation.id })
  if (refusal?.why === 'failure') showToast({ text: refusal.failure.message })
}

export async function saveResult(generation: Generation, fileId: string): Promise<void> {
  const file = generation.results.find(({ id }) => id === fileId)
  const data = file && (await loadFile(file))
  if (data) saveFile(fileNameOf(file.name, extensionOf(data.type)), data)
  else showToast({ text: t('This file is no longer on this device.') })
}

/** Saves all results with their settings in one file. */
export async function saveAll(generation: Generation): Promise<void> {
  const files = await Promise.all(generation.results.map(async (file) => ({ file, data: await loadFile(file) })))
  const found = files.flatMap(({ file, data }) => (data ? [{ name: file.name, data }] : []))
  if (found.length === 0) return showToast({ text: t('This file is no longer on this device.') })
  const zip = await import('@/components/studio/zip-download').catch(() => undefined)
  if (!zip) return showToast({ text: t('Could not load. Check your connection and try again.') })
  saveFile(fileNameOf(found[0]?.name ?? '', 'zip'), await zip.zipOf(generation, found))
}

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
