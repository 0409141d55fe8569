import { readdirSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { onePagePdf, packed, pngOf, rawPdf, rawZip, zip64With } from '@/lib/services/documents/testing/bombs'
import { docx, docxFiles, epub, odt, paragraph, rtf, xlsx, zip } from '@/lib/services/documents/testing/documents'
import { type ExtractionError, extractText, parserPool } from '@/lib/services/documents/text-parser'

/** Memory of one parser process, and what it can add between two looks of its watchdog. */
const MAX_CHILD_BYTES = 900 * 1024 * 1024

const signal = new AbortController().signal
let largestChild = 0
const sampler = setInterval(() => {
  largestChild = Math.max(largestChild, ...childrenResident())
}, 100)

beforeAll(async () => {
  // What is recognised on pictures is not looked at here.
  vi.stubEnv('EMBEDDED_MODELS', 'off')
  await extractText({ bytes: docx(paragraph('warm')) }, { signal, maxChars: 10 })
})
afterAll(() => {
  clearInterval(sampler)
  parserPool().close()
})

const outcomeOf = (bytes: Uint8Array, maxChars = 200_000) =>
  extractText({ bytes }, { signal, maxChars }).then(
    ({ text, isTruncated }) => `${isTruncated ? 'cut ' : ''}text: ${text.slice(0, 20)}`,
    (error: ExtractionError) => error.reason,
  )

const MB = 1_000_000
const spaces = (length: number) => Buffer.alloc(length, ' ')
const xml = (text: string) => docx('', { files: { 'word/document.xml': text } })
const laughs = `<!DOCTYPE x [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, i) => `<!ENTITY ${'bcdefghij'[i]} "${`&${'abcdefghi'[i]};`.repeat(10)}">`).join('')}]>`
const parts = (document: Uint8Array) => {
  const { 'word/document.xml': _, ...rest } = docxFiles('')
  const others = Object.entries(rest).map(([name, data]) => ({ name, data: Buffer.from(data as string) }))
  return [...others, { name: 'word/document.xml', data: document }]
}
const words = Buffer.from(`<w:document><w:body>${paragraph('x')}</w:body></w:document>`)
const text = (length: number) => Buffer.alloc(length, 'BT /F 9 Tf (a) Tj ET\n')
const image = (size: string, stream: Uint8Array) =>
  onePagePdf({ dictionary: '', stream: Buffer.from('q 600 0 0 800 0 0 cm /I Do Q') }, '/XObject << /I 5 0 R >>', [
    packed(stream, 1, `/Type /XObject /Subtype /Image ${size} /BitsPerComponent 8 /ColorSpace /DeviceRGB`),
  ])
const form = (content: string) => ({
  dictionary: '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /A 5 0 R /B 6 0 R >> >>',
  stream: Buffer.from(content),
})

const BOMBS: [string, () => Uint8Array, RegExp][] = [
  ['ZIP: an entry of 16 MB of blanks', () => zip({ ...docxFiles(''), 'word/document.xml': spaces(16 * MB) }), /bomb/],
  [
    'ZIP: 7 MB of empty paragraphs',
    () => xml(`<w:document><w:body>${'<w:p/>'.repeat(1.2 * MB)}</w:body></w:document>`),
    /bomb/,
  ],
  [
    'ZIP: an archive in the place of the text',
    () => docx('', { files: { 'word/document.xml': zip({ a: spaces(MB) }) } }),
    /corrupt/,
  ],
  [
    'ZIP: entries that share their bytes',
    () =>
      rawZip([
        ...parts(words),
        ...Array.from({ length: 50 }, (_, i) => ({ name: `word/${i}.xml`, data: words, sharesWith: 0 })),
      ]),
    /bomb/,
  ],
  [
    'ZIP: 3,000 entries',
    () => rawZip(Array.from({ length: 3_000 }, (_, i) => ({ name: `${i}`, data: new Uint8Array() }))),
    /bomb/,
  ],
  ['ZIP: claims a million entries', () => zip64With(1_000_000n), /bomb|corrupt/],
  ['ZIP: claims 2^60 entries', () => zip64With(2n ** 60n), /bomb|corrupt/],
  ['ZIP: claims fewer entries than there are', () => rawZip(parts(words), 1), /corrupt|unsupported/],
  [
    'ZIP: an entry longer than it claims',
    () => rawZip(parts(Buffer.concat([words, spaces(MB)])).map((entry) => ({ ...entry, claimedSize: 10 }))),
    /corrupt/,
  ],
  ['ZIP: an encrypted entry', () => rawZip(parts(words).map((entry) => ({ ...entry, flags: 1 }))), /encrypted/],
  [
    'ZIP: names that leave the archive',
    () => rawZip([...parts(words), { name: '../../../tmp/x', data: words }]),
    /corrupt/,
  ],
  ['XML: entities that grow ten times each', () => xml(`${laughs}<w:document>&j;</w:document>`), /bomb/],
  [
    'XML: an entity that is a file',
    () => xml('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'),
    /bomb/,
  ],
  ['XML: 100,000 levels', () => xml(`<w:document>${'<w:p>'.repeat(100_000)}`), /bomb/],
  ['XML: one name of 2 MB', () => xml(`<${'a'.repeat(2 * MB)}/>`), /corrupt|empty|bomb/],
  [
    'XML: 50,000 attributes',
    () => xml(`<a ${Array.from({ length: 50_000 }, (_, i) => `b${i}="1"`).join(' ')}/>`),
    /empty|bomb/,
  ],
  ['ODT: 16 MB of blanks', () => odt('', { files: { 'content.xml': spaces(16 * MB) } }), /bomb/],
  [
    'ODT: entities that grow ten times each',
    () => odt('', { files: { 'content.xml': `${laughs}<x>&j;</x>` } }),
    /bomb/,
  ],
  ['ODT: 100,000 lists in lists', () => odt('<text:list><text:list-item>'.repeat(100_000)), /bomb/],
  ['ODT: cut off in the middle', () => odt('<text:p>x</text:p>').slice(0, 300), /corrupt/],
  ['ODT: XML that breaks off', () => odt('', { files: { 'content.xml': '<a><body><text><p>x' } }), /corrupt/],
  [
    'ODT: a cell that repeats a billion times, of a billion blanks',
    () =>
      odt(
        '<table:table><table:table-row><table:table-cell table:number-columns-repeated="1000000000"><text:p>x<text:s text:c="1000000000"/>y</text:p></table:table-cell></table:table-row></table:table>',
      ),
    /^text: \| x/,
  ],
  [
    'ODT: a million notes',
    () => odt(`<text:p>${'<text:note-body>a</text:note-body>'.repeat(MB)}</text:p>`),
    /^cut text: \[\^1\]/,
  ],
  ['RTF: 20 million open groups', () => Buffer.from(`{\\rtf1${'{'.repeat(20 * MB)}`), /bomb/],
  ['RTF: 100,000 groups in groups', () => rtf(`${'{\\b '.repeat(100_000)}x${'}'.repeat(100_000)}`), /bomb/],
  ['RTF: 2 million groups one after the other', () => rtf('{\\b x}'.repeat(2 * MB)), /^cut text: x/],
  ['RTF: a command of a million letters', () => rtf(`\\${'a'.repeat(MB)}`), /text: a/],
  ['RTF: 2 GB of bytes that are not there', () => rtf('x\\bin2147483647 '), /^text: x/],
  ['RTF: 4 million empty paragraphs', () => rtf('\\par'.repeat(4 * MB)), /empty/],
  ['RTF: a fallback of a billion characters', () => rtf(`\\uc1000000000\\u65?${'x'.repeat(200)}`), /^text: A/],
  [
    'RTF: a row of a million cells, and a million rows',
    () => rtf(`\\intbl${' x\\cell'.repeat(MB)}\\row${'\\cell\\row'.repeat(MB)}`),
    /text: \||bomb/,
  ],
  ['RTF: a million fonts', () => rtf(`{\\fonttbl${'{\\f9\\fcharset204 x;}'.repeat(MB)}}x`), /^text: x/],
  ['RTF: a million notes', () => rtf('{\\footnote x}'.repeat(MB)), /text: \[\^1\]/],
  [
    'RTF: a million links in links',
    () => rtf('{\\field{\\*\\fldinst HYPERLINK "http://a.example"}{\\fldrslt x}}'.repeat(200_000)),
    /^cut text: \[x\]/,
  ],
  [
    'DOCX: a cell that spans a billion columns',
    () =>
      docx(
        `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="1000000000"/></w:tcPr>${paragraph('x')}</w:tc></w:tr></w:tbl>`,
      ),
    /^text/,
  ],
  [
    'DOCX: a style based on itself',
    () =>
      docx(paragraph('x', '<w:pStyle w:val="A"/>'), {
        files: { 'word/styles.xml': '<w:styles><w:style w:styleId="A"><w:basedOn w:val="A"/></w:style></w:styles>' },
      }),
    /^text/,
  ],
  [
    'DOCX: 80 tables in tables',
    () => docx(`${'<w:tbl><w:tr><w:tc>'.repeat(80)}${paragraph('deep')}${'</w:tc></w:tr></w:tbl>'.repeat(80)}`),
    /^text|bomb/,
  ],
  [
    'XLSX: a million cells',
    () => xlsx({ S: `<row>${'<c><v>1</v></c>'.repeat(100)}</row>`.repeat(10_000) }),
    /bomb|text/,
  ],
  [
    'XLSX: cells in the last column',
    () => xlsx({ S: '<row><c r="XFD1"><v>1</v></c><c r="A1"><v>2</v></c></row>'.repeat(50_000) }),
    /bomb|text/,
  ],
  [
    'XLSX: more than a million texts',
    () => xlsx({ S: '<row><c t="s"><v>0</v></c></row>' }, { strings: ['<si><t>a</t></si>'.repeat(1_100_000)] }),
    /bomb/,
  ],
  ['EPUB: a chapter of a million elements', () => epub([`<p>${'<b>x</b>'.repeat(MB)}</p>`]), /bomb/],
  ['EPUB: a chapter 50,000 deep', () => epub([`${'<div>'.repeat(50_000)}deep`]), /text|bomb/],
  [
    'PDF: a stream of 280 MB, packed twice',
    () =>
      onePagePdf(packed(text(280 * MB), 2), '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>'),
    /bomb|text/,
  ],
  ['PDF: 12 MB of blanks', () => onePagePdf(packed(spaces(12 * MB), 2)), /bomb|empty/],
  [
    'PDF: forms that paint each other',
    () =>
      onePagePdf({ dictionary: '', stream: Buffer.from('/A Do') }, '/XObject << /A 5 0 R >>', [
        form('/B Do /B Do'),
        form('/A Do /A Do'),
      ]),
    /empty|corrupt|bomb/,
  ],
  [
    'PDF: a tree of pages that is a ring',
    () => rawPdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000000 >>']),
    /corrupt|empty|bomb/,
  ],
  [
    'PDF: a billion pages',
    () =>
      rawPdf([
        '<< /Type /Catalog /Pages 2 0 R >>',
        '<< /Type /Pages /Kids [3 0 R] /Count 1000000000 >>',
        '<< /Type /Page /Parent 2 0 R >>',
      ]),
    /corrupt|empty|bomb/,
  ],
  [
    'PDF: a dictionary 100,000 deep',
    () => rawPdf([`<< /Type /Catalog /Pages ${'<< /A '.repeat(100_000)}`]),
    /corrupt|empty|bomb/,
  ],
  ['PDF: a picture of 10^10 pixels', () => image('/Width 100000 /Height 100000', Buffer.alloc(1_000)), /empty|bomb/],
  [
    'PDF: a picture with twenty times the data that it shows',
    () => image('/Width 600 /Height 600', Buffer.alloc(20 * MB)),
    /empty|bomb/,
  ],
  [
    'PDF: a JPEG that claims 65,000 squared',
    () =>
      onePagePdf({ dictionary: '', stream: Buffer.from('/I Do') }, '/XObject << /I 5 0 R >>', [
        {
          dictionary: '/Subtype /Image /Width 65000 /Height 65000 /Filter /DCTDecode',
          stream: Buffer.from('ffd8ffc0001108fde8fde803012200021101031101ffd9', 'hex'),
        },
      ]),
    /empty|bomb/,
  ],
  ['PNG: 50,000 squared', () => pngOf(50_000, 50_000), /bomb/],
  ['PNG: less data than it claims', () => pngOf(3_000, 3_000), /corrupt|empty/],
  ['JSON of 25 MB', () => Buffer.alloc(25 * MB, '[{"a":'), /^cut text/],
  ['CSV of 25 MB in one line', () => Buffer.alloc(25 * MB, 'a,'), /^cut text/],
]

describe('a document that asks for too much is ended, and the service goes on', () => {
  // The deadline of a document never comes: one that nothing else ends takes longer than a test may.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  test.each(BOMBS)('%s', async (_name, make, expected) => {
    const bytes = make()
    const delay = monitorEventLoopDelay({ resolution: 10 })
    const residentBefore = process.memoryUsage.rss()
    const cpuBefore = process.threadCpuUsage()
    delay.enable()
    const outcome = await outcomeOf(bytes)
    delay.disable()
    const { user, system } = process.threadCpuUsage(cpuBefore)
    expect(outcome).toMatch(expected)
    // What blocks shows in the upper tenth, not in a single spike, and as work of this thread: where the machine does other
    // things too, it is late without having worked.
    expect(Math.min(delay.percentile(90) / 1e6, (user + system) / 1e3)).toBeLessThan(200)
    expect(process.memoryUsage.rss() - residentBefore).toBeLessThan(300 * MB)
  })

  test('none of them took more memory than a process may have', async () => {
    expect(largestChild).toBeLessThan(MAX_CHILD_BYTES)
    expect(await outcomeOf(docx(paragraph('still here')))).toBe('text: still here')
  })
})

function childrenResident(): number[] {
  try {
    const tasks = readdirSync('/proc/self/task').map((id) => readFileSync(`/proc/self/task/${id}/children`, 'utf8'))
    const ids = tasks.join(' ').split(/\s+/).filter(Boolean)
    return ids.map((id) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) * 1024)
  } catch {
    return []
  }
}
