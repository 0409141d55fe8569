import 'server-only'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Lexer, type MarkedToken } from 'marked'
import { type Heading, headingId, plainText } from '@/lib/contract/docs'
import { config } from '@/lib/kernel/config'

/** Files of `docs/guides`, in reading order. */
export const GUIDE_SLUGS = ['first-call', 'from-openai', 'streaming', 'media', 'wallets', 'rpc', 'operating'] as const

type GuideSlug = (typeof GUIDE_SLUGS)[number]

export type Guide = GuideText & { slug: GuideSlug }
export type GuideText = { title: string; lead: string; tokens: MarkedToken[]; headings: Heading[] }

const FOLDER = path.join('docs', 'guides')

const read = new Map<string, GuideText>()

export const guides = (): Guide[] => GUIDE_SLUGS.map((slug) => ({ slug, ...textOf(slug) }))

export const findGuide = (slug: string): Guide | undefined => guides().find((guide) => guide.slug === slug)

export const referenceText = (): GuideText => textOf('reference')

function textOf(name: string): GuideText {
  const known = process.env.NODE_ENV === 'development' ? undefined : read.get(name)
  const text = known ?? readText(name)
  read.set(name, text)
  return text
}

const ORIGIN = /\bORIGIN\b/g

function readText(name: string): GuideText {
  const { origin, root } = config()
  const source = readFileSync(path.join(root, FOLDER, `${name}.md`), 'utf8').replaceAll(ORIGIN, origin)
  // The lexer has no tokens of others: it is used without extensions.
  const [title, lead, ...tokens] = (new Lexer().lex(source) as MarkedToken[]).filter(({ type }) => type !== 'space')
  if (title?.type !== 'heading' || lead?.type !== 'paragraph') throw new Error(`${name}.md begins otherwise`)
  return { title: title.text, lead: lead.text, tokens, headings: headingsOf(tokens) }
}

const headingsOf = (tokens: readonly MarkedToken[]): Heading[] =>
  tokens.flatMap((token) =>
    token.type === 'heading' && (token.depth === 2 || token.depth === 3)
      ? [{ id: headingId(token), text: plainText(token), level: token.depth }]
      : [],
  )
