const REVOKE_AFTER_MS = 60_000

export function saveFile(name: string, data: Blob): void {
  const url = URL.createObjectURL(data)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS)
}

const MAX_NAME_CHARS = 80
// What disks do not take, what shells and addresses read as their own, and what turns the order of letters.
const UNUSABLE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\\/:*?"<>|#%=&;$`]+/gu

/** Makes a file's name of words; `otherwise` where nothing of them can be in a name. */
export function fileNameOf(words: string, ending: string, otherwise = 'file'): string {
  const plain = words.replace(UNUSABLE, ' ').replace(/\s+/g, ' ').replace(BORDERS, '')
  return `${plain.slice(0, MAX_NAME_CHARS).replace(BORDERS, '') || otherwise}.${ending}`
}

const BORDERS = /^[. ]+|[. ]+$/g
