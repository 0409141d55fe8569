import type { DocumentPart } from './parser-protocol.ts'

export class SinkFull extends Error {
  override name = 'SinkFull'
}

const MAX_IMAGE_BYTES = 32 * 1024 * 1024

/** Takes a document's text and pictures in reading order, up to a bound in UTF-16 units. */
export class TextSink {
  readonly maxChars: number
  #parts: DocumentPart[] = []
  #text = ''
  #chars = 0
  #imageBytes = 0
  #isTruncated = false

  constructor(maxChars: number) {
    this.maxChars = maxChars
  }

  get remaining(): number {
    return Math.max(this.maxChars - this.#chars, 0)
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0 && this.#text.trim() === ''
  }

  write(text: string): void {
    this.#text += text
    this.#chars += text.length
    if (this.#chars > this.maxChars) throw new SinkFull()
  }

  block(text: string): void {
    const trimmed = text.replace(/^\n+/, '').trimEnd()
    if (trimmed !== '') this.write(`${trimmed}\n\n`)
  }

  image(image: Uint8Array): void {
    if (this.#imageBytes + image.length > MAX_IMAGE_BYTES) {
      this.#isTruncated = true
      return
    }
    this.#imageBytes += image.length
    this.#flush()
    this.#parts.push({ image })
  }

  truncate(): void {
    this.#isTruncated = true
  }

  finish(): { parts: DocumentPart[]; isTruncated: boolean } {
    if (this.#chars > this.maxChars) {
      const { text } = cutText(this.#text, Math.max(this.#text.length - (this.#chars - this.maxChars), 0))
      this.#text = text
      this.#isTruncated = true
    }
    this.#flush()
    return { parts: this.#parts, isTruncated: this.#isTruncated }
  }

  #flush(): void {
    const text = dropInvisible(this.#text).trim()
    if (text !== '') this.#parts.push({ text })
    this.#text = ''
  }
}

const BACK_SHARE = 0.05

/** Cuts a text to at most `maxChars` UTF-16 units, at a line, else a word, else a whole character. */
export function cutText(text: string, maxChars: number): { text: string; isTruncated: boolean } {
  if (text.length <= maxChars) return { text, isTruncated: false }
  const earliest = Math.floor(maxChars * (1 - BACK_SHARE))
  const line = text.lastIndexOf('\n', maxChars)
  if (line >= earliest) return { text: text.slice(0, line), isTruncated: true }
  const space = text.lastIndexOf(' ', maxChars)
  if (space >= earliest) return { text: text.slice(0, space), isTruncated: true }
  return { text: text.slice(0, isLowSurrogate(text, maxChars) ? maxChars - 1 : maxChars), isTruncated: true }
}

/**
 * Removes control characters (but tab and line feed) and invisible ones, in which sentences for a model can be hidden.
 * Joiners stay: scripts and emoji need them.
 */
export function dropInvisible(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(INVISIBLE, '')
    .replace(/[\u2028\u2029]/g, '\n')
}

const ALLOWED = String.raw`\t\n\u200c-\u200d\ufe0e-\ufe0f`
const INVISIBLE = new RegExp(String.raw`[[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[${ALLOWED}]]`, 'gv')

const isLowSurrogate = (text: string, index: number): boolean => (text.charCodeAt(index) & 0xfc00) === 0xdc00
