const REVOKE_AFTER_MS = 60_000

export function saveFile(name: string, data: Blob): void {
  const url = URL.createObjectURL(data)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS)
}

/** Makes a file's name of words; `otherwise` where nothing of them can be in a name. */
export function fileNameOf(words: string, ending: string, otherwise = 'file'): string {
  const plain = words
    .replace(/[^\p{L}\p{N} ._-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[ .]+|[ .]+$/g, '')
  return `${plain.slice(0, 80).trim() || otherwise}.${ending}`
}
