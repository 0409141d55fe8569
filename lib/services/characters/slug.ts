import 'server-only'
import { createHash } from 'node:crypto'
import { isUuid, randomText } from '@/lib/contract/ids'

const MAX_CHARACTERS = 48
const SUFFIX_CHARACTERS = 5
const RESERVED = new Set(['mine', 'import', 'new', 'edit', 'export', 'portrait', 'reviews', 'search', 'featured'])
/**
 * Namespace of shipped characters' ids (RFC 9562, version 5), which depend on the slug alone, so that links and ratings
 * survive a new file.
 */
const NAMESPACE = Buffer.from('0b5a7c52f3b14b0c9d8e6a41d2c7e935', 'hex')
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

const SLUG = /^[a-z0-9-]{1,80}$/

export const isSlug = (text: string): boolean => SLUG.test(text)

export function slugOf(name: string, isUnique = false): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  const base = plain.replace(/^-+/, '').slice(0, MAX_CHARACTERS).replace(/-+$/, '') || 'character'
  const needsSuffix = isUnique || base === 'character' || RESERVED.has(base) || isUuid(base)
  return needsSuffix ? `${base}-${randomText(SUFFIX_CHARACTERS).toLowerCase()}` : base
}

export function idOfSlug(slug: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(slug).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export function authorOf(accountId: string | null): string {
  const digest = createHash('sha256')
    .update(`character author ${accountId ?? 'service'}`)
    .digest()
  return Array.from(digest.subarray(0, 5), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
}
