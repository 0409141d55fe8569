import { useSyncExternalStore } from 'react'
import { type ImageSettings, imageSettings, keptSettings } from '@/components/studio/image/settings'
import { readDraft, saveDraft } from '@/lib/browser/drafts'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { isVaultOn } from '@/lib/browser/vault/flag'

/** What the form is for. Editing several pictures is a task of its own only to the service. */
export const FORM_TASKS = ['generate', 'edit', 'upscale', 'background-remove'] as const
export type FormTask = (typeof FORM_TASKS)[number]

export type ImageDraft = {
  task: FormTask
  /** Chosen for each task; absent: the service's default. */
  modelIds: Partial<Record<FormTask, string>>
  settings: ImageSettings
  inputs: readonly CreationFile[]
  /** Of inputs: those that parts were erased of. By their ids. */
  erasedIds: readonly string[]
  /** Counts how often it was filled from elsewhere, for fields that keep what is typed. */
  filled: number
}

/** The prompt is a draft like any other: see lib/browser/drafts.ts. */
export const PROMPT_DRAFT = 'studio-image'
const KEY = 'lagoon:studio-image'
const EMPTY: ImageDraft = { task: 'generate', modelIds: {}, settings: {}, inputs: [], erasedIds: [], filled: 0 }

let draft: ImageDraft | undefined
const listeners = new Set<() => void>()

/** The form of this tab. It outlives the screen, and a reload. */
export function useImageDraft(): ImageDraft {
  return useSyncExternalStore(subscribe, readImageDraft, () => EMPTY)
}

export function readImageDraft(): ImageDraft {
  draft ??= stored()
  return draft
}

export function changeImageDraft(changes: Partial<Omit<ImageDraft, 'filled'>>): void {
  put({ ...readImageDraft(), ...changes })
}

export const changeImageSettings = (
  changes: { [Name in keyof ImageSettings]?: ImageSettings[Name] | undefined },
): void => put({ ...readImageDraft(), settings: withChanges(readImageDraft().settings, changes) })

type Filling = Partial<Omit<ImageDraft, 'filled'>> & { prompt?: string }

/** Puts something from elsewhere into the form: settings to use again, a picture to work on. */
export function fillImageDraft({ prompt, ...changes }: Filling): void {
  if (prompt !== undefined && prompt !== readDraft(PROMPT_DRAFT)) saveDraft(PROMPT_DRAFT, prompt)
  const before = readImageDraft()
  put({ ...before, ...changes, filled: before.filled + 1 })
}

function withChanges(settings: ImageSettings, changes: object): ImageSettings {
  const all = Object.entries({ ...settings, ...changes }).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(all) as ImageSettings
}

function put(next: ImageDraft): void {
  draft = next
  keep(next)
  for (const listener of listeners) listener()
}

/** With the vault on, words are plain nowhere, and what to leave out of a picture is words. */
function keep({ filled: _, ...kept }: ImageDraft): void {
  if (isVaultOn()) return
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...kept, settings: keptSettings(kept.settings) }))
  } catch {
    // No storage, or no room in it: then the form lasts as long as the page.
  }
}

function stored(): ImageDraft {
  if (typeof window === 'undefined' || isVaultOn()) return EMPTY
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Partial<ImageDraft> | null
    if (!kept) return EMPTY
    return {
      task: FORM_TASKS.find((task) => task === kept.task) ?? 'generate',
      modelIds: kept.modelIds ?? {},
      settings: imageSettings(keptSettings(kept.settings ?? {})),
      inputs: Array.isArray(kept.inputs) ? kept.inputs : [],
      erasedIds: Array.isArray(kept.erasedIds) ? kept.erasedIds : [],
      filled: 0,
    }
  } catch {
    return EMPTY
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
