'use client'

import { defaultKeymap } from '@codemirror/commands'
import { codeFolding, foldEffect, foldGutter, foldKeymap, foldService } from '@codemirror/language'
import { openSearchPanel } from '@codemirror/search'
import { Compartment, EditorState, type Extension, type Range, StateEffect, StateField, Text } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view'
import { type RefObject, useEffect, useImperativeHandle, useRef } from 'react'
import type { TextEnd } from '@/components/rpc/response/decode/jobs'
import type { TextChunk } from '@/components/rpc/response/decode/json'
import { codeTheme, find } from '@/components/ui/code-extensions'
import { plural, t } from '@/lib/i18n/t'

export type TextSource = (onChunk: (chunk: TextChunk) => void, signal: AbortSignal) => Promise<TextEnd>

export type TextHandle = { find: () => void; text: () => string }

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
    const unmounting = new AbortController()
    void fill(editor.current!, source, { label, isJson, now: () => latest.current }, unmounting.signal)
      .then((end) => latest.current.onEnd(end))
      .catch((error: unknown) => {
        if (!unmounting.signal.aborted)
          latest.current.onEnd({ error: error instanceof Error ? error : new Error(String(error)) })
      })
    return () => unmounting.abort()
  }, [source, label, isJson])
  useEffect(() => {
    const { view, wrapping } = editor.current!
    view.dispatch({ effects: wrapping.reconfigure(isWrapped ? EditorView.lineWrapping : []) })
  }, [isWrapped])
  useEffect(() => editor.current!.view.dispatch({ effects: setHints.of(hintOf) }), [hintOf])
  return <div ref={host} dir="ltr" className="flex min-h-0 min-w-0 flex-1 flex-col *:min-h-0 *:flex-1" />
}

type Looks = { label: string; isJson: boolean; now: () => { isWrapped: boolean; hintOf?: HintOf | undefined } }

// Shows the first chunk at once, in place of the text before; the others follow, each in a task of its own.
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
    wrapping.of(now().isWrapped ? EditorView.lineWrapping : []),
    drawSelection(),
    isJson ? [jsonLines, hintsField.init(() => now().hintOf)] : [],
    readOnly(label),
  ]
}

export const readOnly = (label: string): Extension => [
  EditorState.readOnly.of(true),
  // No caret and no keyboard of a phone; the focus comes by Tab, so that keys scroll and find.
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
  highlightSpecialChars(),
  find,
  keymap.of(defaultKeymap),
]

// Of a longer line only the beginning is coloured; the rest is one string.
const COLOURED_CHARS = 2_000
const MAX_HANGING_CHARS = 64
const TOKEN = /"(?:[^"\\]|\\.)*"?(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b|[{}[\],:]/g

const HEX_VALUE = /"(0x[\da-f]*)",?$/i

const KEY = Decoration.mark({ class: 'cm-code-key' })
const NUMBER = Decoration.mark({ class: 'cm-code-number' })
const MARK = Decoration.mark({ class: 'cm-code-mark' })
const HANGING = Array.from({ length: MAX_HANGING_CHARS + 1 }, (_, chars) =>
  Decoration.line({ attributes: { style: `text-indent:-${chars}ch;padding-inline-start:calc(0.75rem + ${chars}ch)` } }),
)

// For each line that opens a bracket, the line that closes it.
const setClosers = StateEffect.define<Int32Array>()

const closersField = StateField.define<Int32Array | undefined>({
  create: () => undefined,
  update: (closers, { effects }) => effects.find((effect) => effect.is(setClosers))?.value ?? closers,
})

export type HintOf = (raw: string) => string | undefined

const setHints = StateEffect.define<HintOf | undefined>()

const hintsField = StateField.define<HintOf | undefined>({
  create: () => undefined,
  update: (hints, { effects }) => {
    const change = effects.find((effect) => effect.is(setHints))
    return change ? change.value : hints
  },
})

class Hint extends WidgetType {
  readonly text: string

  constructor(hint: string) {
    super()
    this.text = hint
  }

  override eq(other: Hint): boolean {
    return other.text === this.text
  }

