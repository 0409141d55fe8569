const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
  copy: '©',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  times: '×',
  rarr: '→',
  colon: ':',
  Tab: '\t',
  NewLine: '\n',
}
const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z][A-Za-z\d]{1,31}));/g
const LAST_CODE_POINT = 0x10ffff

/** Decodes character references. The result is text, and is never read as HTML. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(REFERENCE, (written, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? written) : askBrowser(written)
    return characterOf(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal))
  })
}

function characterOf(code: number): string {
  const isForbidden = code === 0 || code > LAST_CODE_POINT || (code >= 0xd800 && code <= 0xdfff)
  return isForbidden || isMark(code) ? '\uFFFD' : String.fromCodePoint(code)
}

/** The noncharacters that mark places: a text that names one would place a mark of its own. */
const isMark = (code: number) => code === 0xfdd0 || code === 0xfdd1

/** Asks the browser for one name. A document that is parsed this way runs nothing and loads nothing. */
function askBrowser(written: string): string {
  if (typeof DOMParser === 'undefined') return written
  return new DOMParser().parseFromString(written, 'text/html').documentElement.textContent ?? written
}
