import 'server-only'
import type { MarkedToken } from 'marked'
import {
  DOCS,
  type DocumentedOperation,
  ERRORS,
  errorCodeHref,
  type Found,
  guideHref,
  HEADERS,
  headerHref,
  headingId,
  plainText,
  REFERENCE,
  type Shape,
} from '@/lib/contract/docs'
import { ERROR_WORDS } from '@/lib/endpoints/docs/error-words'
import { type Guide, guides } from '@/lib/endpoints/docs/guides'
import { HEADERS as HEADER_WORDS } from '@/lib/endpoints/docs/openapi/headers'
import { reference } from '@/lib/endpoints/docs/reference'

type Entry = { title: string; place: string; href: string; text: string; label: string; all: string }

export const MAX_QUERY_CHARS = 200
const MOST_WORDS = 10
const SNIPPET_CHARS = 120

let index: Entry[] | undefined

/** Finds places that contain all words of a query, best first: by title, name of the place, then text. */
export function searchDocs(query: string, most: number): Found[] {
  const words = wordsOf(query)
  if (words.length === 0) return []
  index ??= makeIndex()
  const ranked = index.flatMap((entry) => {
    const rank = rankOf(entry, words)
    return rank === undefined ? [] : [{ entry, rank }]
  })
  // Of the same rank they stay in the order of the pages.
  return ranked
    .sort((one, other) => one.rank - other.rank)
    .slice(0, most)
    .map(({ entry }) => found(entry, words))
}

const wordsOf = (query: string): string[] =>
  query
    .slice(0, MAX_QUERY_CHARS)
    .toLowerCase()
    .split(/[\s/]+/)
    .filter(Boolean)
    .slice(0, MOST_WORDS)

function rankOf({ label, place, all }: Entry, words: readonly string[]): number | undefined {
  if (!words.every((word) => all.includes(word))) return undefined
  if (label.startsWith(words.join(' '))) return 0
  const parts = label.split(/[^\p{L}\p{N}_]+/u)
  if (words.every((word) => parts.some((part) => part.startsWith(word)))) return 1
  const head = `${label} ${place.toLowerCase()}`
  return words.every((word) => label.includes(word)) ? 2 : words.every((word) => head.includes(word)) ? 3 : 4
}

function found({ title, place, href, text, label }: Entry, words: readonly string[]): Found {
  const missing = words.find((word) => !label.includes(word))
  if (missing === undefined) return { title, place, href }
  const at = text.toLowerCase().indexOf(missing)
  if (at < 0) return { title, place, href }
  const from = Math.max(0, text.lastIndexOf(' ', Math.max(0, at - SNIPPET_CHARS / 3)))
  const snippet = text.slice(from, from + SNIPPET_CHARS).trim()
  return {
    title,
    place,
    href,
    snippet: `${from > 0 ? '… ' : ''}${snippet}${from + SNIPPET_CHARS < text.length ? ' …' : ''}`,
  }
}

function makeIndex(): Entry[] {
  const { groups } = reference()
  return [
    entry('Documentation', '', DOCS, 'start overview base url first call'),
    ...guides().flatMap(guideEntries),
    entry(
      'API reference',
      'Reference',
      REFERENCE,
      'authentication credentials base url versions limits openapi swagger',
    ),
    ...groups.flatMap(({ name, href, about, operations }) => [
      entry(name, 'Reference', href, about),
      ...operations.map(operationEntry),
    ]),
    entry('Errors', 'Reference', ERRORS, 'codes statuses shapes'),
    ...Object.entries(ERROR_WORDS).map(([code, words]) => entry(code, 'Error', errorCodeHref(code), words)),
    entry('Headers', 'Reference', HEADERS, 'response headers'),
    ...Object.entries(HEADER_WORDS).map(([name, { description }]) =>
      entry(name, 'Header', headerHref(name), description),
    ),
  ]
}

function entry(title: string, place: string, href: string, text: string): Entry {
  return { title, place, href, text, label: title.toLowerCase(), all: `${title} ${place} ${text}`.toLowerCase() }
}

function guideEntries({ slug, title, lead, tokens }: Guide): Entry[] {
  const parts = [{ title, href: guideHref(slug), text: lead }]
  for (const token of tokens) {
    if (token.type === 'heading') {
      parts.push({ title: plainText(token), href: `${guideHref(slug)}#${headingId(token)}`, text: '' })
      continue
    }
    const last = parts.at(-1)
    // Programs have every word many times.
    if (last && token.type !== 'code') last.text += ` ${textOf(token)}`
  }
  return parts.map((part, at) => entry(part.title, at === 0 ? 'Guide' : `Guide: ${title}`, part.href, part.text))
}

const textOf = (token: MarkedToken): string => token.raw.replace(/[`*|>#]+|\]\([^)]*\)|\[/g, ' ').replace(/\s+/g, ' ')

function operationEntry({ summary, method, path, href, about = '', parameters, body, id }: DocumentedOperation): Entry {
  const fields = [
    ...parameters.flatMap((list) => list.fields.map(({ name, about: words }) => `${name} ${words ?? ''}`)),
    ...(body?.forms ?? []).flatMap(({ shape }) => namesIn(shape)),
  ]
  return entry(summary, `${method} ${path}`, href, [id, about, ...new Set(fields)].join(' '))
}

function namesIn({ fields, forms }: Shape): string[] {
  return [
    ...fields.flatMap((field) => [`${field.name} ${field.about ?? ''}`, ...namesIn(field)]),
    ...forms.flatMap(namesIn),
  ]
}
