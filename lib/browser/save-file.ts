const REVOKE_AFTER_MS = 60_000

export function saveFile(name: string, data: Blob): void {
  const url = URL.createObjectURL(data)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS)
}

export function fileNameOf(name: string, ending: string): string {
  const plain = name
    .replace(/[^\p{L}\p{N} ._-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[ .]+|[ .]+$/g, '')
  return `${plain.slice(0, 80).trim() || 'character'}.${ending}`
}
