import { type DocumentPart, ExtractionError } from './parser-protocol.ts'

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

// UTF-8 takes 3 bytes for one UTF-16 unit, GB18030 4 for a pair.
const MAX_BYTES_PER_UNIT = 4
const SAMPLE_BYTES = 4096

export type TextOptions = {
  charset?: string
  // Sent as text: bytes that are not UTF-8 are then read as windows-1252, which old spreadsheets export.
  isText: boolean
  maxChars: number
}

/**
 * Reads plain text, looking at no more bytes than the answer can need.
 *
 * @throws ExtractionError `unsupported` when the bytes are not text, `empty` when there is none.
 */
export function decodeText(bytes: Uint8Array, options: TextOptions): { text: string; isTruncated: boolean } {
  const head = bytes.subarray(0, bytesNeeded(bytes, options))
  const decoded = decode(head, { ...options, isWhole: head.length === bytes.length })
  if (decoded === undefined || CONTROL.test(decoded)) throw new ExtractionError('unsupported')
  const { text, isTruncated } = cutText(dropInvisible(decoded), options.maxChars)
  if (text.trim() === '') throw new ExtractionError('empty')
  return { text, isTruncated: isTruncated || head.length < bytes.length }
}

export const bytesNeeded = (bytes: Uint8Array, { maxChars }: Pick<TextOptions, 'maxChars'>): number =>
  Math.min(bytes.length, (maxChars + 1) * MAX_BYTES_PER_UNIT)

// Backspace and escape stand in terminal logs, form feed in old source code; nothing else below space is text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0007\u000e-\u001a\u001c-\u001f]/

type DecodeOptions = { charset?: string; isText: boolean; isWhole: boolean }

function decode(bytes: Uint8Array, { charset, isText, isWhole }: DecodeOptions): string | undefined {
  const attempt = (label: string) => decodeAs(bytes, label, isWhole)
  const marked = byteOrderMark(bytes)
  if (marked) return attempt(marked)
  const declared = charset === undefined ? undefined : attempt(charset)
  if (declared !== undefined) return declared
  return attempt(utf16Guess(bytes) ?? 'utf-8') ?? (isText ? attempt('windows-1252') : undefined)
}

function decodeAs(bytes: Uint8Array, charset: string, isWhole: boolean): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: !isWhole })
  } catch {
    return
  }
}

export function byteOrderMark(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
}

function utf16Guess(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES & ~1)
  const zeros = [0, 0]
  for (let i = 0; i < sample.length; i++) if (sample[i] === 0) zeros[i % 2]!++
  const pairs = sample.length >> 1
  if (pairs < 2) return
  if (zeros[1]! > pairs * 0.6 && zeros[0] === 0) return 'utf-16le'
  if (zeros[0]! > pairs * 0.6 && zeros[1] === 0) return 'utf-16be'
}
