'use client'

import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import {
  bracketMatching,
  ensureSyntaxTree,
  indentOnInput,
  syntaxHighlighting,
  type syntaxTree,
} from '@codemirror/language'
import { type Diagnostic, linter, lintKeymap } from '@codemirror/lint'
import { Compartment, EditorState, type Extension, Prec, StateEffect, StateField, Transaction } from '@codemirror/state'
import { drawSelection, EditorView, highlightSpecialChars, keymap } from '@codemirror/view'
import { useEffect, useEffectEvent, useRef } from 'react'
import { announce } from '@/components/ui/announcer'
import { codeTheme, find, jsonStyle } from '@/components/ui/code-extensions'
import { t } from '@/lib/i18n/t'

export type CodeEditorProps = {
  value: string
  onChange?: (value: string) => void
  isReadOnly?: boolean
  label: string
  problems?: readonly CodeProblem[]
  onRun?: () => void
  minLines?: number
  maxLines?: number
}

type CodeViewProps = CodeEditorProps & { isReadOnly: boolean; minLines: number; maxLines: number }

const NO_PROBLEMS: CodeEditorProps['problems'] = []

export function CodeView(props: CodeViewProps) {
  const { value, problems = NO_PROBLEMS, label, isReadOnly, minLines, maxLines } = props
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<{ view: EditorView; looks: Compartment } | undefined>(undefined)
  const latest = useEffectEvent(() => props)
  useEffect(() => {
    const looks = new Compartment()
    const state = EditorState.create({
      doc: latest().value,
      extensions: [behaviour(latest), looks.of([])],
    })
    const view = new EditorView({ state, parent: host.current! })
    // Tab goes to the next control, so that nobody is held in the field.
    view.setTabFocusMode(true)
    editor.current = { view, looks }
    return () => {
      editor.current = undefined
      view.destroy()
    }
  }, [])
  useEffect(() => {
    const { view, looks } = editor.current!
    view.dispatch({ effects: looks.reconfigure(looksOf({ label, isReadOnly, minLines, maxLines })) })
  }, [label, isReadOnly, minLines, maxLines])
  useEffect(() => {
    const { view } = editor.current!
    const { doc } = view.state
    if (doc.length === value.length && doc.toString() === value) return
    // Given from outside: nothing to undo into, and nothing to tell back.
    view.dispatch({
      changes: { from: 0, to: doc.length, insert: value },
      annotations: [Transaction.addToHistory.of(false), Transaction.remote.of(true)],
    })
  }, [value])
  useEffect(() => showProblems(editor.current!.view, problems ?? []), [problems])
  return <div ref={host} dir="ltr" className="grid min-w-0" />
}

type Looks = Pick<CodeViewProps, 'label' | 'isReadOnly' | 'minLines' | 'maxLines'>

function looksOf({ label, isReadOnly, minLines, maxLines }: Looks): Extension {
  return [
    EditorState.readOnly.of(isReadOnly),
    // On a phone what cannot be written does not bring up the keyboard.
    EditorView.editable.of(!isReadOnly),
    EditorView.editorAttributes.of({ class: isReadOnly ? '' : 'cm-editable' }),
    EditorView.contentAttributes.of({
      'aria-label': label,
      ...(isReadOnly && { 'aria-readonly': 'true', tabindex: '0' }),
    }),
    EditorView.theme({
      '.cm-scroller': { maxHeight: `${maxLines * 1.25 + 1}rem` },
      '.cm-content': { minHeight: `${minLines * 1.25 + 1}rem` },
    }),
  ]
}

function behaviour(props: () => CodeViewProps): Extension {
  const run = () => {
    const { onRun } = props()
    onRun?.()
    return onRun !== undefined
  }
  return [
    codeTheme,
    json(),
    syntaxHighlighting(jsonStyle),
    highlightSpecialChars(),
    bracketMatching(),
    drawSelection(),
    history(),
    indentOnInput(),
    EditorView.lineWrapping,
    find,
    problemMarks,
    Prec.highest(
      keymap.of([
        { key: 'Mod-Enter', run },
        { key: 'Ctrl-m', mac: 'Shift-Alt-m', run: switchTab },
      ]),
    ),
    keymap.of([indentWithTab, ...historyKeymap, ...defaultKeymap]),
    EditorView.updateListener.of(({ docChanged, transactions, state }) => {
      const isOurs = transactions.some((transaction) => transaction.annotation(Transaction.remote))
      if (docChanged && !isOurs) props().onChange?.(state.doc.toString())
    }),
  ]
}

