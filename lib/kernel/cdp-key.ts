import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

export type CdpKey = { id: string; alg: 'EdDSA' | 'ES256'; key: KeyObject }

const SEED_BYTES = 32
const ED25519_PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Parses an API key of the Coinbase Developer Platform: base64 of an Ed25519 seed and its public key, or an EC P-256
 * key as PEM (line breaks may be written as `
 * `).
 *
 * @throws Error when it is neither.
 */
export function parseCdpKey(id: string, secret: string): CdpKey {
  const text = secret.trim().replaceAll('\\n', '\n')
  if (text.startsWith('-----BEGIN')) {
    const key = createPrivateKey(text)
    if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('not a P-256 key')
    return { id, alg: 'ES256', key }
  }
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== 2 * SEED_BYTES) throw new Error('not 64 bytes')
  const [seed, publicKey] = [bytes.subarray(0, SEED_BYTES), bytes.subarray(SEED_BYTES)]
  const key = createPrivateKey({ key: Buffer.concat([ED25519_PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  if (createPublicKey(key).export({ format: 'jwk' }).x !== publicKey.toString('base64url')) {
    throw new Error('the two halves do not belong together')
  }
  return { id, alg: 'EdDSA', key }
}
