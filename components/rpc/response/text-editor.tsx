'use client'

import { defaultKeymap } from '@codemirror/commands'
import { openSearchPanel } from '@codemirror/search'
import { Compartment, EditorState, type Extension, Text } from '@codemirror/state'
import { drawSelection, EditorView, highlightSpecialChars, keymap } from '@codemirror/view'
import { type RefObject, useEffect, useImperativeHandle, useRef } from 'react'
import type { TextEnd } from '@/components/rpc/response/decode/jobs'
import type { TextChunk } from '@/components/rpc/response/decode/json'
import {
  foldLong,
  type HintOf,
  hintsField,
  jsonLines,
  setClosers,
  setHints,
} from '@/components/rpc/response/text-lines'
import { codeTheme, find } from '@/components/ui/code-extensions'

export type TextSource = (onChunk: (chunk: TextChunk) => void, signal: AbortSignal) => Promise<TextEnd>

export type TextHandle = {
  find: () => void
  text: () => string
}

type TextEditorProps = {
  source: TextSource
  isJson: boolean
  isWrapped: boolean
  hintOf?: HintOf | undefined
  label: string
  handle: RefObject<TextHandle | null>
  onEnd: (end: TextEnd | { error: Error }) => void
}

/** Shows a text of megabytes: only what is in view is in the page. */
export function TextEditor({ source, isJson, isWrapped, hintOf, label, handle, onEnd }: TextEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<{ view: EditorView; wrapping: Compartment } | undefined>(undefined)
  useEffect(() => {
    const view = new EditorView({ parent: host.current! })
    editor.current = { view, wrapping: new Compartment() }
    return () => {
      editor.current = undefined
      view.destroy()
    }
  }, [])
  useImperativeHandle(handle, () => ({
    find: () => editor.current && openSearchPanel(editor.current.view),
    text: () => editor.current?.view.state.doc.toString() ?? '',
  }))
  const latest = useRef({ isWrapped, hintOf, onEnd })
  useEffect(() => {
    latest.current = { isWrapped, hintOf, onEnd }
  })
  useEffect(() => {
    const left = new AbortController()
    void fill(editor.current!, source, { label, isJson, now: () => latest.current }, left.signal)
      .then((end) => latest.current.onEnd(end))
      .catch((error: unknown) => {
        if (!left.signal.aborted)
          latest.current.onEnd({ error: error instanceof Error ? error : new Error(String(error)) })
      })
    return () => left.abort()
  }, [source, label, isJson])
  useEffect(() => {
    const { view, wrapping } = editor.current!
    view.dispatch({ effects: wrapping.reconfigure(isWrapped ? EditorView.lineWrapping : []) })
  }, [isWrapped])
  useEffect(() => editor.current!.view.dispatch({ effects: setHints.of(hintOf) }), [hintOf])
  return <div ref={host} dir="ltr" className="flex min-h-0 min-w-0 flex-1 flex-col *:min-h-0 *:flex-1" />
}

type Looks = { label: string; isJson: boolean; now: () => { isWrapped: boolean; hintOf?: HintOf | undefined } }

/** Shows the first chunk at once, in place of the text before; the others follow, each in a task of its own. */
async function fill(
  { view, wrapping }: { view: EditorView; wrapping: Compartment },
  source: TextSource,
  looks: Looks,
  signal: AbortSignal,
): Promise<TextEnd> {
  let isFirst = true
  const end = await source(({ text, folds }) => {
    const lines = Text.of(text.split('\n'))
    if (isFirst) {
      isFirst = false
      view.setState(EditorState.create({ doc: lines, extensions: extensionsOf(looks, wrapping) }))
      view.scrollDOM.scrollTo(0, 0)
      view.dispatch({ effects: foldLong(folds, 0) })
    } else {
      const { length } = view.state.doc
      view.dispatch({ changes: { from: length, insert: lines }, effects: foldLong(folds, length) })
    }
  }, signal)
  if (end.closers && !signal.aborted) view.dispatch({ effects: setClosers.of(end.closers) })
  return end
}

function extensionsOf({ label, isJson, now }: Looks, wrapping: Compartment): Extension {
  return [
    codeTheme,
    EditorView.theme({
      '&': { height: '100%' },
      '.cm-scroller': { overflow: 'auto' },
      // Hashes have no place to break; looked for first, it would leave the line before them empty.
      '.cm-lineWrapping': { wordBreak: 'break-all' },
    }),
    EditorState.readOnly.of(true),
    // No caret and no keyboard of a phone; the focus comes by Tab, so that keys scroll and find.
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
    wrapping.of(now().isWrapped ? EditorView.lineWrapping : []),
    highlightSpecialChars(),
    drawSelection(),
    find,
    isJson ? [jsonLines, hintsField.init(() => now().hintOf)] : [],
    keymap.of(defaultKeymap),
  ]
}