  toDOM(): HTMLElement {
    const place = document.createElement('span')
    place.className = 'cm-code-hint'
    place.textContent = this.text
    return place
  }
}

/** Colours formatted JSON line by line as it comes into view: nothing is parsed, whatever its size and depth. */
const jsonLines: Extension = [
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet
      constructor(view: EditorView) {
        this.decorations = coloured(view)
      }
      update({ docChanged, viewportChanged, view, startState, state }: ViewUpdate) {
        const isHinted = startState.field(hintsField, false) !== state.field(hintsField, false)
        if (docChanged || viewportChanged || isHinted) this.decorations = coloured(view)
      }
    },
    { decorations: (plugin) => plugin.decorations },
  ),
  closersField,
  foldService.of(foldOf),
  codeFolding({ preparePlaceholder: foldLabel, placeholderDOM: foldPlace }),
  foldGutter({
    markerDOM: foldMarker,
    foldingChanged: ({ transactions }) =>
      transactions.some(({ effects }) => effects.some((effect) => effect.is(setClosers))),
  }),
  keymap.of(foldKeymap),
]

function foldLong(folds: Int32Array, offset: number) {
  const effects = []
  for (let index = 0; index + 1 < folds.length; index += 2) {
    effects.push(foldEffect.of({ from: offset + folds[index]!, to: offset + folds[index + 1]! }))
  }
  return effects
}

function coloured(view: EditorView): DecorationSet {
  const ranges: Range<Decoration>[] = []
  const { doc } = view.state
  const hintOf = view.state.field(hintsField, false)
  let last = -1
  for (const visible of view.visibleRanges) {
    for (let at = visible.from; at <= visible.to; ) {
      const line = doc.lineAt(at)
      at = line.to + 1
      // A line that is folded in the middle is visible in two parts.
      if (line.number === last) continue
      last = line.number
      const text = doc.sliceString(line.from, Math.min(line.to, line.from + COLOURED_CHARS))
      colourLine(text, line.from, ranges)
      const raw = hintOf && HEX_VALUE.exec(text)?.[1]
      const hint = raw && hintOf(raw)
      if (hint) ranges.push(Decoration.widget({ widget: new Hint(hint), side: 1 }).range(line.to))
    }
  }
  return Decoration.set(ranges, true)
}

function colourLine(text: string, from: number, ranges: Range<Decoration>[]): void {
  const indent = Math.min(MAX_HANGING_CHARS, text.length - text.trimStart().length)
  if (indent > 0) ranges.push(HANGING[indent]!.range(from))
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match
    const start = from + match.index
    const first = token[0]!
    if (first !== '"') ranges.push(('{}[],:'.includes(first) ? MARK : NUMBER).range(start, start + token.length))
    else if (match[1] !== undefined) ranges.push(KEY.range(start, start + token.length - match[1].length))
  }
}

function foldOf(state: EditorState, lineStart: number): { from: number; to: number } | null {
  const line = state.doc.lineAt(lineStart)
  const closer = state.field(closersField)?.[line.number] ?? 0
  if (closer <= line.number || closer > state.doc.lines) return null
  const end = state.doc.line(closer)
  return { from: line.to, to: end.from + (end.text.length - end.text.trimStart().length) }
}

function foldLabel(state: EditorState, { from, to }: { from: number; to: number }): string {
  const lines = state.doc.lineAt(to).number - state.doc.lineAt(from).number - 1
  if (lines < 0) return plural(to - from, { one: '{count} more character', other: '{count} more characters' })
  return plural(lines, { one: '{count} line', other: '{count} lines' })
}

function foldPlace(_: EditorView, onClick: (event: Event) => void, text: string): HTMLElement {
  const place = document.createElement('button')
  place.type = 'button'
  place.className = 'cm-foldPlaceholder'
  place.textContent = text
  place.title = t('Show')
  place.setAttribute('aria-label', t('Show {what}', { what: text }))
  place.addEventListener('click', onClick)
  return place
}

function foldMarker(isOpen: boolean): HTMLElement {
  const marker = document.createElement('span')
  marker.textContent = isOpen ? '▾' : '▸'
  marker.title = isOpen ? t('Collapse') : t('Expand')
  return marker
}
