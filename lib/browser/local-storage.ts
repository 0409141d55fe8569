/** Reads a text of this browser; `null` where there is none, or storage is switched off. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Stores a text, or removes it. Where storage is switched off or full, it lasts as long as the page. */
export function writeStored(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    // Whoever wrote it has it in memory.
  }
}
