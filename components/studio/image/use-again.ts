import { changeImageDraft, type FormTask, fillImageDraft, readImageDraft } from '@/components/studio/image/draft'
import { PROMPT_ID } from '@/components/studio/image/form'
import { imageSettings } from '@/components/studio/image/settings'
import { extensionOf } from '@/components/studio/zip-download'
import { announce } from '@/components/ui/announcer'
import { fileNameOf } from '@/lib/browser/save-file'
import type { CreationFile, Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** Puts what a picture was made with back into the form. */
export function reuse({ task, modelId, prompt, settings, inputs }: Generation): void {
  const formTask = task === 'multi-edit' ? 'edit' : (task as FormTask)
  fillImageDraft({
    task: formTask,
    ...(modelId && { modelIds: { ...readImageDraft().modelIds, [formTask]: modelId } }),
    settings: imageSettings(settings),
    ...(inputs.length > 0 && { inputs }),
    ...(prompt && { prompt }),
  })
  showForm()
  announce(t('Settings copied to the form.'))
}

/** Takes a result as what the next picture begins with. */
export function workOn(file: CreationFile, task: FormTask): void {
  // Its own id: the same picture may be taken twice.
  changeImageDraft({ task, inputs: [{ ...file, name: fileNameOf(file.name, extensionOf(file.mediaType)) }] })
  showForm()
  announce(t('Image added to the form.'))
}

/** On a phone the form is above the wall. */
function showForm(): void {
  requestAnimationFrame(() => {
    const field = document.getElementById(PROMPT_ID)
    document.getElementById('studio-form')?.scrollIntoView({ block: 'start' })
    field?.focus({ preventScroll: true })
  })
}
