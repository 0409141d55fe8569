const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** A version 4 UUID: keys, holds, accounts, queue ids. */
export const uuid = (): string => crypto.randomUUID()

/** A random id with a prefix, as the field writes them. @example newId('chatcmpl') // "chatcmpl-4f9a…", 24 hex digits */
export function newId(prefix: string): string {
  return `${prefix}-${hex(12)}`
}

/**
 * `bytes` random bytes as lower-case hex. Taken from UUIDs, whose source the platform keeps filled: a twentieth of the time
 * of asking for single bytes. The twelve digits around a UUID's version and variant are left out; all others are random.
 */
export function hex(bytes: number): string {
  let digits = ''
  while (digits.length < bytes * 2) {
    const text = crypto.randomUUID()
    digits += text.slice(0, 8) + text.slice(24)
  }
  return digits.slice(0, bytes * 2)
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
