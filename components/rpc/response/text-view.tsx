'use client'

import { type RefObject, useEffect, useMemo, useState } from 'react'
import { Note, SkeletonLines } from '@/components/rpc/notices'
import {
  type DecodedNode,
  type DecodedReply,
  grouped,
  type Interpretation,
  quantityOf,
} from '@/components/rpc/response/decode/decoded'
import type { TextEnd } from '@/components/rpc/response/decode/jobs'
import { looksLikeJson, type Reply } from '@/components/rpc/response/decode/json'
import { formatTime, toText, visibleText } from '@/components/rpc/response/format'
import { type OpenedAnswer, useDecoded } from '@/components/rpc/response/response-worker'
import type { HintOf, TextEditor, TextHandle, TextSource } from '@/components/rpc/response/text-editor'
import { t } from '@/lib/i18n/t'

type Editor = typeof TextEditor

let fetched: Editor | undefined

export async function warmEditor(): Promise<Editor> {
  fetched ??= (await import('@/components/rpc/response/text-editor')).TextEditor
  return fetched
}

// Used at once where it is loaded: a Suspense boundary would hold it for 300 ms.
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
    return (onChunk, signal) =>
      isJson
        ? worker.run<'pretty'>(opening, { kind: 'pretty', item }, { onChunk, signal })
        : worker.run<'raw'>(opening, { kind: 'raw', item }, { onChunk, signal })
  }, [worker, opening, isJson, item])
  const hintOf = useHints(opened, isJson && reply !== undefined, item)
  const [ended, setEnded] = useState<{ source: TextSource; end: TextEnd | { error: Error } } | undefined>(undefined)
  const end = ended?.source === source ? ended.end : undefined
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Notes reply={reply} kind={kind} end={end} />
      {Editor === 'failed' ? (
        <Note text={t('Couldn’t load the view. Download the response or reload the page.')} />
      ) : Editor ? (
        <Editor
          {...{ source, isJson, isWrapped, hintOf, handle }}
          label={kind === 'pretty' ? t('Formatted response') : t('Raw response')}
          onEnd={(of) => setEnded({ source, end: of })}
        />
      ) : (
        <SkeletonLines className="flex-1 space-y-3 p-4" />
      )}
    </div>
  )
}

function useHints(opened: OpenedAnswer, isOn: boolean, item: number | undefined): HintOf | undefined {
  const decoded = useDecoded(isOn ? opened : undefined, item)
  return useMemo(() => {
    // Where it failed, the text is without hints.
    if (!decoded || decoded.result === 'failed' || decoded.opened !== opened || decoded.item !== item) return undefined
    const hints = hintsOf(decoded.result)
    return (raw) => hintText(hintFor(raw, hints))
  }, [decoded, opened, item])
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

// Without leading zeros, which bytes have.
const QUANTITY = /^0x(?:0|[1-9a-f][\da-f]{0,31})$/i

const ZEROS = /^0x00+$/

/** Maps values to their meanings; `undefined` for one that means different things. */
type Hints = ReadonlyMap<string, Interpretation | undefined>

export function hintsOf({ items }: DecodedReply): Hints {
  const hints = new Map<string, Interpretation | undefined>()
  for (const { node, error } of items) {
    for (const root of [node, error?.revert]) if (root) collect(root, hints)
  }
  return hints
}

function collect(node: DecodedNode, hints: Map<string, Interpretation | undefined>): void {
  if (node.kind === 'record') for (const field of node.fields) collect(field.node, hints)
  if (node.kind === 'list') for (const item of node.items) collect(item, hints)
  if (node.kind !== 'value' || node.raw.length !== node.chars) return
  const [interpretation] = node.interpretations
  if (!interpretation) return
  const known = hints.get(node.raw)
  const isSame = known === undefined ? !hints.has(node.raw) : JSON.stringify(known) === JSON.stringify(interpretation)
  hints.set(node.raw, isSame ? interpretation : undefined)
}

export function hintFor(raw: string, hints: Hints): Interpretation | undefined {
  // Zeros say what they are.
  if (ZEROS.test(raw)) return undefined
  const interpretation = hints.get(raw)
  if (interpretation) return interpretation
  if (!QUANTITY.test(raw)) return undefined
  const number = quantityOf(raw)
  return number === undefined ? undefined : { kind: 'text', text: grouped(number) }
}
