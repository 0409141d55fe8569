'use client'

import { ImageOff } from 'lucide-react'
import type { MarkedToken, Token } from 'marked'
import { createContext, createElement, Fragment, type ReactNode, use } from 'react'
import { CitationChip } from '@/components/markdown/citations/citation-chip'
import { webAddress } from '@/components/markdown/citations/sources'
import { decodeEntities } from '@/components/markdown/entities'
import { Formula, type FormulaSource, hasMark, markOf, splitAtMarks } from '@/components/markdown/formulas'
import { t } from '@/lib/i18n/t'

export type RenderContext = { formulas: FormulaSource[]; notes: string[]; shift: number }

export function Inline({ tokens, context }: { tokens: Token[]; context: RenderContext }) {
  return drawTokens(tokens as MarkedToken[], context)
}

function drawTokens(tokens: MarkedToken[], context: RenderContext): ReactNode[] {
  const nodes: ReactNode[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]
    if (!token) continue
    const tag = token.type === 'html' ? plainTag(token.text) : undefined
    const end = tag
      ? tokens.findIndex((other, index) => index > at && other.type === 'html' && isEndOf(other.text, tag))
      : -1
    if (tag && end > 0) {
      nodes.push(createElement(tag, { key: at }, drawTokens(tokens.slice(at + 1, end), context)))
      at = end
    } else nodes.push(<Fragment key={at}>{drawToken(token, context)}</Fragment>)
  }
  return nodes
}

function drawToken(token: MarkedToken, context: RenderContext): ReactNode {
  switch (token.type) {
    case 'text':
      return withMarks(decodeEntities(token.text), context)
    case 'escape':
      return withMarks(token.text, context)
    case 'strong':
      return <strong>{drawTokens(token.tokens as MarkedToken[], context)}</strong>
    case 'em':
      return <em>{drawTokens(token.tokens as MarkedToken[], context)}</em>
    case 'del':
      return <del>{drawTokens(token.tokens as MarkedToken[], context)}</del>
    case 'codespan':
      return <code>{restored(token.text, context.formulas)}</code>
    case 'br':
      return <br />
    case 'link':
      return (
        <WebLink href={token.autolink ? token.href : addressOf(token.href, context)}>
          {drawTokens(token.tokens as MarkedToken[], context)}
        </WebLink>
      )
    case 'image':
      return (
        <ModelImage src={addressOf(token.href, context)} alt={restored(decodeEntities(token.text), context.formulas)} />
      )
    // Task lists: the box of a list that nobody can tick is a picture, not a field.
    case 'checkbox':
      return (
        <span role="img" aria-label={token.checked ? t('Done') : t('To do')} className="me-2 text-accent">
          {token.checked ? '☑' : '☐'}
        </span>
      )
    case 'html':
      return isLineBreak(token.text) ? <br /> : htmlText(restored(token.text, context.formulas))
    default:
      return restored(token.raw, context.formulas)
  }
}

const addressOf = (href: string, { formulas }: RenderContext) => decodeEntities(restored(href, formulas))

function withMarks(text: string, { formulas, notes }: RenderContext): ReactNode {
  const nodes = withNotes(text, notes)
  if (!hasMark(nodes)) return nodes
  const pieces = splitAtMarks(nodes)
  return pieces.map((piece, at) => {
    if (at % 3 === 0) return piece
    // A mark is two pieces, of which the first says what it is.
    return at % 3 === 1 ? null : (
      // biome-ignore lint/suspicious/noArrayIndexKey: words are only ever added at the end
      <Marked key={at} kind={pieces[at - 1] ?? ''} index={Number(piece)} formulas={formulas} />
    )
  })
}

type MarkedProps = { kind: string; index: number; formulas: FormulaSource[] }

function Marked({ kind, index, formulas }: MarkedProps) {
  if (kind === 'c') return <CitationChip index={index} />
  if (kind === 'n') return <NoteMark number={index} />
  const formula = formulas[index]
  return formula ? <Formula {...formula} /> : null
}

