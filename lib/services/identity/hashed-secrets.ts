import 'server-only'
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { randomText } from '@/lib/contract/ids'

/** 255 random bits: beyond guessing, so that a fast hash is enough to store. */
const RANDOM_CHARACTERS = 43
/**
 * A CRC-32 in base 62: leak scanners tell a real secret from a look-alike, and typing errors never reach the database.
 */
const CHECKSUM_CHARACTERS = 6
const BODY = new RegExp(`^[A-Za-z0-9]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`)
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function newSecret(prefix: string): string {
  const open = prefix + randomText(RANDOM_CHARACTERS)
  return open + checksum(open)
}

export function isWellFormed(secret: string, prefix: string): boolean {
  if (secret.length !== prefix.length + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS) return false
  if (!secret.startsWith(prefix) || !BODY.test(secret.slice(prefix.length))) return false
  return secret.endsWith(checksum(secret.slice(0, -CHECKSUM_CHARACTERS)))
}

export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex')

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM_CHARACTERS; place++) {
    digits = BASE62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
