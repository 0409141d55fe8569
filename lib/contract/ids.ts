// Bytes per request for randomness: single requests would cost ten times as much.
const POOL_BYTES = 4_096
const pool = new Uint8Array(POOL_BYTES)
let used = POOL_BYTES
const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

export const uuid = (): string => crypto.randomUUID()

export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

export function newId(prefix: string): string {
  return `${prefix}-${hex(12)}`
}

/** Returns `bytes` random bytes as lower-case hex, at most `POOL_BYTES`. */
export function hex(bytes: number): string {
  if (used + bytes > POOL_BYTES) {
    crypto.getRandomValues(pool)
    used = 0
  }
  let digits = ''
  for (const end = used + bytes; used < end; used++) digits += DIGITS[pool[used]!]
  return digits
}

/** Returns random letters and digits without modulo bias, about 5.95 bits each. */
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
