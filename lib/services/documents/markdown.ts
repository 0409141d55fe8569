export function markdownTable(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  if (width === 0) return ''
  const lines = rows.map((row) => `| ${Array.from({ length: width }, (_, i) => cellText(row[i] ?? '')).join(' | ')} |`)
  lines.splice(1, 0, `|${' --- |'.repeat(width)}`)
  return lines.join('\n')
}

export function markdownLink(text: string, url: string | undefined): string {
  const label = text.trim()
  if (label === '' || url === undefined || !/^(?:https?:\/\/|mailto:)/i.test(url)) return text
  if (url === label) return text
  return `[${label}](${url
    .replace(/[\s()<>]/g, encodeURIComponent)
    .replace(/\(/g, '%28')
    .replace(/\)/g, '%29')})`
}

const cellText = (text: string): string => oneLine(text).replaceAll('|', '\\|')

export function oneLine(text: string): string {
  if (!text.includes('\n')) return text.trim()
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' ')
}
