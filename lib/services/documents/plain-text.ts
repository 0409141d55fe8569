import { ExtractionError } from './parser-protocol.ts'
import { cutText, dropInvisible } from './text-sink.ts'

/** UTF-8 takes 3 bytes for one UTF-16 unit, GB18030 4 for a pair. */
const MAX_BYTES_PER_UNIT = 4
const SAMPLE_BYTES = 4096

export type TextOptions = {
  charset?: string
  /** Sent as text: bytes that are not UTF-8 are then read as windows-1252, which old spreadsheets export. */
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
