import 'server-only'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { installation } from '@/lib/db/schema/accounts'

const SECRET_BYTES = 32

type SecretCache = { database: Database; secrets: Map<string, Promise<Uint8Array>> }
const holder = globalThis as typeof globalThis & { __serviceSecrets?: SecretCache }

/**
 * Returns a secret of this installation: what one process signs with it is valid in all of them, and after a restart.
 */
export async function installationSecret(name: string): Promise<Uint8Array> {
  const database = await getDb()
  if (holder.__serviceSecrets?.database !== database) holder.__serviceSecrets = { database, secrets: new Map() }
  const { secrets } = holder.__serviceSecrets
  const known = secrets.get(name)
  if (known) return known
  const secret = cachedSecret(database, name).catch((error: unknown) => {
    secrets.delete(name)
    throw error
  })
  secrets.set(name, secret)
  return secret
}

/** Signs data with a secret of this installation: HMAC-SHA256. */
export async function signatureOf(name: string, data: string | Uint8Array): Promise<Buffer> {
  return createHmac('sha256', await installationSecret(name))
    .update(data)
    .digest()
}

/** Checks a signature of `signatureOf` in constant time. */
export async function isSignatureOf(name: string, data: string | Uint8Array, sent: Uint8Array): Promise<boolean> {
  const own = await signatureOf(name, data)
  return sent.length === own.length && timingSafeEqual(sent, own)
}

async function cachedSecret({ drizzle }: Database, name: string): Promise<Uint8Array> {
  const made = Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64')
  // Processes that start at once all make one; the first that is written is everybody's.
  await drizzle.insert(installation).values({ key: name, value: made }).onConflictDoNothing()
  const [row] = await drizzle.select().from(installation).where(eq(installation.key, name))
  return Buffer.from(row!.value, 'base64')
}
