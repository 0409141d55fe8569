import type { Archive } from './archive.ts'
import { markdownTable, oneLine, SinkFull, type TextSink } from './text.ts'
import { readXml } from './xml.ts'

type Paragraph = { text: string; outline?: number; numId?: string; level?: number }
type Table = { rows: string[][]; chars: number; span: number }

const MAX_COLUMNS = 256
const MAX_LIST_LEVELS = 9

/** Puts the paragraphs and tables of a document together as Markdown. Text boxes stand inside paragraphs. */
export class DocumentBlocks {
  prefix = ''
  hasNotes = false
  readonly #sink: TextSink
  readonly #styles: Map<string, ParagraphStyle>
  readonly #numbering: Numbering
  readonly #paragraphs: Paragraph[] = []
  readonly #tables: Table[] = []
  readonly #counters = new Map<string, number[]>()
  readonly #notes: string[] = []
  #noteChars = 0
  #isInList = false

  constructor(sink: TextSink, styles: Map<string, ParagraphStyle>, numbering: Numbering) {
    this.#sink = sink
    this.#styles = styles
    this.#numbering = numbering
  }

  get #paragraph(): Paragraph | undefined {
    return this.#paragraphs.at(-1)
  }

  get length(): number {
    return this.#paragraph?.text.length ?? 0
  }

  openParagraph(): void {
    this.#paragraphs.push({ text: '' })
  }

  setStyle(id: string): void {
    const paragraph = this.#paragraph
    if (paragraph) Object.assign(paragraph, { ...this.#styles.get(id), ...paragraph })
  }

  setList(list: { numId?: string; level?: number }): void {
    if (this.#paragraph) Object.assign(this.#paragraph, list)
  }

  setOutline(outline: number): void {
    if (this.#paragraph) this.#paragraph.outline = outline
  }

  write(text: string): void {
    const paragraph = this.#paragraph
    if (!paragraph) return
    paragraph.text += text
    if (paragraph.text.length > this.#sink.remaining) this.#giveUp()
  }

  writeNote(mark: string): void {
    this.hasNotes = true
    this.write(mark)
  }

  get noteCount(): number {
    return this.#notes.length
  }

  /** Marks the place of a note that is written apart, until `writeNotes`. */
  openNote(): void {
    this.#notes.push('')
    this.writeNote(`[^${this.#notes.length}]`)
  }

  writeInNote(text: string): void {
    this.#noteChars += text.length
    if (this.#noteChars <= this.#sink.remaining) this.#notes[this.#notes.length - 1] += text
  }

  writeNotes(): void {
    for (const [index, note] of this.#notes.entries()) {
      if (note.trim() !== '') this.#sink.block(`[^${index + 1}]: ${note.trim()}`)
    }
  }

  rewriteFrom(start: number, rewrite: (text: string) => string): void {
    const paragraph = this.#paragraph
    if (paragraph) paragraph.text = paragraph.text.slice(0, start) + rewrite(paragraph.text.slice(start))
  }

  closeParagraph(): void {
    const paragraph = this.#paragraphs.pop()
    if (paragraph) this.#add(paragraph)
  }

  openTable(): void {
    this.#tables.push({ rows: [], chars: 0, span: 1 })
  }

  openRow(): void {
    this.#tables.at(-1)?.rows.push([])
  }

  openCell(): void {
    const table = this.#tables.at(-1)
    if (!table) return
    table.rows.at(-1)?.push('')
    table.span = 1
  }

  spanCell(columns: number): void {
    const table = this.#tables.at(-1)
    if (table) table.span = columns
  }

  closeCell(): void {
    const table = this.#tables.at(-1)
    const row = table?.rows.at(-1)
    for (let i = 1; table && row && i < table.span && row.length < MAX_COLUMNS; i++) row.push('')
  }

  closeTable(): void {
    const table = this.#tables.pop()
    if (!table) return
    const rows = table.rows.filter((row) => row.length > 0)
    // A table in a cell becomes lines of that cell: Markdown has no tables in tables.
    if (this.#tables.length > 0) this.#addToCell(rows.map((row) => row.map(oneLine).join(' / ')).join('\n'))
    else this.#block(markdownTable(rows))
  }

  end(): void {
    while (this.#paragraphs.length > 0) this.closeParagraph()
    while (this.#tables.length > 0) this.closeTable()
    this.#endList()
    this.prefix = ''
  }

  #add(paragraph: Paragraph): void {
    const text = paragraph.text.trim()
    if (text === '') return
    const { outline = -1 } = paragraph
    const item = this.#listMark(paragraph)
    if (this.#tables.length > 0) this.#addToCell(text)
    else if (outline >= 0 && outline < 6) this.#block(`${'#'.repeat(outline + 1)} ${oneLine(text)}`)
    else if (item === undefined) this.#block(text)
    else {
      this.#isInList = true
      this.#sink.write(`${item}${text.replaceAll('\n', '\n  ')}\n`)
    }
  }

  #block(text: string): void {
    this.#endList()
    this.#sink.block(this.prefix + text)
    this.prefix = ''
  }

  #endList(): void {
    if (this.#isInList) this.#sink.write('\n')
    this.#isInList = false
  }

  #addToCell(text: string): void {
    const table = this.#tables.at(-1)
    const row = table?.rows.at(-1)
    if (!table || !row || row.length === 0) return
    const cell = row[row.length - 1]!
    row[row.length - 1] = cell === '' ? text : `${cell}\n${text}`
    table.chars += text.length
    if (table.chars > this.#sink.remaining) this.#giveUp()
  }

  #listMark({ numId, level: rawLevel = 0 }: Paragraph): string | undefined {
    if (numId === undefined || numId === '0') return
    const level = Math.min(Math.max(Number.isInteger(rawLevel) ? rawLevel : 0, 0), MAX_LIST_LEVELS - 1)
    const counters = this.#counters.get(numId) ?? []
    this.#counters.set(numId, counters)
    const count = (counters[level] ?? 0) + 1
    counters.length = level
    for (let i = 0; i < level; i++) counters[i] ??= 0
    counters[level] = count
    return `${'  '.repeat(level)}${this.#numbering.get(numId)?.get(level) ? `${count}.` : '-'} `
  }

  #giveUp(): never {
    while (this.#tables.length > 1 || this.#paragraphs.length > 0) {
      const paragraph = this.#paragraphs.pop()
      if (paragraph && this.#tables.length === 0) this.#sink.write(paragraph.text)
      if (paragraph) continue
      this.#tables.pop()
    }
    this.closeTable()
    throw new SinkFull()
  }
}

type ParagraphStyle = { outline?: number; numId?: string; level?: number }

export type Numbering = Map<string, Map<number, boolean>>

const HEADING_NAME = /^heading ([1-9])$/i

export async function readStyles(archive: Archive, part: string | undefined): Promise<Map<string, ParagraphStyle>> {
  const styles = new Map<string, ParagraphStyle>()
  if (part === undefined || !archive.has(part)) return styles
  let style: ParagraphStyle | undefined
  await readXml(archive.read(part), {
    open(name, attributes) {
      const value = attributes.get('val') ?? ''
      if (name === 'style') {
        style = {}
        styles.set(attributes.get('styleId') ?? '', style)
      } else if (style === undefined) return
      else if (name === 'basedOn') Object.assign(style, { ...styles.get(value), ...style })
      else if (name === 'name') {
        const heading = HEADING_NAME.exec(value)?.[1]
        if (heading !== undefined) style.outline = Number(heading) - 1
        else if (/^title$/i.test(value)) style.outline = 0
      } else if (name === 'outlineLvl') style.outline = Number(value)
      else if (name === 'numId') style.numId = value
      else if (name === 'ilvl') style.level = Number(value)
    },
    close(name) {
      if (name === 'style') style = undefined
    },
  })
  return styles
}

export async function readNumbering(archive: Archive, part: string | undefined): Promise<Numbering> {
  const numbering: Numbering = new Map()
  if (part === undefined || !archive.has(part)) return numbering
  const abstracts = new Map<string, Map<number, boolean>>()
  let levels: Map<number, boolean> | undefined
  let level = 0
  let numId: string | undefined
  await readXml(archive.read(part), {
    open(name, attributes) {
      const value = attributes.get('val') ?? ''
      if (name === 'abstractNum') {
        levels = new Map()
        abstracts.set(attributes.get('abstractNumId') ?? '', levels)
      } else if (name === 'lvl') level = Number(attributes.get('ilvl'))
      else if (name === 'numFmt' && numId === undefined) levels?.set(level, value !== 'bullet' && value !== 'none')
      else if (name === 'num') numId = attributes.get('numId')
      else if (name === 'abstractNumId' && numId !== undefined) numbering.set(numId, abstracts.get(value) ?? new Map())
    },
    close(name) {
      if (name === 'abstractNum') levels = undefined
      else if (name === 'num') numId = undefined
    },
  })
  return numbering
}
