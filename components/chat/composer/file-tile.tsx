'use client'

import { AudioLines, FileText, Film, ImageUp, RotateCw, Scissors, X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { fileFacts } from '@/components/chat/composer/file-facts'
import { useBlobUrl } from '@/components/chat/composer/use-blob-url'
import { IconButton } from '@/components/ui/button'
import type { DraftFile } from '@/lib/browser/files/draft-store'
import type { FileProgress } from '@/lib/browser/files/read-file'
import type { ModelCard } from '@/lib/browser/models'
import { msg, t } from '@/lib/i18n/t'

/** What is dragged from tile to tile: the id of a file of this tray. */
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
  /** Another file of the tray was let go here. */
  onMoveTo: (id: string) => void
}

/** One file: a picture of it, what is known of it, and what can be done. */
export function FileTile(props: FileTileProps) {
  const { file, model, at, count, refusal, onKeyDown, onRemove, onMoveTo } = props
  const [isTarget, setIsTarget] = useState(false)
  const isBad = file.state === 'failed' || refusal !== undefined
  const words = wordsOf(file, model, refusal)
  return (
    <li
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys move the focus and the file; the list tells of them
      tabIndex={0}
      aria-label={t('{name}, file {place} of {count}, {facts}', {
        name: file.name,
        place: at + 1,
        count,
        facts: words,
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
        <p className={`text-12 ${isBad ? 'line-clamp-4 text-danger' : 'line-clamp-3 text-ink-2'}`}>{words}</p>
        {file.state === 'reading' && (
          <progress
            aria-label={t('Reading {name}', { name: file.name })}
            max={1}
            value={overall(file.progress)}
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

/** What else can be done with this one. */
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
  const url = useBlobUrl(!isSeen ? undefined : file.state === 'ready' ? file.attachment.hash : file.file)
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

function wordsOf(file: DraftFile, model: ModelCard | undefined, refusal: string | undefined): string {
  if (file.state === 'failed') return file.reason
  if (file.state === 'reading') return t(STEPS[file.progress.step])
  return refusal ?? fileFacts(file.attachment, model).join(' · ')
}

const STEPS: Record<FileProgress['step'], string> = {
  read: msg('Reading…'),
  convert: msg('Converting…'),
  shrink: msg('Resizing…'),
  look: msg('Processing…'),
  keep: msg('Saving on this device…'),
}

/** Reading is the first half of the way; what comes after it says how far it is where it knows. */
function overall({ step, share }: FileProgress): number {
  if (step === 'read') return share * 0.5
  if (step === 'keep') return 0.95
  return 0.5 + share * 0.4
}
