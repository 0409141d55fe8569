import type { Archive } from './archive.ts'
import { formatNumber } from './number-format.ts'
import { SheetRows } from './sheet-rows.ts'
import type { TextSink } from './text-sink.ts'
import { readWorkbook, type Sheet, type Workbook } from './xlsx-parts.ts'
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
