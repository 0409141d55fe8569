import { create } from 'zustand'
import { type ImageSettings, imageSettings } from '@/components/studio/image/settings'
import { extensionOf, keepFile } from '@/components/studio/store'
import { announce } from '@/components/ui/announcer'
import { readDraft, saveDraft } from '@/lib/browser/drafts'
import { HEAD_BYTES, kindOf } from '@/lib/browser/files/kind'
import { FileRefused } from '@/lib/browser/files/limits'
import { formatSize } from '@/lib/browser/format/numbers'
import { fileNameOf } from '@/lib/browser/save-file'
import type { CreationFile, Generation } from '@/lib/browser/storage/generations'
import { isVaultOn } from '@/lib/browser/vault/flag'
import { MAX_EDIT_PIXELS, MAX_FILE_BYTES, MIN_EDIT_PIXELS } from '@/lib/contract/limits'
import { t } from '@/lib/i18n/t'

/** Tools of the form. Editing several images is a task of its own only to the service. */
export const FORM_TASKS = ['generate', 'edit', 'upscale', 'background-remove'] as const
export type FormTask = (typeof FORM_TASKS)[number]

export type ImageDraft = {
  task: FormTask
  /** Absent: the service's default. */
  modelIds: Partial<Record<FormTask, string>>
  settings: ImageSettings
  inputs: readonly CreationFile[]
  /** Ids of inputs with erased parts. */
  erasedIds: readonly string[]
  /** Counts how often it was filled from elsewhere, for fields that keep what is typed. */
  filled: number
}

/** Key of the prompt in `lib/browser/drafts.ts`. */
export const PROMPT_DRAFT = 'studio-image'
const KEY = 'lagoon:studio-image'
const EMPTY: ImageDraft = { task: 'generate', modelIds: {}, settings: {}, inputs: [], erasedIds: [], filled: 0 }

/** The form of this tab, which outlives the screen and a reload. */
export const useImageDraft = create<ImageDraft>(() => EMPTY)

export const readImageDraft = useImageDraft.getState

export function changeImageDraft(changes: Partial<Omit<ImageDraft, 'filled'>>): void {
  put({ ...readImageDraft(), ...changes })
}

export const changeImageSettings = (
  changes: { [Name in keyof ImageSettings]?: ImageSettings[Name] | undefined },
): void => put({ ...readImageDraft(), settings: withChanges(readImageDraft().settings, changes) })

export const PROMPT_ID = 'studio-prompt'

type Filling = Partial<Omit<ImageDraft, 'filled'>> & { prompt?: string }

/** Fills the form from elsewhere: settings to reuse, an image to work on. */
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
  useImageDraft.setState(next)
  keep(next)
}

// With the vault on nothing is stored in plain text, and a negative prompt is text.
function keep({ filled: _, ...stored }: ImageDraft): void {
  if (isVaultOn()) return
  try {
    sessionStorage.setItem(KEY, JSON.stringify(stored))
  } catch {
    // No storage, or no room in it: then the form lasts as long as the page.
  }
}

function stored(): ImageDraft {
  if (typeof window === 'undefined' || isVaultOn()) return EMPTY
  try {
    const stored = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Partial<ImageDraft> | null
    if (!stored) return EMPTY
    return {
      task: FORM_TASKS.find((task) => task === stored.task) ?? 'generate',
      modelIds: stored.modelIds ?? {},
      settings: imageSettings(stored.settings ?? {}),
      inputs: Array.isArray(stored.inputs) ? stored.inputs : [],
      erasedIds: Array.isArray(stored.erasedIds) ? stored.erasedIds : [],
      filled: 0,
    }
  } catch {
    return EMPTY
  }
}

// Not as its first state: the server draws an empty form, and the page has to begin with the same.
useImageDraft.setState(stored())

export function reuse({ task, modelId, prompt, settings, inputs }: Generation): void {
  const formTask = task === 'multi-edit' ? 'edit' : (task as FormTask)
  const draft = readImageDraft()
  fillImageDraft({
    task: formTask,
    modelIds: modelId ? { ...draft.modelIds, [formTask]: modelId } : draft.modelIds,
    settings: imageSettings(settings),
    inputs: inputs.length > 0 ? inputs : draft.inputs,
    prompt: prompt || undefined,
  })
  showForm()
  announce(t('Settings copied to the form.'))
}

export function workOn(file: CreationFile, task: FormTask): void {
  // Its own id: the same picture may be taken twice.
  changeImageDraft({ task, inputs: [{ ...file, name: fileNameOf(file.name, extensionOf(file.mediaType), 'image') }] })
  showForm()
  announce(t('Image added to the form.'))
}

function showForm(): void {
  requestAnimationFrame(() => {
    const field = document.getElementById(PROMPT_ID)
    document.getElementById('studio-form')?.scrollIntoView({ block: 'start' })
    field?.focus({ preventScroll: true })
  })
}

/**
 * Reads an image and keeps it unchanged: the service removes its metadata. Its content tells what it is. @throws
 * FileRefused with the reason.
 */
export async function readImage(file: File): Promise<CreationFile> {
  if (file.size === 0) throw new FileRefused(t('This file is empty.'))
  if (file.size > MAX_FILE_BYTES)
    throw new FileRefused(t('This image is too large. The limit is {most}.', { most: formatSize(MAX_FILE_BYTES) }))
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const kind = kindOf(head, file.name, file.type)
  if (kind?.kind !== 'image') {
    throw new FileRefused(
      t('“{name}” is not a supported image. Use PNG, JPEG, WebP, GIF, AVIF or HEIC.', { name: file.name }),
    )
  }
  const size = await sizeOf(file, kind.mediaType)
  if (size) assertSize(size)
  return await keepFile(file, { name: file.name, mediaType: kind.mediaType, ...size })
}

type Size = { width: number; height: number }

// Undefined for what this browser cannot open but the service can.
async function sizeOf(file: Blob, mediaType: string): Promise<Size | undefined> {
  const bitmap = await createImageBitmap(file).catch(() => undefined)
  if (!bitmap) {
    if (mediaType === 'image/heic' || mediaType === 'image/avif') return undefined
    throw new FileRefused(t('This image cannot be opened. It may be damaged.'))
  }
  const { width, height } = bitmap
  bitmap.close()
  return { width, height }
}

/** @throws FileRefused */
export function assertSize({ width, height }: Size): void {
  const pixels = { width: String(width), height: String(height) }
  if (width * height < MIN_EDIT_PIXELS) {
    throw new FileRefused(t('This image is {width} × {height} pixels. Models need at least 256 × 256.', pixels))
  }
  if (width * height > MAX_EDIT_PIXELS) {
    throw new FileRefused(
      t('This image is {width} × {height} pixels. The limit is {millions} million pixels.', {
        ...pixels,
        millions: Math.floor(MAX_EDIT_PIXELS / 1_000_000),
      }),
    )
  }
}
