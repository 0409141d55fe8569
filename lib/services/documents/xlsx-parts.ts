import type { Archive } from './archive.ts'
import { ExtractionError } from './extraction-error.ts'
import { type NumberKind, numberKind } from './number-format.ts'
import { relationOfType, relationsOf } from './office-package.ts'
import { readXml } from './xml.ts'

export type Sheet = { name: string; part: string; isHidden: boolean }
export type Workbook = { sheets: Sheet[]; is1904: boolean; strings: string[]; kinds: NumberKind[] }

const MOST_SHEETS = 500
/** What the texts of a workbook may take in memory. */
const MOST_STRINGS = 1_000_000
const MOST_STRING_CHARS = 32 * 1024 * 1024
const MOST_FORMATS = 70_000

/** What the sheets of a workbook refer to. */
export async function readWorkbook(archive: Archive, part: string): Promise<Workbook> {
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
