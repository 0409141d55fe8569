import { Readability } from '@mozilla/readability'
import TurndownService from 'turndown'
import { markdownTable, oneLine } from './markdown.ts'
import { decodeMarkup, dropHidden, following, isTooDeep, parseMarkup } from './markup.ts'
import type { ReadablePage } from './parser-protocol.ts'
import { ExtractionError } from './parser-protocol.ts'
import { cutText, dropInvisible } from './text-sink.ts'

const MAX_ARTICLE_ELEMENTS = 40_000
const MIN_ARTICLE_CHARS = 200
const MAX_TITLE_CHARS = 300
const MAX_CONTENT_CHARS = 2_000_000

/**
 * Reads the article of a page as Markdown, or the whole page where none is found.
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
  const content = cutText(dropInvisible(markdown), MAX_CONTENT_CHARS).text.trim()
  if (content === '') throw new ExtractionError('empty')
  return { title, content, date }
}

function articleMarkdown(document: Document, url: string | undefined): string {
  const { body } = document
  if (!body) return ''
  if (isTooDeep(body)) return flatText(body)
  const elements = body.querySelectorAll('*').length
  const whole = pageMarkdown(body, url)
  if (elements > MAX_ARTICLE_ELEMENTS || whole === '') return whole
  const article = findArticle(document)
  const markdown = article && pageMarkdown(article, url)
  const isShort = !markdown || (markdown.length < MIN_ARTICLE_CHARS && markdown.length * 2 < whole.length)
  return isShort ? whole : markdown
}

function findArticle(document: Document): Element | undefined {
  try {
    const article = new Readability<Element>(document, {
      disableJSONLD: true,
      maxElemsToParse: MAX_ARTICLE_ELEMENTS,
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
  return (title.find((text) => text !== '') ?? '').slice(0, MAX_TITLE_CHARS)
}

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
const MAX_LINKED_DATA_CHARS = 200_000
const MIN_YEAR = 1990

function pageDate(document: Document): string {
  for (const selector of META) {
    const day = isoDay(document.querySelector(selector)?.getAttribute('content'))
    if (day !== '') return day
  }
  for (const script of document.querySelectorAll('script[type="application/ld+json"]')) {
    const day = isoDay(LINKED_DATA.exec((script.textContent ?? '').slice(0, MAX_LINKED_DATA_CHARS))?.[1])
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
  return Number(day.slice(0, 4)) >= MIN_YEAR && day.length === 10 ? day : ''
}

const TEXT_NODE = 3
const MAX_URL_CHARS = 2_000
const MAX_TABLE_ROWS = 5_000
const MAX_ITEMS = 1_000
const BLOCKS = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BR DD DIV DL DT FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HR LI MAIN NAV OL P PRE SECTION TABLE TR UL'.split(
    ' ',
  ),
)

/** Writes a part of a page as Markdown. Links are made absolute; those that lead nowhere keep only their text. */
export function pageMarkdown(root: Element, baseUrl: string | undefined): string {
  if (isTooDeep(root)) return flatText(root)
  return createConverter(baseUrl)
    .turndown(root as HTMLElement)
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function flatText(root: Node): string {
  const pieces: string[] = []
  for (let node: Node | null = root; node; node = following(node, root)) {
    if (node.nodeType === TEXT_NODE) pieces.push((node.textContent ?? '').replace(/\s+/g, ' '))
    else if (BLOCKS.has(node.nodeName.toUpperCase())) pieces.push('\n')
  }
  const lines = pieces.join('').split('\n')
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
}

function safeUrl(href: string | null, baseUrl: string | undefined): string | undefined {
  if (href === null || href.length > MAX_URL_CHARS || !URL.canParse(href, baseUrl)) return
  const url = new URL(href, baseUrl)
  if (!['http:', 'https:', 'mailto:'].includes(url.protocol)) return
  return url.href.replace(/\(/g, '%28').replace(/\)/g, '%29')
}

function createConverter(baseUrl: string | undefined): TurndownService {
  const converter = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' })
  // A model reads the text as it is; backslashes would only keep it from being quoted.
  converter.escape = (text) => text
  converter.addRule('link', {
    filter: 'a',
    replacement: (content, node) => {
      const url = safeUrl((node as Element).getAttribute('href'), baseUrl)
      const isWithinPage = url !== undefined && baseUrl !== undefined && sameDocument(url, baseUrl)
      const label = oneLine(content)
      return label === '' ? '' : url === undefined || isWithinPage ? content : `[${label}](${url})`
    },
  })
  converter.addRule('image', {
    filter: 'img',
    replacement: (_content, node) => {
      const url = safeUrl((node as Element).getAttribute('src'), baseUrl)
      const label = oneLine((node as Element).getAttribute('alt') ?? '').slice(0, 300)
      return label === '' || url === undefined ? '' : `![${label.replace(/[[\]]/g, '')}](${url})`
    },
  })
  converter.addRule('item', {
    filter: 'li',
    replacement: (content, node) => `${itemMark(node as Element)} ${content.trim().replace(/\n/g, '\n  ')}\n`,
  })
  converter.addRule('table', { filter: 'table', replacement: (content, node) => tableText(content, node as Element) })
  // Inside a table only the cells' own Markdown is used, which their rows hand on.
  converter.addRule('cell', { filter: ['td', 'th'], replacement: (content) => `${oneLine(content)}${CELL_END}` })
  converter.addRule('row', { filter: 'tr', replacement: (content) => `${content.replaceAll('\n', ' ')}${ROW_END}` })
  return converter
}

function itemMark({ parentElement, previousElementSibling }: Element): string {
  if (parentElement?.nodeName !== 'OL') return '-'
  const start = Number.parseInt(parentElement.getAttribute('start') ?? '1', 10)
  let number = Number.isSafeInteger(start) ? start : 1
  for (let item = previousElementSibling; item && number < MAX_ITEMS; item = item.previousElementSibling) number++
  return `${number}.`
}

// Characters that no text has: they are taken out of every document.
const CELL_END = '\u0001'
const ROW_END = '\u0002'

function tableText(content: string, table: Element): string {
  const rows = content
    .split(ROW_END)
    .slice(0, MAX_TABLE_ROWS)
    .map((row) => row.split(CELL_END).map((cell) => cell.trim()))
    .map((cells) => cells.slice(0, -1))
    .filter((cells) => cells.some((cell) => cell !== ''))
  const isData = rows.length > 0 && rows.some((cells) => cells.length > 1) && !table.querySelector('table')
  const text = isData ? markdownTable(rows) : rows.map((cells) => cells.filter(Boolean).join('\n\n')).join('\n\n')
  return `\n\n${text}\n\n`
}

function sameDocument(url: string, baseUrl: string): boolean {
  const at = url.indexOf('#')
  return at >= 0 && url.slice(0, at) === (URL.parse(baseUrl)?.href.split('#')[0] ?? '')
}
