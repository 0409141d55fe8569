import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import TurndownService from 'turndown'
import { ExtractionError, type ReadablePage } from './parser-protocol.ts'
import { byteOrderMark, cutText, dropInvisible, markdownTable, oneLine } from './text.ts'

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

// Beyond these a page is not read. A tree takes some 500 bytes a node.
const MAX_MARKUP_BYTES = 20 * 1024 * 1024
const MAX_TAGS = 200_000
const MAX_OPEN = 20_000
const MAX_DEPTH = 600
// The charset is declared in the first bytes. Source: HTML, 4.2.5.4 (1024); pages do not keep to it.
const CHARSET_WITHIN_BYTES = 4096

/**
 * Decodes markup by its byte order mark, the declared charset, its own declaration, or UTF-8. Broken bytes become `�`.
 */
export function decodeMarkup(bytes: Uint8Array, charset: string | undefined): string {
  if (bytes.length > MAX_MARKUP_BYTES) throw new ExtractionError('bomb')
  const head = Buffer.from(bytes.subarray(0, CHARSET_WITHIN_BYTES)).toString('latin1')
  const own = /<(?:meta|\?xml)[^>]{0,200}(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(head)?.[1]
  for (const label of [byteOrderMark(bytes), charset, own]) {
    // A declaration that could be read byte by byte was not in UTF-16.
    const name = label === own && /^utf-?16/i.test(own ?? '') ? undefined : label
    const decoder = name === undefined ? undefined : decoderOf(name)
    if (decoder) return decoder.decode(bytes)
  }
  return new TextDecoder().decode(bytes)
}

export function parseMarkup(markup: string): Document {
  refuseGiant(markup)
  const whole = /<html[\s>]/i.test(markup) ? markup : `<!doctype html><html><head></head><body>${markup}</body></html>`
  return parseHTML(whole).document as unknown as Document
}

// Estimates what is open at a time, because the parser takes quadratic time for it.
function refuseGiant(markup: string): void {
  let tags = 0
  for (let at = markup.indexOf('<'); at >= 0; at = markup.indexOf('<', at + 1)) {
    if (++tags > MAX_TAGS) throw new ExtractionError('bomb')
  }
  let open = 0
  for (const [, slash, name] of markup.matchAll(/<(\/?)([a-z][a-z0-9]{0,20})/gi)) {
    if (UNCLOSED.has(name!.toLowerCase())) continue
    open = slash === '' ? open + 1 : Math.max(open - 1, 0)
    if (open > MAX_OPEN) throw new ExtractionError('bomb')
  }
}

export function closeEmptyElements(markup: string): string {
  return markup.replace(/<([a-z][\w:-]{0,40})((?:\s[^<>]{0,2000})?)\/>/gi, (tag, name: string, rest: string) =>
    VOID.has(name.toLowerCase()) ? tag : `<${name}${rest}></${name}>`,
  )
}

const UNCLOSED = new Set(
  'area base br col dd dt embed hr img input li link meta option p source tbody td tfoot th thead tr track wbr'.split(
    ' ',
  ),
)
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))

function isTooDeep(root: Node): boolean {
  let depth = 0
  for (let node: Node | null = root.firstChild; node && node !== root; ) {
    if (node.firstChild) {
      if (++depth > MAX_DEPTH) return true
      node = node.firstChild
      continue
    }
    while (node && node !== root && !node.nextSibling) {
      node = node.parentNode
      depth--
    }
    node = node === root ? null : (node?.nextSibling ?? null)
  }
  return false
}

function decoderOf(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label)
  } catch {
    return
  }
}

const DROPPED =
  'script,style,noscript,template,iframe,frame,object,embed,applet,svg,math annotation,canvas,audio,video,map,dialog:not([open]),' +
  'input,select,textarea,button,link,meta,base,[hidden],[aria-hidden="true"]'
const HIDING =
  /(?:^|[;{\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0*(?:\.0+)?(?=[;!}\s]|$)|font-size\s*:\s*0*(?:\.0+)?(?:px|pt|em|rem|%)?(?=[;!}\s]|$))/i
const MAX_STYLESHEET_CHARS = 200_000
const MAX_HIDDEN_NAMES = 5_000
const COMMENT_NODE = 8

/**
 * Removes scripts, comments and hidden elements, where instructions to a model may be hidden. Style sheets count as far
 * as they hide single classes and ids.
 */
export function dropHidden(document: Document): void {
  const { classes, ids } = hiddenNames(document)
  const doomed: Element[] = [...document.querySelectorAll(DROPPED)]
  for (const element of document.querySelectorAll('[style],[class],[id]')) {
    const style = element.getAttribute('style')
    const isHidden =
      (style !== null && HIDING.test(style.slice(0, 2_000))) ||
      (ids.size > 0 && ids.has(element.getAttribute('id') ?? '')) ||
      (classes.size > 0 && (element.getAttribute('class') ?? '').split(/\s+/).some((name) => classes.has(name)))
    if (isHidden && element !== document.body && element !== document.documentElement) doomed.push(element)
  }
  for (const element of doomed) element.remove()
  dropComments(document)
}

function dropComments(root: Node): void {
  const comments: Node[] = []
  for (let node: Node | null = root; node; node = following(node, root)) {
    if (node.nodeType === COMMENT_NODE) comments.push(node)
  }
  for (const comment of comments) comment.parentNode?.removeChild(comment)
}

function following(node: Node, root: Node): Node | null {
  if (node.firstChild) return node.firstChild
  let at: Node | null = node
  while (at && at !== root) {
    if (at.nextSibling) return at.nextSibling
    at = at.parentNode
  }
  return null
}

function hiddenNames(document: Document): { classes: Set<string>; ids: Set<string> } {
  const classes = new Set<string>()
  const ids = new Set<string>()
  for (const style of document.querySelectorAll('style')) {
    for (const { selector, body } of topRules((style.textContent ?? '').slice(0, MAX_STYLESHEET_CHARS))) {
      if (!HIDING.test(body)) continue
      for (const part of selector.split(',')) {
        const match = /^\s*([.#])([\w-]{1,100})\s*$/.exec(part)
        const names = match?.[1] === '.' ? classes : ids
        if (match && names.size < MAX_HIDDEN_NAMES) names.add(match[2]!)
      }
    }
  }
  return { classes, ids }
}

function* topRules(css: string): Generator<{ selector: string; body: string }> {
  const plain = withoutComments(css)
  let depth = 0
  let start = 0
  let open = 0
  for (let i = 0; i < plain.length; i++) {
    if (plain[i] === '{' && depth++ === 0) open = i
    else if (plain[i] === '}' && depth > 0 && --depth === 0) {
      const selector = plain.slice(start, open)
      if (!selector.includes('@')) yield { selector, body: plain.slice(open + 1, i) }
      start = i + 1
    }
  }
}

function withoutComments(css: string): string {
  const [first = '', ...rest] = css.split('/*')
  const after = rest.map((piece) => (piece.includes('*/') ? piece.slice(piece.indexOf('*/') + 2) : ''))
  return [first, ...after].join(' ')
}
