import { ExtractionError } from './parser-protocol.ts'
import { cutText, dropInvisible } from './text-sink.ts'

/** No encoding that is read here takes more bytes for one UTF-16 unit: UTF-8 takes 3, GB18030 4 for a pair. */
const MOST_BYTES_PER_UNIT = 4
/** Looked at to tell UTF-16 without a mark from other bytes. */
const SAMPLE_BYTES = 4096

export type TextOptions = {
  /** Declared by whoever sent the file. */
  charset?: string
  /** Sent as text: then bytes that are not UTF-8 are read as windows-1252, which old spreadsheets export. */
  isText: boolean
  maxChars: number
}

/**
 * Reads a file that is plain text. Looks at no more bytes than the answer can need, so a giant costs no more than its start.
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

/** How much of a file has to be looked at. */
export const bytesNeeded = (bytes: Uint8Array, { maxChars }: Pick<TextOptions, 'maxChars'>): number =>
  Math.min(bytes.length, (maxChars + 1) * MOST_BYTES_PER_UNIT)

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

/** The last character may be cut off by the end of what was looked at. */
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

/** Latin text in UTF-16 has a zero in nearly every second byte, always on the same side. */
function utf16Guess(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES & ~1)
  const zeros = [0, 0]
  for (let i = 0; i < sample.length; i++) if (sample[i] === 0) zeros[i % 2]!++
  const pairs = sample.length >> 1
  if (pairs < 2) return
  if (zeros[1]! > pairs * 0.6 && zeros[0] === 0) return 'utf-16le'
  if (zeros[0]! > pairs * 0.6 && zeros[1] === 0) return 'utf-16be'
}
