import { parseHTML } from 'linkedom'
import { ExtractionError } from './parser-protocol.ts'
import { byteOrderMark } from './plain-text.ts'

/** Beyond these a page is not read. A tree takes some 500 bytes a node. */
const MAX_MARKUP_BYTES = 20 * 1024 * 1024
const MAX_TAGS = 200_000
const MAX_OPEN = 20_000
const MAX_DEPTH = 600
/** The charset is declared in the first bytes. Source: HTML, 4.2.5.4 (1024); pages do not keep to it. */
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

/** Estimates what is open at a time, because the parser takes quadratic time for it. */
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

export function isTooDeep(root: Node): boolean {
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

export function following(node: Node, root: Node): Node | null {
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
