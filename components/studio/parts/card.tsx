'use client'

import { Download, Ellipsis, RotateCcw, Trash2 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { KeyboardEvent, ReactNode } from 'react'
import { generate, type PromptDraft } from '@/components/studio/generation-store'
import { Outcome } from '@/components/studio/parts/outcome'
import { JobNote, Progress } from '@/components/studio/parts/progress'
import {
  deleteGeneration,
  extensionOf,
  isUnsaved,
  loadFile,
  purgeGenerations,
  restoreGeneration,
} from '@/components/studio/store'
import { IconButton } from '@/components/ui/button'
import { MENU } from '@/components/ui/menu'
import { showToast } from '@/components/ui/toast'
import { goTo } from '@/lib/browser/commands'
import { readDraft, saveDraft } from '@/lib/browser/drafts'
import { formatExactMoney } from '@/lib/browser/format/cost'
import { formatSeconds } from '@/lib/browser/format/numbers'
import { fileNameOf, saveFile } from '@/lib/browser/save-file'
import { tidy } from '@/lib/browser/storage/blobs'
import { type CreationFile, type Generation, type GenerationTask, isUnderWay } from '@/lib/browser/storage/generations'
import { NEW_CHAT, UNDO_MS } from '@/lib/browser/storage/records'
import { msg, t } from '@/lib/i18n/t'

type GenerationCardProps = {
  generation: Generation
  media?: ReactNode
  /** Shown while it is under way: a box of the shape that it will have. */
  place?: ReactNode
  facts?: readonly string[]
  actions?: ReactNode
  note?: ReactNode
  progress?: ReactNode
  onRetry: () => void
}

const TASK_NAME: Readonly<Record<GenerationTask, string>> = {
  generate: msg('Image'),
  edit: msg('Edited image'),
  'multi-edit': msg('Edited image'),
  upscale: msg('Upscaled image'),
  'background-remove': msg('Background removed'),
  speech: msg('Speech'),
  transcription: msg('Transcript'),
  music: msg('Sound'),
  video: msg('Video'),
  'video-transcription': msg('Transcript'),
}

export const taskName = (task: GenerationTask): string => t(TASK_NAME[task])

export function GenerationCard(props: GenerationCardProps) {
  const { generation, media, place, facts = [], actions, note, progress, onRetry } = props
  const { prompt, task, state, modelName, inputs } = generation
  const title = prompt || (inputs[0]?.name ?? '')
  const isOpen = isUnderWay(generation)
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey
    if (event.target !== event.currentTarget || !isPlain || isOpen) return
    if (event.key === 'Enter') event.currentTarget.querySelector<HTMLElement>('[data-picture]')?.click()
    if (event.key !== 'Delete') return
    event.preventDefault()
    focusNeighbour(event.currentTarget)
    void removeGeneration(generation)
  }
  return (
    <article
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys go from card to card
      tabIndex={0}
      aria-label={title ? t('{task}: {title}', { task: taskName(task), title }) : taskName(task)}
      aria-busy={isOpen}
      onKeyDown={onKeyDown}
      data-state={state}
      className="overflow-clip rounded-card border border-line bg-surface"
    >
      {isOpen ? place : media}
      {isOpen && (progress ?? <Progress generation={generation} />)}
      {!isOpen && state !== 'done' && <Outcome generation={generation} onRetry={onRetry} />}
      {note}
      <div className="space-y-1 px-3 pt-2.5 pb-2">
        {title && (
          <p dir="auto" className="line-clamp-3 text-14 wrap-anywhere">
            {title}
          </p>
        )}
        <p className="font-mono text-12 text-ink-3 tabular-nums wrap-anywhere">
          {[modelName || taskName(task), ...facts, took(generation)].filter(Boolean).join(' · ')}
          <Cost generation={generation} />
        </p>
        {!isOpen && actions && <div className="-mx-1.5 flex flex-wrap items-center pt-0.5">{actions}</div>}
      </div>
    </article>
  )
}

function Cost({ generation: { cost, request, state } }: Pick<GenerationCardProps, 'generation'>) {
  if (cost === undefined) return state === 'done' && request ? <span> · …</span> : null
  if (cost === 0n && state !== 'done') return null
  return (
    <>
      {' · '}
      <span className="text-brass">{cost === 0n ? t('free') : formatExactMoney(cost)}</span>
    </>
  )
}

function took({ state, startedAt, endedAt }: Generation): string | undefined {
  if (state !== 'done' || startedAt === undefined || endedAt === undefined) return undefined
  return formatSeconds(endedAt - startedAt)
}

// Focuses the next card, or the one before, before this one is removed.
function focusNeighbour(card: HTMLElement): void {
  const cards = [...(card.closest('ol')?.querySelectorAll<HTMLElement>('article') ?? [])]
  const at = cards.indexOf(card)
  const next = cards[at + 1] ?? cards[at - 1]
  if (next) next.focus()
  else document.querySelector<HTMLElement>('main')?.focus()
}

export const ReuseButton = ({ onReuse }: { onReuse: () => void }) => (
  <IconButton label={t('Reuse settings')} onClick={onReuse}>
    <RotateCcw aria-hidden="true" />
  </IconButton>
)

export const DownloadButton = ({ generation, file }: { generation: Generation; file: CreationFile }) => (
  <IconButton label={t('Download')} onClick={() => void saveResult(generation, file.id)}>
    <Download aria-hidden="true" />
  </IconButton>
)

export const DeleteButton = ({ generation }: { generation: Generation }) => (
  <IconButton label={t('Delete')} className="ms-auto" onClick={() => void removeGeneration(generation)}>
    <Trash2 aria-hidden="true" />
  </IconButton>
)

type CardMenuProps = { label?: string; icon?: ReactNode; align?: 'start' | 'end'; children: ReactNode }

export function CardMenu({
  label = t('More'),
  icon = <Ellipsis aria-hidden="true" />,
  align = 'end',
  children,
}: CardMenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <IconButton label={label}>{icon}</IconButton>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align={align} sideOffset={4} collisionPadding={8} className={MENU}>
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

type UnsavedNoteProps = { files: readonly CreationFile[]; className?: string }

export function UnsavedNote({ files, className = '' }: UnsavedNoteProps) {
  if (!files.some(isUnsaved)) return null
  return (
    <p className={`px-3 pt-2 text-13 text-danger ${className}`}>
      {t('This browser is out of storage. Download the file before you leave this page.')}
    </p>
  )
}

/** Says what is wrong with the result of a job or of speech, and what to do. */
export function ResultNotes({ generation }: Pick<GenerationCardProps, 'generation'>) {
  return (
    <>
      {generation.isCut && (
        <p className="px-3 pt-2 text-13 text-ink-2">
          {t('Generation was interrupted. The received part is saved, and you paid only for that part.')}
        </p>
      )}
      <UnsavedNote files={generation.results} />
      <JobNote generation={generation} />
    </>
  )
}

const PURGE_SLACK_MS = 500

/** Removes a generation and offers to undo that; afterwards it is removed for good. */
export async function removeGeneration({ id }: Pick<Generation, 'id'>): Promise<void> {
  await deleteGeneration(id)
  setTimeout(() => void forget(), UNDO_MS + PURGE_SLACK_MS)
  const action = { label: t('Undo'), run: () => void restoreGeneration(id) }
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
