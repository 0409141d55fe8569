'use client'

import { AudioLines, FileText, Film, ImageUp, RotateCw, Scissors, X } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useBlob, useObjectUrl } from '@/components/common/stored-bytes'
import { Button, IconButton } from '@/components/ui/button'
import { showToast } from '@/components/ui/toast'
import { fileTokens } from '@/lib/browser/estimate'
import { type DraftFile, type FileProgress, readyAttachments } from '@/lib/browser/files/draft-file-state'
import {
  moveDraftFile,
  removeDraftFile,
  replaceDraftFile,
  retryDraftFile,
  takeOriginal,
} from '@/lib/browser/files/draft-files'
import { fileRefusal, modelsThatTake, supportedKinds } from '@/lib/browser/files/model-refusals'
import { formatLength, formatSize, roundTokens } from '@/lib/browser/format/numbers'
import type { ModelCard } from '@/lib/browser/models'
import { type Attachment, UNDO_MS } from '@/lib/browser/storage/records'
import { type ThreadRead, useThread } from '@/lib/browser/storage/use-thread'
import { msg, plural, t } from '@/lib/i18n/t'

const MAX_OFFERED = 3

const Trimmer = dynamic(() => import('@/components/common/trimmer').then((module) => module.Trimmer), { ssr: false })

type FileTrayProps = {
  chatId: string | null
  draftId: string
  files: readonly DraftFile[]
  model: ModelCard | undefined
  models: ModelCard[]
  onFit: (doFit: boolean) => void
  onPickModel: (id: string) => void
}

export function FileTray({ chatId, draftId, files, model, models, onFit, onPickModel }: FileTrayProps) {
  const thread = useThread(chatId)
  const earlier = useMemo(() => (thread === undefined ? undefined : earlierFiles(thread)), [thread])
  const [trimming, setTrimming] = useState<Attachment>()
  const [announcement, setAnnouncement] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const refusals = useMemo(() => refusalsById(files, model, earlier ?? []), [files, model, earlier])
  const doFit = model !== undefined && earlier !== undefined && refusals.size === 0
  useEffect(() => onFit(doFit), [doFit, onFit])

  const attachments = readyAttachments(files)
  const isRefusedByModel = refusals.size > 0
  const others = isRefusedByModel ? modelsThatTake(attachments, models, earlier) : []

  const isBad = (file: DraftFile) => file.state === 'failed' || refusals.has(file.id)
  const failed = files.filter((file) => file.state === 'failed')
  // What keeps the message back is seen first.
  const shown = [...files.filter(isBad), ...files.filter((file) => !isBad(file))]

  const remove = (file: DraftFile) => {
    const undo = removeDraftFile(draftId, file.id)
    const at = shown.indexOf(file)
    requestAnimationFrame(() => focusTile(list.current, Math.min(at, files.length - 2)))
    if (undo) showToast({ text: t('File removed.'), action: { label: t('Undo'), run: undo }, lastsMs: UNDO_MS })
  }
  const move = (file: DraftFile, by: number) => {
    const to = Math.max(0, Math.min(files.length - 1, files.indexOf(file) + by))
    const place = Math.max(0, Math.min(files.length - 1, shown.indexOf(file) + by))
    moveDraftFile(draftId, file.id, by)
    setAnnouncement(t('{name}: position {place} of {count}', { name: file.name, place: to + 1, count: files.length }))
    requestAnimationFrame(() => focusTile(list.current, place))
  }
  const onKeyDown = (event: KeyboardEvent, file: DraftFile, at: number) => {
    if (event.target !== event.currentTarget) return
    const forward = document.documentElement.dir === 'rtl' ? -1 : 1
    const step = { ArrowLeft: -forward, ArrowRight: forward }[event.key]
    if (step !== undefined && event.shiftKey) move(file, step)
    else if (step !== undefined) focusTile(list.current, at + step)
    else if (event.key === 'Delete' || event.key === 'Backspace') remove(file)
    else return
    event.preventDefault()
  }
  return (
    <div className="col-span-full row-start-1 min-w-0 pb-2">
      <ul
        ref={list}
        aria-label={t('Attached files')}
        className="thin-scroll flex max-h-[40vh] flex-wrap gap-2 overflow-y-auto p-1"
        aria-describedby="file-tray-keys"
      >
        {shown.map((file, at) => (
          <FileTile
            key={file.id}
            {...{ file, model, at }}
            count={files.length}
            refusal={refusals.get(file.id)}
            onKeyDown={(event) => onKeyDown(event, file, at)}
            onRemove={() => remove(file)}
            onRetry={() => retryDraftFile(draftId, file.id)}
            onOriginal={() => takeOriginal(draftId, file.id)}
            onTrim={() => {
              // The part that is kept is a file without this button, until it was read.
              focusTile(list.current, at)
              if (file.state === 'ready') setTrimming(file.attachment)
            }}
            onMoveTo={(id) => {
              const [from, to] = [files.findIndex((other) => other.id === id), files.indexOf(file)]
              if (from >= 0 && from !== to) moveDraftFile(draftId, id, to - from)
            }}
          />
        ))}
      </ul>
      <p id="file-tray-keys" hidden>
        {t('Use the arrow keys to move between files, Shift+arrow to reorder and Delete to remove.')}
      </p>
      <p role="status" className="sr-only">
        {announcement}
      </p>
      {isRefusedByModel && (
        <ModelOffer {...{ others, onPickModel }} reason={[...new Set(refusals.values())].join(' ')} />
      )}
      {failed.length > 0 && (
        <p role="status" className="px-1 pt-1.5 text-13 text-ink-2">
          {failed.map(({ id, name, reason }) => (
            <span key={id} className="block text-danger wrap-anywhere">
              <bdi>{name}</bdi>: {reason}
            </span>
          ))}
          {t('Remove the files marked in red to send.')}
        </p>
      )}
      {trimming && (
        <Trimmer
          attachment={trimming}
          onClose={() => setTrimming(undefined)}
          onDone={(file) => {
            setTrimming(undefined)
            replaceDraftFile(draftId, trimming.id, file)
          }}
        />
      )}
    </div>
  )
}

