import 'server-only'
import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import type { CdpKey } from '@/lib/kernel/cdp-key'

/** Source: Coinbase Developer Platform, "JWT authentication". */
const LIFETIME_SECONDS = 120
const NONCE_BYTES = 16

/** Signs one request to the Coinbase Developer Platform: the token is good for this method and address only, for two minutes. */
export function cdpToken({ id, alg, key }: CdpKey, method: 'GET' | 'POST', address: string): Promise<string> {
  const { host, pathname } = new URL(address)
  const now = Math.floor(Date.now() / 1_000)
  return new SignJWT({ uris: [`${method} ${host}${pathname}`] })
    .setProtectedHeader({ alg, typ: 'JWT', kid: id, nonce: randomBytes(NONCE_BYTES).toString('hex') })
    .setIssuer('cdp')
    .setSubject(id)
    .setAudience(['cdp_service'])
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(now + LIFETIME_SECONDS)
    .sign(key)
}
