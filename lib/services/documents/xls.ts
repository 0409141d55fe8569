import { CFB, read, utils } from '@e965/xlsx'
import { ExtractionError } from './parser-protocol.ts'
import type { TextSink } from './text-sink.ts'
import { MAX_ROWS, SheetRows } from './xlsx.ts'

const utf16 = (name: string): Buffer => Buffer.from(name, 'utf16le')
const ENCRYPTED = ['EncryptedPackage', 'EncryptionInfo', 'DRMEncryptedDataSpace'].map(utf16)
const WORKBOOK = ['Workbook', 'Book'].map(utf16)

/**
 * Writes a workbook of the old binary format as Markdown tables. Its container also holds other old office documents,
 * which are not read, and new ones with a password.
 */
export function readXls(bytes: Uint8Array, sink: TextSink): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (ENCRYPTED.some((name) => buffer.includes(name))) throw new ExtractionError('encrypted')
  if (!WORKBOOK.some((name) => buffer.includes(name))) throw new ExtractionError('unsupported')
  const workbook = parseWorkbook(buffer)
  for (const [index, name] of workbook.SheetNames.entries()) {
    const sheet = workbook.Sheets[name]
    if (!sheet) continue
    const isHidden = (workbook.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0
    const rows = new SheetRows(sink, name.slice(0, 100), isHidden)
    const values = utils.sheet_to_json<unknown[]>(sheet, { header: 1, raw: false, blankrows: false, defval: '' })
    for (const row of values) {
      for (const [column, value] of row.entries()) rows.cell(column, String(value ?? ''))
      rows.endRow()
    }
    rows.end()
  }
}

function parseWorkbook(buffer: Buffer) {
  try {
    // The container alone first: the library would take bytes of any other format, text included.
    CFB.parse(buffer, { type: 'buffer' })
    const only = { cellFormula: false, cellHTML: false, cellStyles: false, bookVBA: false, sheetStubs: false }
    return read(buffer, { type: 'buffer', dense: true, sheetRows: MAX_ROWS, ...only })
  } catch (error) {
    const isLocked = error instanceof Error && /password|encrypt/i.test(error.message)
    throw new ExtractionError(isLocked ? 'encrypted' : 'corrupt', { cause: error })
  }
}