function refusalsById(files: readonly DraftFile[], model: ModelCard | undefined, earlier: Attachment[]) {
  const refusals = new Map<string, string>()
  if (!model) return refusals
  const before: Attachment[] = []
  for (const file of files) {
    if (file.state !== 'ready') continue
    const reason = fileRefusal(file.attachment, model, before, earlier)
    if (reason) refusals.set(file.id, reason)
    before.push(file.attachment)
  }
  return refusals
}

const earlierFiles = (thread: ThreadRead | null): Attachment[] =>
  thread?.turns.flatMap(({ attachments = [] }) => attachments) ?? []

function focusTile(list: HTMLUListElement | null, at: number): void {
  const tile = list?.children[at]
  if (tile instanceof HTMLElement) tile.focus()
}

type ModelOfferProps = { reason: string; others: ModelCard[]; onPickModel: (id: string) => void }

function ModelOffer({ reason, others, onPickModel }: ModelOfferProps) {
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-2 gap-y-1.5 px-1 pt-1.5 text-13">
      <span className="text-danger">{reason}</span>
      {others.slice(0, MAX_OFFERED).map((model) => (
        <Button key={model.id} onClick={() => onPickModel(model.id)} className="min-h-8! text-13!">
          {t('Use {name}', { name: model.name })}
        </Button>
      ))}
      {others.length === 0 && (
        <span className="text-ink-2">{t('No model accepts all of these files. Remove some.')}</span>
      )}
    </div>
  )
}

const DRAG_TYPE = 'application/x-lagoon-file'

type FileTileProps = {
  file: DraftFile
  model: ModelCard | undefined
  at: number
  count: number
  refusal: string | undefined
  onKeyDown: (event: KeyboardEvent) => void
  onRemove: () => void
  onRetry: () => void
  onOriginal: () => void
  onTrim: () => void
  onMoveTo: (id: string) => void
}

function FileTile(props: FileTileProps) {
  const { file, model, at, count, refusal, onKeyDown, onRemove, onMoveTo } = props
  const [isTarget, setIsTarget] = useState(false)
  const isBad = file.state === 'failed' || refusal !== undefined
  const status = statusText(file, model, refusal)
  return (
    <li
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys move the focus and the file; the list tells of them
      tabIndex={0}
      aria-label={t('{name}, file {place} of {count}, {facts}', {
        name: file.name,
        place: at + 1,
        count,
        facts: status,
      })}
      draggable={file.state === 'ready'}
      onKeyDown={onKeyDown}
      onDragStart={(event) => {
        event.dataTransfer.setData(DRAG_TYPE, file.id)
        event.dataTransfer.effectAllowed = 'move'
      }}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(DRAG_TYPE)) return
        event.preventDefault()
        setIsTarget(true)
      }}
      onDragLeave={() => setIsTarget(false)}
      onDrop={(event) => {
        setIsTarget(false)
        const id = event.dataTransfer.getData(DRAG_TYPE)
        if (!id) return
        event.preventDefault()
        onMoveTo(id)
      }}
      className={`group relative flex w-60 shrink-0 pointer-coarse:w-68 items-center gap-2.5 rounded-card border bg-paper p-1.5 ${isBad ? 'border-danger' : isTarget ? 'border-accent' : 'border-line'}`}
    >
      <Preview file={file} />
      <div className="min-w-0 flex-1">
        <p dir="auto" className="truncate text-13 font-medium text-ink" title={file.name}>
          {file.name}
        </p>
        <p className={`text-12 ${isBad ? 'line-clamp-4 text-danger' : 'line-clamp-3 text-ink-2'}`}>{status}</p>
        {file.state === 'reading' && (
          <progress
            aria-label={t('Reading {name}', { name: file.name })}
            max={1}
            value={totalProgress(file.progress)}
            className="mt-1 block h-1 w-full"
          />
        )}
      </div>
      <div className="flex flex-col self-start">
        <IconButton
          label={
            file.state === 'reading' ? t('Cancel {name}', { name: file.name }) : t('Remove {name}', { name: file.name })
          }
          onClick={onRemove}
          className="size-7! pointer-coarse:size-11!"
        >
          <X aria-hidden="true" />
        </IconButton>
        <Extra {...props} />
      </div>
    </li>
  )
}

