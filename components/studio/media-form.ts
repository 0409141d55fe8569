import { useEffect } from 'react'
import { loadFile } from '@/components/studio/store'
import { announce } from '@/components/ui/announcer'
import { isRecord } from '@/lib/browser/api'
import { readDraft, saveDraft, useDraft } from '@/lib/browser/drafts'
import type { CreationFile, CreationSettings, Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

export type FormName = 'speech' | 'transcription' | 'music' | 'video' | 'video-transcription'

/**
 * A form as it is filled in. Survives a reload; stored as drafts of messages are, in plain text nowhere with the vault
 * on.
 */
export type MediaForm = {
  /** `''`: the first that serves. */
  modelId: string
  prompt: string
  settings: CreationSettings
  inputs: CreationFile[]
}

const EMPTY: MediaForm = { modelId: '', prompt: '', settings: {}, inputs: [] }
const NO_SETTINGS: CreationSettings = {}

export function useMediaForm(name: FormName): [MediaForm, (changes: Partial<MediaForm>) => void] {
  const [text] = useDraft(formKey(name))
  useDropGone(name)
  return [parse(text), (changes) => changeForm(name, changes)]
}

/** `undefined` removes a setting. */
export type SettingChanges = { [name: string]: CreationSettings[string] | undefined }

export function changeForm(name: FormName, changes: Partial<MediaForm>): void {
  saveDraft(formKey(name), JSON.stringify({ ...parse(readDraft(formKey(name))), ...changes }))
}

export function changeSettings(name: FormName, changes: SettingChanges): void {
  changeForm(name, { settings: definedSettings({ ...parse(readDraft(formKey(name))).settings, ...changes }) })
}

export const definedSettings = (settings: SettingChanges): CreationSettings =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as CreationSettings

const formKey = (name: FormName): string => `studio-${name}`

let read: { text: string; form: MediaForm } = { text: '', form: EMPTY }

function parse(text: string): MediaForm {
  if (read.text !== text) read = { text, form: formIn(text) }
  return read.form
}

// Another version may have stored anything.
function formIn(text: string): MediaForm {
  let stored: unknown
  try {
    stored = JSON.parse(text)
  } catch {
    return EMPTY
  }
  if (!isRecord(stored)) return EMPTY
  return {
    modelId: typeof stored.modelId === 'string' ? stored.modelId : '',
    prompt: typeof stored.prompt === 'string' ? stored.prompt : '',
    settings: isRecord(stored.settings) ? (stored.settings as CreationSettings) : NO_SETTINGS,
    inputs: Array.isArray(stored.inputs) ? (stored.inputs as CreationFile[]) : [],
  }
}

// Unreferenced files are deleted after an hour: what is gone when the page opens leaves the form, too.
function useDropGone(name: FormName): void {
  useEffect(() => {
    const { inputs } = parse(readDraft(formKey(name)))
    if (inputs.length === 0) return
    void Promise.all(inputs.map((file) => loadFile(file).catch(() => undefined))).then((bytes) => {
      if (bytes.some((found) => !found)) changeForm(name, { inputs: inputs.filter((_, at) => bytes[at]) })
    })
  }, [name])
}

export function reuse(name: FormName, { modelId, prompt, settings, inputs }: Generation): void {
  changeForm(name, { modelId, prompt, settings, inputs })
  announce(t('Settings copied to the form.'))
  // On a phone the form is above the wall.
  requestAnimationFrame(() => document.getElementById('studio-form')?.scrollIntoView({ block: 'start' }))
}
