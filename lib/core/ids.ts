const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** A version 4 UUID: keys, holds, accounts, queue ids. */
export const uuid = (): string => crypto.randomUUID()

/** A random id with a prefix, as the field writes them. @example newId('chatcmpl') // "chatcmpl-4f9a…", 24 hex digits */
export function newId(prefix: string): string {
  return `${prefix}-${hex(12)}`
}

/** `bytes` random bytes as lower-case hex. */
export function hex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
}

/** `length` random letters and digits without modulo bias: about 5.95 bits each. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 = 4 × 62: bytes above it would favour the first letters.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62]
    }
  }
  return text
}
