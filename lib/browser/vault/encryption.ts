/**
 * The keys of the vault. The keys of the ciphertexts (AES-256-GCM) and of the records' names (HMAC-SHA-256) are derived
 * from one random data key, which is stored only encrypted with a passphrase or a passkey.
 */

/** OWASP's figure for PBKDF2-SHA-256 (2023). */
const ITERATIONS = 600_000
const IV_BYTES = 12
const SALT_BYTES = 16
const DATA_KEY_BYTES = 32

type Bytes = Uint8Array<ArrayBuffer>

export type VaultKeys = { cipher: CryptoKey; names: CryptoKey }

export type Sealed = { iv: Bytes; data: ArrayBuffer }

export type Wrap = Sealed & { salt: Bytes } & (
    | { kind: 'passphrase'; iterations: number }
    | { kind: 'passkey'; credential: Bytes }
  )

export const newDataKey = (): Bytes => crypto.getRandomValues(new Uint8Array(DATA_KEY_BYTES))
export const newSalt = (): Bytes => crypto.getRandomValues(new Uint8Array(SALT_BYTES))

export async function keysOf(dataKey: Bytes): Promise<VaultKeys> {
  const base = await crypto.subtle.importKey('raw', dataKey, 'HKDF', false, ['deriveKey'])
  const [cipher, names] = await Promise.all([
    crypto.subtle.deriveKey(hkdf('records'), base, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']),
    crypto.subtle.deriveKey(hkdf('names'), base, { name: 'HMAC', hash: 'SHA-256', length: 256 }, false, ['sign']),
  ])
  return { cipher, names }
}

const hkdf = (purpose: string, salt: Bytes = new Uint8Array()) => ({
  name: 'HKDF',
  hash: 'SHA-256',
  salt,
  info: new TextEncoder().encode(`lagoon vault ${purpose}`),
})

export async function wrapByPassphrase(dataKey: Bytes, passphrase: string, iterations = ITERATIONS): Promise<Wrap> {
  const salt = newSalt()
  const key = await passphraseKey(passphrase, salt, iterations)
  return { kind: 'passphrase', salt, iterations, ...(await encrypt(key, dataKey)) }
}

/** Returns the data key; `undefined` when the passphrase is another one. */
export async function unwrapByPassphrase(wrap: Wrap, passphrase: string): Promise<Bytes | undefined> {
  if (wrap.kind !== 'passphrase') return undefined
  return decrypt(await passphraseKey(passphrase, wrap.salt, wrap.iterations), wrap)
}

export async function wrapByPasskey(dataKey: Bytes, secret: BufferSource, credential: Bytes, salt: Bytes) {
  const key = await passkeyKey(secret)
  return { kind: 'passkey', salt, credential, ...(await encrypt(key, dataKey)) } satisfies Wrap
}

export async function unwrapByPasskey(wrap: Wrap, secret: BufferSource): Promise<Bytes | undefined> {
  return decrypt(await passkeyKey(secret), wrap)
}

export async function recordName({ names }: VaultKeys, table: string, key: unknown): Promise<string> {
  const signed = await crypto.subtle.sign('HMAC', names, new TextEncoder().encode(JSON.stringify([table, key])))
  return btoa(String.fromCharCode(...new Uint8Array(signed)))
}

/** Bound to the name, so that no ciphertext can be put in the place of another. */
export const encryptRecord = ({ cipher }: VaultKeys, name: string, plain: Bytes): Promise<Sealed> =>
  encrypt(cipher, plain, new TextEncoder().encode(name))

export const decryptRecord = ({ cipher }: VaultKeys, name: string, sealed: Sealed): Promise<Bytes | undefined> =>
  decrypt(cipher, sealed, new TextEncoder().encode(name))

async function encrypt(key: CryptoKey, plain: Bytes, additionalData = new Uint8Array()): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  return { iv, data: await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, key, plain) }
}

async function decrypt(key: CryptoKey, { iv, data }: Sealed, additionalData = new Uint8Array()) {
  const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, key, data).catch(() => undefined)
  return plain && new Uint8Array(plain)
}

async function passphraseKey(passphrase: string, salt: Bytes, iterations: number): Promise<CryptoKey> {
  const typed = new TextEncoder().encode(passphrase.normalize('NFC'))
  const base = await crypto.subtle.importKey('raw', typed, 'PBKDF2', false, ['deriveKey'])
  const how = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations }
  return crypto.subtle.deriveKey(how, base, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

async function passkeyKey(secret: BufferSource): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey'])
  const how = hkdf('passkey')
  return crypto.subtle.deriveKey(how, base, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}
