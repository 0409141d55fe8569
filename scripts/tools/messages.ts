import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseSync, Visitor } from 'rolldown/utils'

/** An English sentence of the pages, and where it stands. */
type Sentence = {
  /** The form for one thing, of a sentence that counts. It is filed under its form for many. */
  one?: string
  places: string[]
}

export type Sentences = {
  /** By their English words. */
  sentences: Map<string, Sentence>
  /** What no translator would see, or the server would say in one language only: `file:line why`. */
  faults: string[]
}

/** Where pages are made of. */
const SOURCES = ['app/**/*.{ts,tsx}', 'components/**/*.{ts,tsx}', 'lib/browser/**/*.{ts,tsx}']
/** Data whose `summary` of each method is shown in the language of the page. */
const OVERLAYS = 'components/rpc/methods/*.overlay.json'
const NO_PAGE = /\.test\.|\/testing\/|^app\/api\/|^app\/global-error/
/** The documentation is English in every language (docs/adr/0024); its frame is not, and goes through `t` as everywhere. */
const ENGLISH = /^components\/docs\/|^app\/\(screens\)\/docs\//
/** Attributes that people read or hear. */
const READ = new Set(
  'aria-label aria-description aria-roledescription aria-valuetext title placeholder alt label hint text heading'.split(
    ' ',
  ),
)
/** They ask for the language of the page, which a module that is loaded once does not have. */
const LATE = new Set(['t', 'plural', 'formatNumber', 'formatDate', 'language'])
/** Names, units and codes are the same in every language. */
const NAMES = new Set(
  'Base Solana Ethereum USDC DIEM JSON CSV MetaMask Phantom EVM Starknet Markdown ChatGPT Claude Lagoon TypeScript Python curl MB KB ms RPC Esc Enter Ctrl Alt Shift Tab API gwei wei'.split(
    ' ',
  ),
)

/** Reads all sentences of the pages out of their source. */
export async function readSentences(root: string): Promise<Sentences> {
  const found: Sentences = { sentences: new Map(), faults: [] }
  for await (const file of glob(SOURCES, { cwd: root })) {
    if (!NO_PAGE.test(file)) readFileInto(found, file, await readFile(path.join(root, file), 'utf8'))
  }
  for await (const file of glob(OVERLAYS, { cwd: root })) {
    readSummariesInto(found, file, await readFile(path.join(root, file), 'utf8'))
  }
  return found
}

function readSummariesInto({ sentences }: Sentences, file: string, source: string): void {
  const { methods } = JSON.parse(source) as { methods: Record<string, { summary: string }> }
  for (const [name, { summary }] of Object.entries(methods)) {
    const known = sentences.get(summary) ?? { places: [] }
    sentences.set(summary, { ...known, places: [...known.places, `${file} ${name}`] })
  }
}

/** The same for one file. Known by their names: `t`, `msg`, `plural` (lib/i18n/t.ts) and `Sentence` (components/ui). */
export function readFileInto({ sentences, faults }: Sentences, file: string, source: string): void {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`)
  const isEnglish = ENGLISH.test(file)
  let depth = 0
  const ofSentences = new Set<unknown>()
  const place = (node: Node) => `${file}:${source.slice(0, node.start).split('\n').length}`
  const fault = (node: Node, why: string): void => {
    faults.push(`${place(node)} ${why}`)
  }
  const add = (node: Node, key: string, one?: string) => {
    const known = sentences.get(key) ?? { places: [] }
    if (known.places.length > 0 && known.one !== one) fault(node, `is counted here and not elsewhere: ${key}`)
    sentences.set(key, { ...known, ...(one !== undefined && { one }), places: [...known.places, place(node)] })
  }
  const enter = () => {
    depth += 1
  }
  const leave = () => {
    depth -= 1
  }
  new Visitor({
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
    FunctionExpression: enter,
    'FunctionExpression:exit': leave,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
    CallExpression(node) {
      const name = nameOf(node.callee)
      if (name === undefined) return
      if (LATE.has(name) && depth === 0) fault(node, `${name}() is called while the module loads`)
      const [first, second] = node.arguments
      const words = textOf(first)
      if ((name === 't' || name === 'msg') && words !== undefined) add(node, words)
      if (name === 'plural') {
        const { one, other } = formsOf(second)
        if (one === undefined || other === undefined) fault(node, 'plural() wants { one: "…", other: "…" }')
        else add(node, other, one)
      }
    },
    JSXOpeningElement(node) {
      if (nameOf(node.name) !== 'Sentence') return
      const attribute = attributeOf(node, 'text')
      const words = textOf(attribute?.value)
      if (words !== undefined) add(node, words)
      if (attribute) ofSentences.add(attribute)
    },
    JSXAttribute(node) {
      const name = nameOf(node.name)
      if (name === undefined || !READ.has(name) || ofSentences.has(node) || isEnglish) return
      const words = node.value?.type === 'Literal' ? textOf(node.value) : undefined
      if (words !== undefined && /^\p{Lu}/u.test(words) && isRead(words)) {
        fault(node, `is not translated: ${name}="${words}"`)
      }
    },
    JSXText(node) {
      if (!isEnglish && isRead(node.value)) fault(node, `is not translated: ${node.value.trim().replace(/\s+/g, ' ')}`)
    },
  }).visit(program)
}

type Node = { start: number }

/** A name as written: of a function that is called, of an element, of an attribute. */
function nameOf(node: unknown): string | undefined {
  const { type, name } = (node ?? {}) as { type?: string; name?: unknown }
  return (type === 'Identifier' || type === 'JSXIdentifier') && typeof name === 'string' ? name : undefined
}

/** Words that are written out: `'…'`, or `` `…` `` with nothing in it, also between the braces of an attribute. */
function textOf(node: unknown): string | undefined {
  const { type, value, quasis, expression } = (node ?? {}) as {
    type?: string
    value?: unknown
    expression?: unknown
    quasis?: { value: { cooked: string | null } }[]
  }
  if (type === 'JSXExpressionContainer') return textOf(expression)
  if (type === 'Literal' && typeof value === 'string') return value
  return type === 'TemplateLiteral' && quasis?.length === 1 ? (quasis[0]?.value.cooked ?? undefined) : undefined
}

function formsOf(node: unknown): { one?: string; other?: string } {
  const { properties = [] } = (node ?? {}) as { properties?: { key?: unknown; value?: unknown }[] }
  const forms = properties.map(({ key, value }) => [nameOf(key) ?? textOf(key), textOf(value)] as const)
  return Object.fromEntries(forms)
}

function attributeOf({ attributes }: { attributes: unknown[] }, wanted: string): { value?: unknown } | undefined {
  return (attributes as { name?: unknown; value?: unknown }[]).find(({ name }) => nameOf(name) === wanted)
}

/** Whether there is a word in it that a language would have another one for. */
const isRead = (text: string): boolean =>
  (text.replace(/&\w+;/g, ' ').match(/\p{L}{2,}/gu) ?? []).some((word) => !NAMES.has(word))
