import { jsonParseLinter } from '@codemirror/lang-json'
import { ensureSyntaxTree, type syntaxTree } from '@codemirror/language'
import { type Diagnostic, linter, lintKeymap } from '@codemirror/lint'
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { type EditorView, keymap } from '@codemirror/view'

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

export const problemMarks: Extension = [
  known,
  linter(diagnosticsOf, {
    delay: LINT_DELAY_MS,
    needsRefresh: (update) => update.transactions.some(({ effects }) => effects.some((one) => one.is(setProblems))),
  }),
  keymap.of(lintKeymap),
]

export function showProblems(view: EditorView, problems: readonly CodeProblem[]): void {
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
