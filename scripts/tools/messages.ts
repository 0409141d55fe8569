import { glob, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseSync, Visitor } from 'rolldown/utils'
import { DEFAULT_LANGUAGE, LANGUAGES, type LanguageTag } from '@/lib/i18n/languages'
import type { Catalog, Message } from '@/lib/i18n/t'

type Sentence = {
  // Singular of a sentence that counts; it is filed under its plural.
  one?: string
  places: string[]
}

export type Sentences = {
  sentences: Map<string, Sentence>
  faults: string[]
}

const SOURCES = ['app/**/*.{ts,tsx}', 'components/**/*.{ts,tsx}', 'lib/browser/**/*.{ts,tsx}', 'lib/contract/*.ts']
const OVERLAYS = 'components/rpc/methods/*.overlay.json'
const NO_PAGE = /\.test\.|\/testing\/|^app\/api\/|^app\/global-error/
// Documentation is English in every language (docs/adr/0024); its frame is translated.
const ENGLISH = /^components\/docs\/|^app\/\(screens\)\/docs\//
const READ = new Set(
  'aria-label aria-description aria-roledescription aria-valuetext title placeholder alt label hint text heading'.split(
    ' ',
  ),
)
// Functions that need the language of the page, which is not known when a module is loaded.
const LATE = new Set(['t', 'plural', 'formatNumber', 'formatDate', 'language'])
const NAMES = new Set(
  'Base Solana Ethereum USDC DIEM JSON CSV MetaMask Phantom EVM Starknet Markdown ChatGPT Claude Lagoon TypeScript Python curl MB KB ms RPC Esc Enter Ctrl Alt Shift Tab API gwei wei'.split(
    ' ',
  ),
)

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

/**
 * Reads one file. Sentences are known by the names `t`, `msg`, `plural` (lib/i18n/t.ts) and `Sentence` (components/ui).
 */
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
      const name = identifierOf(node.callee)
      if (name === undefined) return
      if (LATE.has(name) && depth === 0) fault(node, `${name}() is called while the module loads`)
      const [first, second] = node.arguments
      const words = textOf(first)
      if ((name === 't' || name === 'msg') && words !== undefined) add(node, words)
      if (name === 'plural') {
        const { one, other } = pluralFormsOf(second)
        if (one === undefined || other === undefined) fault(node, 'plural() wants { one: "…", other: "…" }')
        else add(node, other, one)
      }
    },
    JSXOpeningElement(node) {
      if (identifierOf(node.name) !== 'Sentence') return
      const attribute = attributeOf(node, 'text')
      const words = textOf(attribute?.value)
      if (words !== undefined) add(node, words)
      if (attribute) ofSentences.add(attribute)
    },
    JSXAttribute(node) {
      const name = identifierOf(node.name)
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

function identifierOf(node: unknown): string | undefined {
  const { type, name } = (node ?? {}) as { type?: string; name?: unknown }
  return (type === 'Identifier' || type === 'JSXIdentifier') && typeof name === 'string' ? name : undefined
}

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

function pluralFormsOf(node: unknown): { one?: string; other?: string } {
  const { properties = [] } = (node ?? {}) as { properties?: { key?: unknown; value?: unknown }[] }
  const forms = properties.map(({ key, value }) => [identifierOf(key) ?? textOf(key), textOf(value)] as const)
  return Object.fromEntries(forms)
}

function attributeOf({ attributes }: { attributes: unknown[] }, wanted: string): { value?: unknown } | undefined {
  return (attributes as { name?: unknown; value?: unknown }[]).find(({ name }) => identifierOf(name) === wanted)
}

const isRead = (text: string): boolean =>
  (text.replace(/&\w+;/g, ' ').match(/\p{L}{2,}/gu) ?? []).some((word) => !NAMES.has(word))

export const TRANSLATED: LanguageTag[] = LANGUAGES.map(({ tag }) => tag).filter((tag) => tag !== DEFAULT_LANGUAGE)

const catalogFile = (root: string, tag: LanguageTag): string =>
  path.join(root, 'lib', 'i18n', 'messages', `${tag}.json`)

export const readCatalog = async (root: string, tag: LanguageTag): Promise<Catalog> =>
  JSON.parse(await readFile(catalogFile(root, tag), 'utf8'))

export async function writeCatalog(
  root: string,
  tag: LanguageTag,
  catalog: Catalog,
  { sentences }: Sentences,
): Promise<void> {
  const known = [...sentences.keys()].sort().flatMap((key) => (catalog[key] === undefined ? [] : [[key, catalog[key]]]))
  await writeFile(catalogFile(root, tag), `${JSON.stringify(Object.fromEntries(known), null, 2)}\n`)
}

export const missingIn = (catalog: Catalog, { sentences }: Sentences): string[] =>
  [...sentences.keys()].sort().filter((key) => catalog[key] === undefined)

/**
 * Lists the faults of a catalogue as `sentence: reason`: messages that are missing, unused or unlike their sentence.
 */
export function catalogFaults(tag: LanguageTag, catalog: Catalog, { sentences }: Sentences): string[] {
  const wanted = new Intl.PluralRules(tag).resolvedOptions().pluralCategories
  return Object.entries(catalog).flatMap(([key, message]) => {
    const sentence = sentences.get(key)
    if (!sentence) return [`${key}: is said nowhere`]
    const isCounted = sentence.one !== undefined
    if (isCounted !== (typeof message !== 'string')) return [`${key}: ${isCounted ? 'has' : 'wants'} no plural forms`]
    const missing = isCounted ? wanted.filter((category) => formOf(message, category) === undefined) : []
    return [
      ...missing.map((category) => `${key}: has no form for "${category}"`),
      ...formsOf(message).flatMap((form) => placeFaults(key, form, isCounted)),
    ]
  })
}

const formsOf = (message: Message): string[] => (typeof message === 'string' ? [message] : Object.values(message))

const formOf = (message: Message, category: Intl.LDMLPluralRule): string | undefined =>
  typeof message === 'string' ? message : message[category]

function placeFaults(key: string, form: string, isCounted: boolean): string[] {
  if (form.trim() === '') return [`${key}: is empty`]
  const wanted = placesOf(key)
  const given = placesOf(form)
  const lost = [...wanted].filter((place) => !given.has(place) && !(isCounted && place === '{count}'))
  const added = [...given].filter((place) => !wanted.has(place))
  return [...lost.map((place) => `${key}: lacks ${place}`), ...added.map((place) => `${key}: has ${place} of its own`)]
}

const placesOf = (text: string): Set<string> => new Set(text.match(/\{\w+\}|<\/?\w+\/?>/g) ?? [])
