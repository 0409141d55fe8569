import type { Archive } from './archive.ts'
import { ExtractionError } from './extraction-error.ts'
import { formatNumber, type NumberKind, numberKind } from './number-format.ts'
import { relationOfType, relationsOf } from './office-package.ts'
import { SheetRows } from './sheet-rows.ts'
import type { TextSink } from './text-sink.ts'
import { readXml } from './xml.ts'

/** Writes the sheets of a workbook as Markdown tables, with the values that were last computed; a formula that nobody computed yet is shown. */
export async function readXlsx(archive: Archive, part: string, sink: TextSink): Promise<void> {
  const workbook = await readWorkbook(archive, part)
  for (const sheet of workbook.sheets) {
    if (archive.has(sheet.part)) await readSheet(archive, sheet, workbook, sink)
  }
}

async function readSheet(archive: Archive, sheet: Sheet, workbook: Workbook, sink: TextSink): Promise<void> {
  const rows = new SheetRows(sink, sheet.name, sheet.isHidden)
  let column = -1
  let type = 'n'
  let style = 0
  let value = ''
  let isValue = false
  let formula = ''
  let isFormula = false
  let phonetic = 0

  await readXml(archive.read(sheet.part), {
    open(name, attributes) {
      if (name === 'row') column = -1
      else if (name === 'c') {
        column = columnOf(attributes.get('r')) ?? column + 1
        type = attributes.get('t') ?? 'n'
        style = Number(attributes.get('s') ?? 0)
        value = ''
        formula = ''
      } else if (name === 'f') isFormula = true
      else if (name === 'rPh') phonetic++
      else if (name === 'v' || name === 't') isValue = phonetic === 0
    },
    close(name) {
      if (name === 'v' || name === 't') isValue = false
      else if (name === 'f') isFormula = false
      else if (name === 'rPh') phonetic--
      else if (name === 'c')
        rows.cell(column, value === '' && formula !== '' ? `=${formula}` : cellText(type, style, value, workbook))
      else if (name === 'row') rows.endRow()
    },
    text(text) {
      if (isValue) value += text
      else if (isFormula) formula += text
    },
  })
  rows.end()
}

function cellText(type: string, style: number, value: string, { strings, kinds, is1904 }: Workbook): string {
  if (type === 's') return strings[Number(value)] ?? ''
  if (type === 'b') return value === '' ? '' : value.trim() === '1' ? 'TRUE' : 'FALSE'
  if (type === 'n') return formatNumber(value, kinds[style] ?? 'number', is1904)
  return value
}

/** The column of a cell's address, from 0: `AB12` is 27. */
function columnOf(address: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(address ?? '')?.[0]
  if (letters === undefined) return
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

type Sheet = { name: string; part: string; isHidden: boolean }
type Workbook = { sheets: Sheet[]; is1904: boolean; strings: string[]; kinds: NumberKind[] }

const MOST_SHEETS = 500
/** What the texts of a workbook may take in memory. */
const MOST_STRINGS = 1_000_000
const MOST_STRING_CHARS = 32 * 1024 * 1024
const MOST_FORMATS = 70_000

/** What the sheets of a workbook refer to. */
async function readWorkbook(archive: Archive, part: string): Promise<Workbook> {
  const relations = await relationsOf(archive, part)
  const sheets: Sheet[] = []
  let is1904 = false
  await readXml(archive.read(part), {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = /^(?:1|true)$/.test(attributes.get('date1904') ?? '')
      if (name !== 'sheet' || sheets.length >= MOST_SHEETS) return
      const relation = relations.get(attributes.get('id') ?? '')
      if (!relation || relation.isExternal || relation.type !== 'worksheet') return
      const isHidden = (attributes.get('state') ?? 'visible') !== 'visible'
      sheets.push({ name: (attributes.get('name') ?? '').slice(0, 100), part: relation.target, isHidden })
    },
  })
  const strings = await readStrings(archive, relationOfType(relations, 'sharedStrings')?.target)
  const kinds = await readKinds(archive, relationOfType(relations, 'styles')?.target)
  return { sheets, is1904, strings, kinds }
}

async function readStrings(archive: Archive, part: string | undefined): Promise<string[]> {
  const strings: string[] = []
  if (part === undefined || !archive.has(part)) return strings
  let chars = 0
  let text = ''
  let isText = false
  let phonetic = 0
  await readXml(archive.read(part), {
    open(name) {
      if (name === 'si') text = ''
      else if (name === 'rPh') phonetic++
      else if (name === 't') isText = phonetic === 0
    },
    close(name) {
      if (name === 'rPh') phonetic--
      else if (name === 't') isText = false
      else if (name === 'si' && strings.push(text) > MOST_STRINGS) throw new ExtractionError('bomb')
    },
    text(piece) {
      if (!isText) return
      text += piece
      chars += piece.length
      if (chars > MOST_STRING_CHARS) throw new ExtractionError('bomb')
    },
  })
  return strings
}

/** The kind of number of each cell format, in the order in which cells refer to them. */
async function readKinds(archive: Archive, part: string | undefined): Promise<NumberKind[]> {
  const kinds: NumberKind[] = []
  if (part === undefined || !archive.has(part)) return kinds
  const codes = new Map<number, string>()
  let isCellFormats = false
  await readXml(archive.read(part), {
    open(name, attributes) {
      if (name === 'numFmt' && codes.size < MOST_FORMATS) {
        codes.set(Number(attributes.get('numFmtId')), attributes.get('formatCode') ?? '')
      } else if (name === 'cellXfs') isCellFormats = true
      else if (name === 'xf' && isCellFormats && kinds.length < MOST_FORMATS) {
        const id = Number(attributes.get('numFmtId'))
        kinds.push(numberKind(id, codes.get(id)))
      }
    },
    close(name) {
      if (name === 'cellXfs') isCellFormats = false
    },
  })
  return kinds
}
