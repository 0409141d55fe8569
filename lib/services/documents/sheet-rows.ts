import { markdownTable } from './markdown.ts'
import { SinkFull, type TextSink } from './text-sink.ts'

/** Bounds of one sheet. What lies beyond them is left out, and the text is marked as cut. */
export const MOST_ROWS = 100_000
const MOST_COLUMNS = 256
/** A cell holds at most this many characters. Source: Excel specifications and limits. */
const MOST_CELL_CHARS = 32_767
/** What a cell takes in the table besides its text. */
const CELL_OVERHEAD_CHARS = 3

/** Collects the rows of a sheet and writes them as a Markdown table. Empty rows and columns at the end do not count. */
export class SheetRows {
  readonly #sink: TextSink
  readonly #heading: string
  readonly #rows: string[][] = []
  #row: string[] = []
  #chars = 0

  constructor(sink: TextSink, name: string, isHidden: boolean) {
    this.#sink = sink
    this.#heading = `## ${name.replace(/\s+/g, ' ').trim()}${isHidden ? ' (hidden)' : ''}`
  }

  cell(column: number, text: string): void {
    if (text === '') return
    if (column >= MOST_COLUMNS) {
      this.#sink.truncate()
      return
    }
    while (this.#row.length < column) this.#row.push('')
    this.#row[column] = text.slice(0, MOST_CELL_CHARS)
    this.#chars += Math.min(text.length, MOST_CELL_CHARS)
  }

  /** @throws SinkFull when there is no room for more rows: those so far are written. */
  endRow(): void {
    if (this.#row.length === 0) return
    this.#rows.push(this.#row)
    this.#chars += this.#row.length * CELL_OVERHEAD_CHARS
    this.#row = []
    if (this.#rows.length >= MOST_ROWS || this.#chars > this.#sink.room) {
      this.end()
      this.#sink.truncate()
      throw new SinkFull()
    }
  }

  end(): void {
    if (this.#rows.length === 0) return
    this.#sink.block(this.#heading)
    this.#sink.block(markdownTable(this.#rows))
  }
}
