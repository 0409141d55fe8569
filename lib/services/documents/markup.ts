import { parseHTML } from 'linkedom'
import { ExtractionError } from './extraction-error.ts'
import { byteOrderMark } from './plain-text.ts'

/** Beyond these a page is not read. A tree takes some 500 bytes a node. */
const MOST_MARKUP_BYTES = 20 * 1024 * 1024
const MOST_TAGS = 200_000
/** Elements that are open at a time, by a count of tags: pages of the nineties forget to close some thousands. */
const MOST_OPEN = 20_000
/** Browsers nest 512 deep; what walks the tree by recursion gets no deeper ones. */
const MOST_DEPTH = 600
/** A declaration of the charset stands in the first bytes. Source: HTML, 4.2.5.4 (1024); pages do not keep to it. */
const CHARSET_WITHIN_BYTES = 4096

/** Markup as text: by its byte order mark, the declared charset, its own declaration, UTF-8. Broken bytes become `�`. */
export function decodeMarkup(bytes: Uint8Array, charset: string | undefined): string {
  if (bytes.length > MOST_MARKUP_BYTES) throw new ExtractionError('bomb')
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

/** @throws ExtractionError `bomb` when it has too many tags. */
export function parseMarkup(markup: string): Document {
  refuseGiant(markup)
  const whole = /<html[\s>]/i.test(markup) ? markup : `<!doctype html><html><head></head><body>${markup}</body></html>`
  return parseHTML(whole).document as unknown as Document
}

/** The parser takes quadratic time for what is open, so that is estimated before it is asked. */
function refuseGiant(markup: string): void {
  let tags = 0
  for (let at = markup.indexOf('<'); at >= 0; at = markup.indexOf('<', at + 1)) {
    if (++tags > MOST_TAGS) throw new ExtractionError('bomb')
  }
  let open = 0
  for (const [, slash, name] of markup.matchAll(/<(\/?)([a-z][a-z0-9]{0,20})/gi)) {
    if (UNCLOSED.has(name!.toLowerCase())) continue
    open = slash === '' ? open + 1 : Math.max(open - 1, 0)
    if (open > MOST_OPEN) throw new ExtractionError('bomb')
  }
}

/** XHTML closes empty elements in a way that HTML does not know: `<title/>` would swallow the chapter. */
export function closeEmptyElements(markup: string): string {
  return markup.replace(/<([a-z][\w:-]{0,40})((?:\s[^<>]{0,2000})?)\/>/gi, (tag, name: string, rest: string) =>
    VOID.has(name.toLowerCase()) ? tag : `<${name}${rest}></${name}>`,
  )
}

/** Closed by what follows them, or never open. */
const UNCLOSED = new Set(
  'area base br col dd dt embed hr img input li link meta option p source tbody td tfoot th thead tr track wbr'.split(
    ' ',
  ),
)
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))

/** Whether a tree is nested deeper than recursion should go. */
export function isTooDeep(root: Node): boolean {
  let depth = 0
  for (let node: Node | null = root.firstChild; node && node !== root; ) {
    if (node.firstChild) {
      if (++depth > MOST_DEPTH) return true
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
