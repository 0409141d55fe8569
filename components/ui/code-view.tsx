'use client'

import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState, type Extension, Prec, Transaction } from '@codemirror/state'
import { drawSelection, EditorView, highlightSpecialChars, keymap } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { announce } from '@/components/ui/announcer'
import { codeTheme, find, jsonStyle } from '@/components/ui/code-extensions'
import { type CodeProblem, problemMarks, showProblems } from '@/components/ui/code-problems'
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
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })
  useEffect(() => {
    const looks = new Compartment()
    const state = EditorState.create({
      doc: latest.current.value,
      extensions: [behaviour(() => latest.current), looks.of([])],
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
