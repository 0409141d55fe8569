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

/** A figure as a cell: nothing for what was not measured, a dash for what could not be. */
export function shown(value: number | undefined, digits?: number): string {
  if (value === undefined) return ''
  if (Number.isNaN(value)) return '–'
  return value.toFixed(digits ?? (Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : 1))
}