const NOTE = /\[\^([^\]\s]{1,60})\]/g

function withNotes(text: string, notes: string[]): string {
  if (!text.includes('[^')) return text
  return text.replace(NOTE, (written, label: string) => {
    const at = notes.indexOf(label)
    if (at >= 0) return markOf('n', at + 1)
    return /^\d{1,3}$/.test(label) ? markOf('n', Number(label)) : written
  })
}

/** Restores plain text: formulas are what they were written as, other marks go. */
export function restored(text: string, formulas: FormulaSource[]): string {
  if (!hasMark(text)) return text
  const pieces = splitAtMarks(text)
  return pieces
    .map((piece, at) =>
      at % 3 === 0 ? piece : at % 3 === 2 && pieces[at - 1] === 'm' ? (formulas[Number(piece)]?.source ?? '') : '',
    )
    .join('')
}

/** Tags that people write between words, and that only say how these look. */
const PLAIN_TAG = /^<(sub|sup|kbd|mark|u|ins|small|b|i|em|strong|s|del)>$/i
const LINE_BREAK = /^<br\s*\/?>$/i
const COMMENT = /^<!--[\s\S]*-->$/

type PlainTag = 'sub' | 'sup' | 'kbd' | 'mark' | 'u' | 'ins' | 'small' | 'b' | 'i' | 'em' | 'strong' | 's' | 'del'

/** Shows HTML as it was written, but for comments. */
export const htmlText = (html: string): string => (COMMENT.test(html.trim()) ? '' : html)

const isLineBreak = (html: string): boolean => LINE_BREAK.test(html)

const plainTag = (html: string): PlainTag | undefined =>
  PLAIN_TAG.exec(html)?.[1]?.toLowerCase() as PlainTag | undefined

const isEndOf = (html: string, tag: PlainTag): boolean => html.toLowerCase() === `</${tag}>`

export const NotesContext = createContext('')

function NoteMark({ number }: { number: number }) {
  const idPrefix = use(NotesContext)
  const goThere = () => {
    const note = document.getElementById(`${idPrefix}${number}`)
    note?.scrollIntoView({ block: 'nearest' })
    note?.focus({ preventScroll: true })
  }
  return (
    <sup>
      <button type="button" aria-label={t('Footnote {number}', { number })} onClick={goThere} className="note-mark">
        {number}
      </button>
    </sup>
  )
}

/** Links to the web from a model's text, without a referrer or an opener. */
function WebLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const address = webAddress(href)
  if (!address) return <span>{children}</span>
  return (
    <a href={address.href} target="_blank" rel="noopener noreferrer" title={address.host}>
      {children}
    </a>
  )
}

type ModelImageProps = { src: string | undefined; alt: string | undefined }

/** Shows an image elsewhere as a link: loading it would tell its server who reads the text. */
function ModelImage({ src, alt }: ModelImageProps) {
  const address = webAddress(src)
  if (isDataImage(src)) {
    // biome-ignore lint/performance/noImgElement: its bytes are here already
    return <img src={src} alt={alt || t('Image in the answer')} className="max-h-[32rem] max-w-full rounded-card" />
  }
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 rounded-chip border border-line px-2.5 text-14 text-ink-2">
      <ImageOff aria-hidden="true" className="size-4 shrink-0" strokeWidth={1.5} />
      {address ? (
        <WebLink href={src}>{alt || t('Image on {host}', { host: address.host })}</WebLink>
      ) : (
        <span>{alt || t('Image')}</span>
      )}
    </span>
  )
}

const MAX_DATA_IMAGE_CHARS = 2_800_000
const DATA_IMAGE = /^data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z\d+/]+={0,2}$/

/** True for kinds of image that cannot hold anything but pixels. */
function isDataImage(address: string | undefined): boolean {
  return address !== undefined && address.length <= MAX_DATA_IMAGE_CHARS && DATA_IMAGE.test(address)
}
