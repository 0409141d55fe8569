import type { DocumentPart } from './parser-protocol.ts'

/** Thrown by a sink that has all it may hold: what reads the document stops there. */
export class SinkFull extends Error {
  override name = 'SinkFull'
}

/** Pictures of one document, as they are handed on: a page may show the same one a hundred times. */
const MOST_IMAGE_BYTES = 32 * 1024 * 1024

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

  /** How much more text it takes. */
  get room(): number {
    return Math.max(this.maxChars - this.#chars, 0)
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0 && this.#text.trim() === ''
  }

  /** @throws SinkFull when this is more than it may hold. */
  write(text: string): void {
    this.#text += text
    this.#chars += text.length
    if (this.#chars > this.maxChars) throw new SinkFull()
  }

  /** A block of its own: blank lines around it. */
  block(text: string): void {
    const trimmed = text.replace(/^\n+/, '').trimEnd()
    if (trimmed !== '') this.write(`${trimmed}\n\n`)
  }

  /** Leaves out what is more than may be handed on. */
  image(image: Uint8Array): void {
    if (this.#imageBytes + image.length > MOST_IMAGE_BYTES) {
      this.#isTruncated = true
      return
    }
    this.#imageBytes += image.length
    this.#flush()
    this.#parts.push({ image })
  }

  /** Something was left out on purpose: pages or rows beyond a bound. */
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

/** A cut goes back at most this share of the text to end at a line or a word. */
const BACK_SHARE = 0.05

/** The start of a text, at most `maxChars` UTF-16 units, ended at a line, else a word, else a whole character. */
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
 * Takes out what no reader sees but a model would: control characters (tab and line feed stay), and what shows nothing or
 * turns the text around it: tags, variation selectors, blanks of no width, in which whole sentences can be hidden. Joiners
 * belong to scripts and emoji.
 */
export function dropInvisible(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(INVISIBLE, '')
    .replace(/[\u2028\u2029]/g, '\n')
}

const KEPT = String.raw`\t\n\u200c-\u200d\ufe0e-\ufe0f`
const INVISIBLE = new RegExp(String.raw`[[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[${KEPT}]]`, 'gv')

const isLowSurrogate = (text: string, index: number): boolean => (text.charCodeAt(index) & 0xfc00) === 0xdc00
