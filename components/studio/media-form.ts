import { useEffect } from 'react'
import { loadFile } from '@/components/studio/store'
import { announce } from '@/components/ui/announcer'
import { isRecord } from '@/lib/browser/api'
import { readDraft, saveDraft, useDraft } from '@/lib/browser/drafts'
import type { CreationFile, CreationSettings, Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** A form of the studio, one of each thing that it makes. */
export type FormName = 'speech' | 'transcription' | 'music' | 'video' | 'video-transcription'

/** What a person has filled in. It survives a reload, and is kept as drafts of messages are: plain nowhere with the vault on. */
export type MediaForm = {
  /** `''`: the first that serves. */
  modelId: string
  prompt: string
  settings: CreationSettings
  inputs: CreationFile[]
}

const EMPTY: MediaForm = { modelId: '', prompt: '', settings: {}, inputs: [] }
const NO_SETTINGS: CreationSettings = {}

/** The form as it is, and the way to change parts of it. */
export function useMediaForm(name: FormName): [MediaForm, (changes: Partial<MediaForm>) => void] {
  const [text] = useDraft(keyOf(name))
  useDropGone(name)
  return [parse(text), (changes) => changeForm(name, changes)]
}

/** Changes settings by their names; `undefined` takes one out. */
export type SettingChanges = { [name: string]: CreationSettings[string] | undefined }

export function changeForm(name: FormName, changes: Partial<MediaForm>): void {
  saveDraft(keyOf(name), JSON.stringify({ ...parse(readDraft(keyOf(name))), ...changes }))
}

export function changeSettings(name: FormName, changes: SettingChanges): void {
  changeForm(name, { settings: definedSettings({ ...parse(readDraft(keyOf(name))).settings, ...changes }) })
}

/** Leaves out what is `undefined`. */
export const definedSettings = (settings: SettingChanges): CreationSettings =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as CreationSettings

const keyOf = (name: FormName): string => `studio-${name}`

let read: { text: string; form: MediaForm } = { text: '', form: EMPTY }

function parse(text: string): MediaForm {
  if (read.text !== text) read = { text, form: formIn(text) }
  return read.form
}

/** What was kept by another version may say anything. */
function formIn(text: string): MediaForm {
  let kept: unknown
  try {
    kept = JSON.parse(text)
  } catch {
    return EMPTY
  }
  if (!isRecord(kept)) return EMPTY
  return {
    modelId: typeof kept.modelId === 'string' ? kept.modelId : '',
    prompt: typeof kept.prompt === 'string' ? kept.prompt : '',
    settings: isRecord(kept.settings) ? (kept.settings as CreationSettings) : NO_SETTINGS,
    inputs: Array.isArray(kept.inputs) ? (kept.inputs as CreationFile[]) : [],
  }
}

/** Files that nothing pointed at go after an hour: what is gone when the page is opened leaves the form, too. */
function useDropGone(name: FormName): void {
  useEffect(() => {
    const { inputs } = parse(readDraft(keyOf(name)))
    if (inputs.length === 0) return
    void Promise.all(inputs.map((file) => loadFile(file).catch(() => undefined))).then((bytes) => {
      if (bytes.some((found) => !found)) changeForm(name, { inputs: inputs.filter((_, at) => bytes[at]) })
    })
  }, [name])
}

/** Puts what a sound, a transcript or a film was made with back into its form. */
export function reuse(name: FormName, { modelId, prompt, settings, inputs }: Generation): void {
  changeForm(name, { modelId, prompt, settings, inputs })
  announce(t('Settings copied to the form.'))
  // On a phone the form is above the wall.
  requestAnimationFrame(() => document.getElementById('studio-form')?.scrollIntoView({ block: 'start' }))
}
