'use client'

import { AudioLines, FileVideo, ImagePlus, X } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { CHECKERED, useFileUrl } from '@/components/studio/parts/media'
import { announce } from '@/components/ui/announcer'
import { IconButton } from '@/components/ui/button'
import { FileInput, useDrop } from '@/components/ui/file-input'
import { FileRefused } from '@/lib/browser/files/limits'
import { formatLength, formatSize } from '@/lib/browser/format/numbers'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { plural, t } from '@/lib/i18n/t'

type FileWellProps = {
  label: string
  hint: string
  files: readonly CreationFile[]
  maxFiles: number
  /** For the system’s own dialog; `read` checks the content. */
  accept: string
  /** @throws FileRefused with the reason, for the person. */
  read: (file: File) => Promise<CreationFile>
  onChange: (files: CreationFile[]) => void
  extra?: (file: CreationFile) => ReactNode
  icon?: ReactNode
}

export function FileWell(props: FileWellProps) {
  const { label, hint, files, maxFiles, accept, read, onChange, extra, icon } = props
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [refusals, setRefusals] = useState<string[]>([])
  const [isReading, setIsReading] = useState(false)
  const take = (given: File[]) => {
    if (given.length > 0) void takeAll(given, { files, maxFiles, read, onChange, setRefusals, setIsReading })
  }
  const isOver = useDrop(take)
  usePaste(take)
  const isFull = files.length >= maxFiles
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-13 font-medium text-ink-2">
        {label}
      </label>
      {files.length > 0 && (
        <ul className="mb-2 space-y-2">
          {files.map((file, at) => (
            <Tile
              key={file.id}
              file={file}
              extra={extra?.(file)}
              onRemove={() => {
                setRefusals([])
                onChange(files.filter((_, index) => index !== at))
                field.current?.focus()
              }}
            />
          ))}
        </ul>
      )}
      <span
        className={`relative flex min-h-11 items-center gap-3 rounded-card border border-dashed px-3 text-14 text-ink-2 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent hover:border-accent hover:text-ink ${isOver ? 'border-accent bg-accent-soft' : 'border-control'} ${files.length === 0 ? 'min-h-28 flex-col justify-center py-3 text-center' : ''}`}
      >
        <span aria-hidden="true" className="text-ink-3 [&>svg]:size-6 [&>svg]:stroke-[1.25]">
          {icon ?? <ImagePlus />}
        </span>
        <span aria-hidden="true">
          {isReading ? t('Reading…') : wellLabel(files.length, maxFiles)}
          {files.length === 0 && <span className="block text-12 text-ink-3">{hint}</span>}
        </span>
        {/* Over the whole well, so that it can be clicked anywhere; the system’s dialog opens by itself. */}
        <FileInput
          ref={field}
          id={id}
          accept={accept}
          multiple={maxFiles > 1}
          // Not disabled, which would take the focus away; the system’s dialog waits.
          aria-disabled={isReading}
          onClick={(event) => isReading && event.preventDefault()}
          aria-describedby={`${id}-words`}
          onFiles={take}
          className="absolute inset-0 size-full cursor-pointer opacity-0"
        />
      </span>
      <div id={`${id}-words`} className="text-12">
        {isFull && maxFiles > 1 && (
          <p className="mt-1 text-ink-3">
            {plural(maxFiles, {
              one: 'This model accepts {count} file.',
              other: 'This model accepts up to {count} files.',
            })}
          </p>
        )}
        {refusals.map((reason) => (
          <p key={reason} className="mt-1 text-13 text-danger wrap-anywhere">
            {reason}
          </p>
        ))}
      </div>
    </div>
  )
}

function wellLabel(count: number, maxFiles: number): string {
  if (count === 0) return t('Choose, drop or paste')
  return count < maxFiles ? t('Add another') : t('Replace')
}

type Taking = Pick<FileWellProps, 'files' | 'maxFiles' | 'read' | 'onChange'> & {
  setRefusals: (reasons: string[]) => void
  setIsReading: (isReading: boolean) => void
}

// Without room a single file replaces the one before; of several the first stay.
async function takeAll(given: File[], taking: Taking): Promise<void> {
  const { files, maxFiles, read, onChange, setRefusals, setIsReading } = taking
  const remaining = maxFiles === 1 ? 1 : Math.max(0, maxFiles - files.length)
  setIsReading(true)
  setRefusals([])
  const reasons: string[] = []
  const accepted: CreationFile[] = []
  for (const file of given.slice(0, remaining)) {
    try {
      accepted.push(await read(file))
    } catch (error) {
      reasons.push(reasonOf(error, file))
    }
  }
  const left = given.length - remaining
  if (left > 0 && maxFiles > 1) {
    reasons.push(plural(left, { one: '{count} file was not added.', other: '{count} files were not added.' }))
  }
  setIsReading(false)
  setRefusals([...new Set(reasons)])
  if (reasons.length > 0) announce(reasons.join(' '))
  if (accepted.length > 0) onChange(maxFiles === 1 ? accepted : [...files, ...accepted])
}

const reasonOf = (error: unknown, { name }: File): string =>
  error instanceof FileRefused ? error.message : t('“{name}” could not be opened or saved.', { name })

function usePaste(take: (files: File[]) => void): void {
  const paste = useEffectEvent(take)
  useEffect(() => {
    const onPaste = ({ clipboardData, defaultPrevented }: ClipboardEvent) => {
      const files = [...(clipboardData?.files ?? [])]
      if (defaultPrevented || files.length === 0 || clipboardData?.getData('text/plain').trim()) return
      paste(files)
    }
    window.addEventListener('paste', onPaste)
    return () => window.removeEventListener('paste', onPaste)
  }, [])
}

type TileProps = { file: CreationFile; extra?: ReactNode; onRemove: () => void }

function Tile({ file, extra, onRemove }: TileProps) {
  const { name, size, width, height, durationMs, mediaType } = file
  const facts = [
    width !== undefined && height !== undefined && `${width} × ${height}`,
    durationMs !== undefined && formatLength(durationMs),
    formatSize(size),
  ]
  return (
    <li className="flex items-center gap-3 rounded-card border border-line bg-surface p-1.5">
      <Preview file={file} kind={mediaType.split('/')[0] ?? ''} />
      <span className="min-w-0 flex-1">
        <bdi className="block truncate text-13 font-medium">{name}</bdi>
        <span className="block font-mono text-12 text-ink-3 tabular-nums">{facts.filter(Boolean).join(' · ')}</span>
      </span>
      {extra}
      <IconButton label={t('Remove {name}', { name })} onClick={onRemove}>
        <X aria-hidden="true" />
      </IconButton>
    </li>
  )
}

function Preview({ file, kind }: { file: CreationFile; kind: string }) {
  const url = useFileUrl(kind === 'image' ? file : undefined)
  const [isBroken, setIsBroken] = useState(false)
  const frame = `${CHECKERED} size-14 shrink-0 rounded-control object-cover`
  if (kind === 'image' && url && !isBroken) {
    // biome-ignore lint/performance/noImgElement: its bytes are in this browser
    return <img src={url} alt="" onError={() => setIsBroken(true)} className={frame} />
  }
  const Icon = kind === 'audio' ? AudioLines : kind === 'video' ? FileVideo : ImagePlus
  return (
    <span className="inline-flex size-14 shrink-0 items-center justify-center rounded-control bg-sunken text-ink-3">
      <Icon aria-hidden="true" className="size-6" strokeWidth={1.25} />
    </span>
  )
}
