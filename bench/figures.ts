import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** Plain text in columns: the first to the left, the others to the right. The first line is the head. */
export function aligned(lines: readonly string[][]): string {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  return lines
    .map((line) =>
      line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))),
    )
    .map((line) => line.join('  ').trimEnd())
    .join('\n')
}

export function shown(value: number | undefined, digits?: number): string {
  if (value === undefined) return ''
  if (Number.isNaN(value)) return '–'
  return value.toFixed(digits ?? (Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : 1))
}

export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

/** Returns the median of each figure over rounds, without figures that no round has, and all faults. */
export function medians<Round extends object>(rounds: Round[]): Round {
  const figures = Object.keys(Object.assign({}, ...rounds)).map((name) => {
    const values = rounds.map((round) => round[name as keyof Round]).filter((value) => value !== undefined)
    const isFigure = values.every((value) => typeof value === 'number')
    return [name, values.length === 0 ? undefined : isFigure ? median(values) : values.flat()]
  })
  return Object.fromEntries(figures)
}

/** Nearest rank; NaN of nothing. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN
}

const FILE = path.join('artifacts', 'bench.json')

/** Writes what one bench measured into the report, and leaves there what others have. */
export async function addToReport(measured: object): Promise<void> {
  await mkdir(path.dirname(FILE), { recursive: true })
  const text = await readFile(FILE, 'utf8').catch(() => '{}')
  await writeFile(FILE, `${JSON.stringify({ ...JSON.parse(text), ...measured }, undefined, 2)}\n`)
}