const indents = new WeakSet<EditorView>()

function switchTab(view: EditorView): boolean {
  const isIndenting = !indents.has(view)
  if (isIndenting) indents.add(view)
  else indents.delete(view)
  view.setTabFocusMode(!isIndenting)
  announce(isIndenting ? t('Tab indents now') : t('Tab leaves the editor now'))
  return true
}

/** A problem between two offsets, or at a JSON path. */
export type CodeProblem = { message: string; severity: 'error' | 'warning' } & (
  | { from: number; to: number }
  | { path: readonly (string | number)[] }
)

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode']

const LINT_DELAY_MS = 200
const MAX_CHECKED_CHARS = 1_000_000
const PARSE_BUDGET_MS = 50
const VALUES = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null'])

const setProblems = StateEffect.define<readonly CodeProblem[]>()

const known = StateField.define<readonly CodeProblem[]>({
  create: () => [],
  update: (problems, transaction) => {
    const given = transaction.effects.find((effect) => effect.is(setProblems))
    return given ? given.value : problems
  },
})

const parseFault = jsonParseLinter()

const problemMarks: Extension = [
  known,
  linter(diagnosticsOf, {
    delay: LINT_DELAY_MS,
    needsRefresh: (update) => update.transactions.some(({ effects }) => effects.some((one) => one.is(setProblems))),
  }),
  keymap.of(lintKeymap),
]

function showProblems(view: EditorView, problems: readonly CodeProblem[]): void {
  if (view.state.field(known) !== problems) view.dispatch({ effects: setProblems.of(problems) })
}

function diagnosticsOf(view: EditorView): Diagnostic[] {
  const { state } = view
  const { length } = state.doc
  if (length > MAX_CHECKED_CHARS) return []
  const faults = length === 0 || /^\s*$/.test(state.sliceDoc(0, 100)) ? [] : parseFault(view)
  // Where the text is no JSON, its paths lead nowhere.
  if (faults.length > 0) return faults
  return state.field(known).map((problem) => {
    const { from, to } = 'path' in problem ? rangeOf(state, problem.path) : problem
    return {
      from: Math.min(from, length),
      to: Math.min(Math.max(from, to), length),
      message: problem.message,
      severity: problem.severity,
    }
  })
}

function rangeOf(state: EditorState, path: readonly (string | number)[]): { from: number; to: number } {
  const top = ensureSyntaxTree(state, state.doc.length, PARSE_BUDGET_MS)?.topNode
  let node = top && firstValue(top)
  if (!node) return { from: 0, to: state.doc.length }
  for (const step of path) {
    const next = childOf(state, node, step)
    // What is missing is marked at the bracket of what it is missing from.
    if (!next) return isContainer(node) ? { from: node.from, to: node.from + 1 } : node
    node = next
  }
  return isContainer(node) ? { from: node.from, to: node.from + 1 } : { from: node.from, to: node.to }
}

function childOf(state: EditorState, parent: SyntaxNode, step: string | number): SyntaxNode | undefined {
  if (parent.name === 'Array') return valuesOf(parent)[Number(step)]
  if (parent.name !== 'Object') return undefined
  for (const property of parent.getChildren('Property')) {
    const name = property.getChild('PropertyName')
    if (name && propertyName(state.sliceDoc(name.from, name.to)) === String(step)) return firstValue(property)
  }
  return undefined
}

function valuesOf(parent: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = []
  for (let child = parent.firstChild; child; child = child.nextSibling) if (VALUES.has(child.name)) found.push(child)
  return found
}

const firstValue = (parent: SyntaxNode): SyntaxNode | undefined => valuesOf(parent)[0]

const isContainer = ({ name }: SyntaxNode) => name === 'Object' || name === 'Array'

function propertyName(text: string): string | undefined {
  try {
    return String(JSON.parse(text))
  } catch {
    // Half a name, while it is typed.
    return undefined
  }
}
