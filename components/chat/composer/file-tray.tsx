'use client'

import dynamic from 'next/dynamic'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { FileTile } from '@/components/chat/composer/file-tile'
import { Button } from '@/components/ui/button'
import { showToast } from '@/components/ui/toast'
import {
  moveDraftFile,
  removeDraftFile,
  replaceDraftFile,
  retryDraftFile,
  takeOriginal,
} from '@/lib/browser/files/draft-files'
import { type DraftFile, readyAttachments } from '@/lib/browser/files/draft-store'
import { modelsThatTake, refusalOf } from '@/lib/browser/files/refusals'
import type { ModelCard } from '@/lib/browser/models'
import type { Attachment } from '@/lib/browser/storage/records'
import { type ThreadRead, useThread } from '@/lib/browser/storage/use-thread'
import { UNDO_MS } from '@/lib/browser/undo'
import { t } from '@/lib/i18n/t'

/** Models offered by name; the others are in the picker. */
const MAX_OFFERED = 3

/** Fetched when a recording is first cut. */
const Trimmer = dynamic(() => import('@/components/common/trimmer').then((module) => module.Trimmer), {
  ssr: false,
})

type FileTrayProps = {
  chatId: string | null
  draftId: string
  files: readonly DraftFile[]
  model: ModelCard | undefined
  models: ModelCard[]
  /** Whether the model takes all of them as they are now. */
  onFit: (doFit: boolean) => void
  onPickModel: (id: string) => void
}

/** The files of a message before it is sent: each with what is known of it, or why it cannot go. */
export function FileTray({ chatId, draftId, files, model, models, onFit, onPickModel }: FileTrayProps) {
  const thread = useThread(chatId)
  const earlier = useMemo(() => (thread === undefined ? undefined : earlierFiles(thread)), [thread])
  const [trimming, setTrimming] = useState<Attachment>()
  const [said, setSaid] = useState('')
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
    setSaid(t('{name}: position {place} of {count}', { name: file.name, place: to + 1, count: files.length }))
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
        {said}
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
    const reason = refusalOf(file.attachment, model, before, earlier)
    if (reason) refusals.set(file.id, reason)
    before.push(file.attachment)
  }
  return refusals
}

/** The files of the branch that is shown: they are sent along again. */
const earlierFiles = (thread: ThreadRead | null): Attachment[] =>
  thread?.turns.flatMap(({ attachments = [] }) => attachments) ?? []

function focusTile(list: HTMLUListElement | null, at: number): void {
  const tile = list?.children[at]
  if (tile instanceof HTMLElement) tile.focus()
}

type ModelOfferProps = { reason: string; others: ModelCard[]; onPickModel: (id: string) => void }

/** Why the files cannot go like this, and who would take them. */
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
