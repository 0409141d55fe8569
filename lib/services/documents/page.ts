import { Readability } from '@mozilla/readability'
import { ExtractionError } from './extraction-error.ts'
import { dropHidden } from './hidden-content.ts'
import { oneLine } from './markdown.ts'
import { decodeMarkup, isTooDeep, parseMarkup } from './markup.ts'
import { flatText, pageMarkdown } from './page-markdown.ts'
import type { ReadablePage } from './parser-protocol.ts'
import { cutText, dropInvisible } from './text-cut.ts'

/** Pages with more elements are taken whole: finding the article in them takes too long. */
const MOST_ARTICLE_ELEMENTS = 40_000
/** An article that is shorter than this, out of a page that is much longer, was not the article. */
const SHORTEST_ARTICLE_CHARS = 200
const LONGEST_TITLE = 300
/** Bound on the Markdown of one page. */
const LONGEST_CONTENT = 2_000_000

/**
 * The readable part of a page, as Markdown: what it is about without navigation, or all of it where no article is found.
 *
 * @throws ExtractionError `bomb` or `empty`.
 */
export function readPage(bytes: Uint8Array, { url, charset }: { url?: string; charset?: string }): ReadablePage {
  // Control characters would pass for the marks between cells.
  const document = parseMarkup(dropInvisible(decodeMarkup(bytes, charset)))
  const title = pageTitle(document)
  const date = pageDate(document)
  dropHidden(document)
  const markdown = articleMarkdown(document, url)
  const content = cutText(dropInvisible(markdown), LONGEST_CONTENT).text.trim()
  if (content === '') throw new ExtractionError('empty')
  return { title, content, date }
}

function articleMarkdown(document: Document, url: string | undefined): string {
  const { body } = document
  if (!body) return ''
  if (isTooDeep(body)) return flatText(body)
  const elements = body.querySelectorAll('*').length
  const whole = pageMarkdown(body, url)
  if (elements > MOST_ARTICLE_ELEMENTS || whole === '') return whole
  const article = findArticle(document)
  const markdown = article && pageMarkdown(article, url)
  const isShort = !markdown || (markdown.length < SHORTEST_ARTICLE_CHARS && markdown.length * 2 < whole.length)
  return isShort ? whole : markdown
}

/** Takes the document apart. */
function findArticle(document: Document): Element | undefined {
  try {
    const article = new Readability<Element>(document, {
      disableJSONLD: true,
      maxElemsToParse: MOST_ARTICLE_ELEMENTS,
      serializer: (node) => node as Element,
    }).parse()
    return article?.content ?? undefined
  } catch {
    // It gives up on pages that are not built as it expects; the whole body is the answer then.
    return
  }
}

function pageTitle(document: Document): string {
  const meta = document.querySelector('meta[property="og:title"]')?.getAttribute('content')
  const own = document.querySelector('title')?.textContent
  const heading = document.querySelector('h1')?.textContent
  const title = [own, meta, heading].map((text) => oneLine(dropInvisible(text ?? '')).replace(/\s+/g, ' '))
  return (title.find((text) => text !== '') ?? '').slice(0, LONGEST_TITLE)
}

/** Where pages say when they were published, the most reliable first. */
const META = [
  'meta[property="article:published_time"]',
  'meta[itemprop="datePublished"]',
  'meta[name="date" i]',
  'meta[name="pubdate" i]',
  'meta[name="publish-date" i]',
  'meta[name="dc.date" i]',
  'meta[name="dc.date.issued" i]',
  'meta[name="dcterms.created" i]',
  'meta[property="og:published_time"]',
]
const LINKED_DATA = /"datePublished"\s*:\s*"([^"]{8,40})"/
const MOST_LINKED_DATA_CHARS = 200_000
const EARLIEST_YEAR = 1990

/** The day a page was published, as `2026-07-18`; empty where it does not say. */
function pageDate(document: Document): string {
  for (const selector of META) {
    const day = isoDay(document.querySelector(selector)?.getAttribute('content'))
    if (day !== '') return day
  }
  for (const script of document.querySelectorAll('script[type="application/ld+json"]')) {
    const day = isoDay(LINKED_DATA.exec((script.textContent ?? '').slice(0, MOST_LINKED_DATA_CHARS))?.[1])
    if (day !== '') return day
  }
  const time = document.querySelector(
    'time[itemprop="datePublished"],time[pubdate],article time[datetime],time[datetime]',
  )
  return isoDay(time?.getAttribute('datetime'))
}

function isoDay(value: string | null | undefined): string {
  const text = value?.trim().slice(0, 40) ?? ''
  const own = /^(\d{4}-\d{2}-\d{2})(?!\d)/.exec(text)?.[1]
  const at = Date.parse(own ?? text)
  if (text === '' || Number.isNaN(at)) return ''
  const day = new Date(at).toISOString().slice(0, 10)
  return Number(day.slice(0, 4)) >= EARLIEST_YEAR && day.length === 10 ? day : ''
}
