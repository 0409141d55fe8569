import { DocumentBlocks } from './document-blocks.ts'
import { ExtractionError } from './parser-protocol.ts'
import { markdownLink, type TextSink } from './text.ts'

const MAX_DEPTH = 1_000
const MAX_FONTS = 10_000
const MAX_NOTES = 10_000
const MAX_COLUMNS = 256
const MAX_INSTRUCTION_CHARS = 4_096

const SKIPPED = new Set(
  `colortbl stylesheet info pict nonshppict objclass objname objdata filetbl listtable listoverridetable revtbl
  annotation atnid atnauthor atntime atnref xe rxe tc sp shprslt listpicture background template ftnsep ftnsepc
  aftnsep aftnsepc`.split(/\s+/),
)
const STARRED = new Set(['fldinst', 'shpinst', 'shptxt', 'ud', 'fonttbl'])
const MARGINS = new Set(['header', 'headerl', 'headerr', 'headerf', 'footer', 'footerl', 'footerr', 'footerf'])

const CHARACTERS: Readonly<Record<string, string>> = {
  tab: '\t',
  line: '\n',
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
}
const ENDS = new Set(['par', 'sect', 'page', 'softpage', 'column'])

const windows = (page: number) => `windows-${page}`
// Encodings of `\fcharsetN`. Source: Rich Text Format Specification 1.9.1, "Font Table".
const OF_FONT: Readonly<Record<number, string>> = {
  77: 'macintosh',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: windows(1253),
  162: windows(1254),
  163: windows(1258),
  177: windows(1255),
  178: windows(1256),
  186: windows(1257),
  204: windows(1251),
  222: windows(874),
  238: windows(1250),
}
const OF_PAGE: Readonly<Record<number, string>> = {
  866: 'ibm866',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  65001: 'utf-8',
}
const USUAL = windows(1252)

const encodingOfPage = (page: number): string =>
  OF_PAGE[page] ?? (page === 874 || (page >= 1250 && page <= 1258) ? windows(page) : USUAL)

type Field = { instruction: string; start?: number; paragraph?: number }

type Group = {
  kind?: 'fonts' | 'both' | 'instruction' | 'result' | 'note' | 'margin' | 'mark'
  isSkipped: boolean
  isHidden: boolean
  // Characters that follow each `\u` for readers that do not know it.
  fallback: number
  encoding?: string
  field?: Field
}

