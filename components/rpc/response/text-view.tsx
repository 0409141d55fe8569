'use client'

import { type RefObject, useEffect, useMemo, useState } from 'react'
import type { Interpretation } from '@/components/rpc/response/decode/decoded'
import { hintFor, hintsOf } from '@/components/rpc/response/decode/hints'
import type { TextEnd } from '@/components/rpc/response/decode/jobs'
import { toText, visibleText } from '@/components/rpc/response/decode/message-texts'
import { looksLikeJson, type Reply } from '@/components/rpc/response/decode/reply'
import { formatTime } from '@/components/rpc/response/format'
import type { TextEditor, TextHandle, TextSource } from '@/components/rpc/response/text-editor'
import type { HintOf } from '@/components/rpc/response/text-lines'
import type { OpenedAnswer } from '@/components/rpc/response/use-reply'
import { t } from '@/lib/i18n/t'

type Editor = typeof TextEditor

let fetched: Editor | undefined

export async function warmEditor(): Promise<Editor> {
  fetched ??= (await import('@/components/rpc/response/text-editor')).TextEditor
  return fetched
}

/** Uses the editor at once where it is loaded: a Suspense boundary would hold it for 300 ms. */
function useEditor(): Editor | 'failed' | undefined {
  const [editor, setEditor] = useState<{ Editor: Editor | 'failed' | undefined }>(() => ({ Editor: fetched }))
  useEffect(() => {
    let isLeft = false
    const show = (Editor: Editor | 'failed') => !isLeft && setEditor({ Editor })
    if (!fetched) void warmEditor().then(show, () => show('failed'))
    return () => {
      isLeft = true
    }
  }, [])
  return editor.Editor
}

type TextViewProps = {
  opened: OpenedAnswer
  reply: Reply | undefined
  kind: 'pretty' | 'raw'
  item: number | undefined
  isWrapped: boolean
  handle: RefObject<TextHandle | null>
}

export function TextView({ opened, reply, kind, item, isWrapped, handle }: TextViewProps) {
  const Editor = useEditor()
  const { worker, opening } = opened
  // What turns out to be no JSON is shown as it came.
  const isJson = kind === 'pretty' && !reply?.fault && looksLikeJson(opening.text)
  // One source for one text: the editor fills itself anew for another.
  const source = useMemo<TextSource>(() => {
    const part = item === undefined ? {} : { item }
    return (onChunk, signal) =>
      isJson
        ? worker.ask<'pretty'>(opening, { kind: 'pretty', ...part }, { onChunk, signal })
        : worker.ask<'raw'>(opening, { kind: 'raw', ...part }, { onChunk, signal })
  }, [worker, opening, isJson, item])
  const hintOf = useHints(opened, isJson && reply !== undefined, item)
  const [ended, setEnded] = useState<{ source: TextSource; end: TextEnd | { error: Error } } | undefined>(undefined)
  const end = ended?.source === source ? ended.end : undefined
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Notes reply={reply} kind={kind} end={end} />
      {Editor === 'failed' ? (
        <p className="p-4 text-14 text-ink-2">
          {t('Couldn’t load the view. Download the response or reload the page.')}
        </p>
      ) : Editor ? (
        <Editor
          {...{ source, isJson, isWrapped, hintOf, handle }}
          label={kind === 'pretty' ? t('Formatted response') : t('Raw response')}
          onEnd={(of) => setEnded({ source, end: of })}
        />
      ) : (
        <TextSkeleton />
      )}
    </div>
  )
}

type Decoded = { opened: OpenedAnswer; item: number | undefined; hintOf: HintOf }

function useHints(opened: OpenedAnswer, isOn: boolean, item: number | undefined): HintOf | undefined {
  const [decoded, setDecoded] = useState<Decoded>()
  useEffect(() => {
    if (!isOn) return
    const left = new AbortController()
    const part = item === undefined ? {} : { item }
    opened.worker.ask<'decode'>(opened.opening, { kind: 'decode', wanted: {}, ...part }, { signal: left.signal }).then(
      (reply) => {
        const hints = hintsOf(reply)
        setDecoded({ opened, item, hintOf: (raw) => hintText(hintFor(raw, hints)) })
      },
      // The text says all that it did before.
      () => undefined,
    )
    return () => left.abort()
  }, [opened, isOn, item])
  return decoded?.opened === opened && decoded.item === item ? decoded.hintOf : undefined
}

const hintText = (interpretation: Interpretation | undefined): string | undefined =>
  interpretation &&
  (interpretation.kind === 'time'
    ? formatTime(interpretation.at, Date.now()).local
    : visibleText(toText(interpretation.text)))

type NotesProps = { reply: Reply | undefined; kind: 'pretty' | 'raw'; end: TextEnd | { error: Error } | undefined }

function Notes({ reply, kind, end }: NotesProps) {
  const notes: string[] = []
  if (reply?.fault && kind === 'pretty') {
    notes.push(
      t('Not valid JSON, so the raw response is shown. {fault}, at character {place}.', {
        fault: toText(reply.fault.message),
        place: reply.fault.at + 1,
      }),
    )
  }
  if (end && 'error' in end) notes.push(t('Couldn’t format the response. Download it to read it.'))
  else if (end) {
    if (end.isCut) notes.push(t('The response is too long to show in full. Download it for the rest.'))
    if (end.isBroken) notes.push(t('Long lines are split here. Copies and downloads keep them whole.'))
  }
  if (notes.length === 0) return null
  return <p className="border-b border-line bg-sunken px-4 py-1.5 text-12 text-ink-3">{notes.join(' ')}</p>
}

function TextSkeleton() {
  return (
    <div aria-hidden="true" className="flex-1 space-y-3 p-4">
      <div className="skeleton h-3 w-1/3" />
      <div className="skeleton h-3 w-3/4" />
      <div className="skeleton h-3 w-1/2" />
    </div>
  )
}