function Extra({ file, onRetry, onOriginal, onTrim }: FileTileProps) {
  const button = (label: string, onClick: () => void, icon: ReactNode) => (
    <IconButton label={label} onClick={onClick} className="size-7! pointer-coarse:size-11!">
      {icon}
    </IconButton>
  )
  if (file.state === 'failed') {
    return file.canRetry
      ? button(t('Retry {name}', { name: file.name }), onRetry, <RotateCw aria-hidden="true" />)
      : null
  }
  if (file.state !== 'ready') return null
  if (file.attachment.kind === 'audio')
    return button(t('Trim {name}', { name: file.name }), onTrim, <Scissors aria-hidden="true" />)
  return file.original
    ? button(t('Send original {name}', { name: file.name }), onOriginal, <ImageUp aria-hidden="true" />)
    : null
}

function Preview({ file }: { file: DraftFile }) {
  const kind = file.state === 'ready' ? file.attachment.kind : kindByType(file.file.type)
  const isSeen = kind === 'image' || kind === 'video'
  const stored = useBlob(isSeen && file.state === 'ready' ? file.attachment.hash : undefined)
  const url = useObjectUrl(isSeen && file.state !== 'ready' ? file.file : stored)
  const [isBroken, setIsBroken] = useState(false)
  const frame = 'size-14 shrink-0 rounded-control bg-sunken object-cover'
  if (url && !isBroken && kind === 'image') {
    // biome-ignore lint/performance/noImgElement: bytes of this device, which no server could make smaller
    return <img src={url} alt="" draggable={false} onError={() => setIsBroken(true)} className={frame} />
  }
  if (url && !isBroken && kind === 'video') {
    // The fraction asks for a picture of the film in place of its black first frame.
    return (
      <video
        src={`${url}#t=0.5`}
        muted
        playsInline
        preload="metadata"
        tabIndex={-1}
        onError={() => setIsBroken(true)}
        className={frame}
      />
    )
  }
  const Icon = kind === 'audio' ? AudioLines : kind === 'video' ? Film : FileText
  return (
    <span className={`${frame} inline-flex items-center justify-center text-ink-3`}>
      <Icon aria-hidden="true" className="size-6" strokeWidth={1.25} />
    </span>
  )
}

const kindByType = (type: string): string => type.split('/')[0] ?? ''

function statusText(file: DraftFile, model: ModelCard | undefined, refusal: string | undefined): string {
  if (file.state === 'failed') return file.reason
  if (file.state === 'reading') return t(STEPS[file.progress.step])
  return refusal ?? fileFacts(file.attachment, model).join(' · ')
}

function fileFacts(file: Attachment, model: Pick<ModelCard, 'takes'> | undefined): string[] {
  const facts: string[] = []
  if (file.pages !== undefined) facts.push(plural(file.pages, { one: '{count} page', other: '{count} pages' }))
  if (file.durationMs !== undefined) facts.push(formatLength(file.durationMs))
  if (file.kind === 'image' && file.width && file.height) {
    facts.push(t('{width} × {height}', { width: String(file.width), height: String(file.height) }))
  }
  facts.push(formatSize(file.size))
  if (file.kind === 'document' && file.tokens !== undefined && model) {
    const tokens = roundTokens(fileTokens(file, model))
    facts.push(plural(tokens, { one: 'about {count} token', other: 'about {count} tokens' }))
  }
  return facts
}

const STEPS: Record<FileProgress['step'], string> = {
  read: msg('Reading…'),
  convert: msg('Converting…'),
  shrink: msg('Resizing…'),
  look: msg('Processing…'),
  keep: msg('Saving on this device…'),
}

function totalProgress({ step, share }: FileProgress): number {
  if (step === 'read') return share * 0.5
  if (step === 'keep') return 0.95
  return 0.5 + share * 0.4
}

export function DropTarget({ model }: { model: ModelCard | undefined }) {
  return (
    <div className="pointer-events-none fixed inset-0 z-50 flex items-center justify-center bg-[rgb(10_12_16/0.45)] p-6">
      <div
        role="status"
        className="enter rounded-composer border-2 border-dashed border-accent bg-surface px-10 py-8 text-center shadow-over"
      >
        <p className="font-serif text-24">{t('Drop files anywhere')}</p>
        {model && (
          <p className="mt-1.5 text-14 text-ink-2">
            {t('{model} accepts {kinds}.', { model: model.name, kinds: supportedKinds(model) })}
          </p>
        )}
      </div>
    </div>
  )
}