const TOKEN = /\\(?:([a-zA-Z]{1,32})(-?\d{1,10})? ?|'([0-9a-fA-F]{2})|([\s\S]))|([{}])|[^\\{}]+/gy

export function readRtf(bytes: Uint8Array, sink: TextSink): void {
  new RtfReader(sink).read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'))
}

class RtfReader {
  readonly #blocks: DocumentBlocks
  readonly #groups: Group[] = []
  readonly #fonts = new Map<number, string>()
  readonly #decoders = new Map<string, TextDecoder>()
  #group: Group = { isSkipped: false, isHidden: false, fallback: 1 }
  #encoding = USUAL
  #font = 0
  #bytes = ''
  #unread = 0
  #isStarred = false
  #isGroupNew = false
  #isInTable = false
  #hasParagraph = false
  #paragraphs = 0
  #outline?: number
  #mark = ''
  #table?: { columns: number; isRowOpen: boolean; isCellOpen: boolean }

  constructor(sink: TextSink) {
    this.#blocks = new DocumentBlocks(sink, new Map(), new Map())
  }

  read(source: string): void {
    TOKEN.lastIndex = 0
    let hasEnded = false
    while (!hasEnded) {
      const match = TOKEN.exec(source)
      if (match === null) break
      const [text, word, number, hex, symbol, brace] = match
      if (word === 'u') this.#unicode(Number(number ?? 0))
      else if (word !== undefined) {
        this.#word(word, number === undefined ? undefined : Number(number))
        if (word === 'bin') TOKEN.lastIndex += Math.max(Number(number ?? 0), 0)
      } else if (hex !== undefined) this.#byte(String.fromCharCode(Number.parseInt(hex, 16)))
      else if (symbol !== undefined) this.#symbol(symbol)
      else if (brace === '{') this.#open()
      else if (brace === '}') hasEnded = this.#close()
      else this.#plain(text)
    }
    this.#flush()
    // A file that was cut off is read as far as it goes.
    this.#endParagraph()
    this.#endTable()
    this.#blocks.end()
    this.#blocks.writeNotes()
  }

  #open(): void {
    this.#flush()
    if (this.#groups.length >= MAX_DEPTH) throw new ExtractionError('bomb')
    this.#groups.push(this.#group)
    const { kind } = this.#group
    this.#group = { ...this.#group }
    // A text that is written twice: in an old code, which is left out, and in Unicode.
    if (kind === 'both') this.#group.isSkipped = true
    if (kind === 'both' || kind === 'result' || kind === 'margin') this.#group.kind = undefined
    this.#unread = 0
    this.#isGroupNew = true
    this.#isStarred = false
  }

  #close(): boolean {
    this.#flush()
    const group = this.#group
    const outer = this.#groups.pop()
    if (outer === undefined) return true
    if (group.kind === 'result' && outer.kind !== 'result') this.#endLink(group)
    if (group.kind === 'margin' && outer.kind !== 'margin') this.#endParagraph()
    this.#group = outer
    this.#unread = 0
    this.#isGroupNew = false
    return this.#groups.length === 0
  }

  #word(word: string, number: number | undefined): void {
    this.#flush()
    if (this.#unread > 0) {
      this.#unread--
      if (word !== 'bin') return
    }
    const isFirst = this.#isGroupNew
    this.#isGroupNew = false
    if (isFirst) this.#destination(word)
    const group = this.#group
    if (word === 'uc') group.fallback = Math.min(Math.max(number ?? 1, 0), 100)
    else if (word === 'ansicpg') this.#encoding = encodingOfPage(number ?? 0)
    else if (word === 'mac') this.#encoding = 'macintosh'
    else if (group.kind === 'fonts') this.#fontWord(word, number ?? 0)
    else if (group.isSkipped) return
    else if (word === 'f') group.encoding = this.#fonts.get(number ?? 0)
    else if (word === 'v' || word === 'deleted') group.isHidden = number !== 0
    else if (word === 'plain') {
      group.isHidden = false
      group.encoding = undefined
    } else if (word in CHARACTERS) this.#write(CHARACTERS[word]!)
    else this.#layout(word, number)
  }

  #layout(word: string, number: number | undefined): void {
    if (this.#group.kind === 'note') {
      if (ENDS.has(word)) this.#write(' ')
      return
    }
    if (this.#group.isHidden) return
    if (word === 'pard') {
      this.#isInTable = false
      this.#outline = undefined
    } else if (word === 'intbl') this.#isInTable = true
    else if (word === 'outlinelevel') this.#outline = number
    else if (ENDS.has(word)) this.#endParagraph()
    else if (word === 'cell' || word === 'nestcell') this.#endCell(word === 'cell')
    else if (word === 'row') this.#endRow()
  }

  #destination(word: string): void {
    const group = this.#group
    if (word === 'ud' && this.#groups.at(-1)?.kind === 'both') group.isSkipped = false
    if (group.isSkipped) return
    if (word === 'fonttbl') group.kind = 'fonts'
    else if (SKIPPED.has(word) || (this.#isStarred && !STARRED.has(word))) group.isSkipped = true
    else if (word === 'upr') group.kind = 'both'
    else if (word === 'field') group.field = { instruction: '' }
    else if (word === 'fldinst') group.kind = 'instruction'
    else if (word === 'fldrslt') this.#openLink(group)
    else if (word === 'listtext' || word === 'pntext') {
      group.kind = 'mark'
      this.#mark = ''
    } else if (word === 'footnote') this.#openNote(group)
    else if (MARGINS.has(word)) {
      this.#endParagraph()
      group.kind = 'margin'
    }
  }

  #symbol(symbol: string): void {
    if (symbol === '*') {
      this.#isStarred = this.#isGroupNew
      return
    }
    this.#isGroupNew = false
    if (symbol === '~') this.#plain('\u00a0', false)
    else if (symbol === '_') this.#plain('-')
    else if (symbol === '\\' || symbol === '{' || symbol === '}') this.#plain(symbol)
    else if (symbol === '\n' || symbol === '\r') this.#word('par', undefined)
  }

  #unicode(number: number): void {
    this.#isGroupNew = false
    this.#flush()
    this.#unread = 0
    this.#write(String.fromCharCode(number & 0xffff))
    this.#unread = this.#group.fallback
  }

  #byte(byte: string): void {
    this.#isGroupNew = false
    if (this.#unread > 0) this.#unread--
    else this.#bytes += byte
  }

  #plain(text: string, isBytes = true): void {
    let visible = text.replace(/[\r\n\0]+/g, '')
    if (this.#unread > 0) {
      const passed = Math.min(this.#unread, visible.length)
      this.#unread -= passed
      visible = visible.slice(passed)
    }
    if (visible === '') return
    this.#isGroupNew = false
    if (isBytes) {
      this.#bytes += visible
      return
    }
    this.#flush()
    this.#write(visible)
  }

  #flush(): void {
    if (this.#bytes === '') return
    const bytes = this.#bytes
    this.#bytes = ''
    if (this.#group.isSkipped || this.#group.kind === 'fonts') return
    const encoding = this.#group.encoding ?? this.#encoding
    let decoder = this.#decoders.get(encoding)
    if (!decoder) {
      decoder = new TextDecoder(encoding)
      this.#decoders.set(encoding, decoder)
    }
    this.#write(decoder.decode(Buffer.from(bytes, 'latin1')))
  }

  #write(text: string): void {
    const { kind, isSkipped, isHidden, field } = this.#group
    if (isSkipped || isHidden || kind === 'fonts') return
    if (kind === 'instruction') {
      if (field && field.instruction.length < MAX_INSTRUCTION_CHARS) field.instruction += text
    } else if (kind === 'mark') this.#mark = (this.#mark + text).slice(0, 20)
    else if (kind === 'note') this.#blocks.writeInNote(text)
    else {
      this.#beginParagraph()
      this.#blocks.write(text)
    }
  }

  #fontWord(word: string, number: number): void {
    if (word === 'f') this.#font = number
    const encoding =
      word === 'fcharset' ? OF_FONT[number] : word === 'cpg' && number > 0 ? encodingOfPage(number) : undefined
    if (encoding !== undefined && this.#fonts.size < MAX_FONTS) this.#fonts.set(this.#font, encoding)
  }

  #openLink(group: Group): void {
    if (!group.field || !/^\s*HYPERLINK\b/i.test(group.field.instruction)) return
    this.#beginParagraph()
    group.kind = 'result'
    group.field.start = this.#blocks.length
    group.field.paragraph = this.#paragraphs
  }

  #endLink({ field }: Group): void {
    const url = /HYPERLINK\s+"([^"]*)"/i.exec(field?.instruction ?? '')?.[1]
    if (field?.start === undefined || field.paragraph !== this.#paragraphs || !this.#hasParagraph) return
    this.#blocks.rewriteFrom(field.start, (text) => markdownLink(text, url))
  }

  #openNote(group: Group): void {
    if (this.#blocks.noteCount >= MAX_NOTES) {
      group.isSkipped = true
      return
    }
    this.#beginParagraph()
    this.#blocks.openNote()
    group.kind = 'note'
  }

  #beginParagraph(): void {
    if (this.#hasParagraph) return
    if (this.#isInTable) this.#openCell()
    else this.#endTable()
    this.#hasParagraph = true
    this.#paragraphs++
    this.#blocks.openParagraph()
    if (this.#outline !== undefined && !this.#isInTable) this.#blocks.setOutline(this.#outline)
    if (this.#mark !== '') this.#blocks.write(listMark(this.#mark))
    this.#mark = ''
  }

  #endParagraph(): void {
    if (this.#hasParagraph) this.#blocks.closeParagraph()
    this.#hasParagraph = false
  }

  #openCell(): void {
    if (!this.#table) {
      this.#table = { columns: 0, isRowOpen: false, isCellOpen: false }
      this.#blocks.openTable()
    }
    const table = this.#table
    if (!table.isRowOpen) {
      this.#blocks.openRow()
      table.isRowOpen = true
      table.columns = 0
    }
    if (table.isCellOpen) return
    if (table.columns < MAX_COLUMNS) this.#blocks.openCell()
    table.columns++
    table.isCellOpen = true
  }

  #endCell(isOuter: boolean): void {
    this.#endParagraph()
    if (!isOuter) return
    this.#openCell()
    if (this.#table) this.#table.isCellOpen = false
  }

  #endRow(): void {
    this.#endParagraph()
    if (this.#table) Object.assign(this.#table, { isRowOpen: false, isCellOpen: false })
  }

  #endTable(): void {
    if (this.#table) this.#blocks.closeTable()
    this.#table = undefined
  }
}

function listMark(mark: string): string {
  const text = mark.trim()
  return /^\(?[0-9a-z]{1,6}[.)]$/i.test(text) ? `${text} ` : '- '
}
