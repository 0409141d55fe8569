import { keysOf, newSalt, unwrapByPasskey, wrapByPasskey } from '@/lib/browser/vault/encryption'
import type { OnProgress } from '@/lib/browser/vault/move-records'
import { dataKeyBy, openOnce, theStore } from '@/lib/browser/vault/vault'
import { SERVICE_NAME } from '@/lib/contract/service-name'
import { t } from '@/lib/i18n/t'

/**
 * Adds a passkey that opens the vault, in place of one before. False when the passphrase is wrong. @throws Error when
 * no passkey was made.
 */
export async function addPasskey(passphrase: string): Promise<boolean> {
  const dataKey = await dataKeyBy(passphrase)
  if (!dataKey) return false
  const salt = newSalt()
  const { credential, secret } = await makePasskey(salt)
  const wrap = await wrapByPasskey(dataKey, secret, credential, salt)
  const others = ((await theStore().state.get('state'))?.wraps ?? []).filter(({ kind }) => kind !== 'passkey')
  await theStore().state.update('state', { wraps: [...others, wrap] })
  return true
}

export async function removePasskey(): Promise<void> {
  const wraps = (await theStore().state.get('state'))?.wraps ?? []
  await theStore().state.update('state', { wraps: wraps.filter(({ kind }) => kind !== 'passkey') })
}

export const hasPasskey = async (): Promise<boolean> =>
  (await theStore().state.get('state'))?.wraps.some(({ kind }) => kind === 'passkey') ?? false

/** @throws Error when the person gave up, or the passkey belongs to another vault. */
export async function unlockByPasskey(onProgress: OnProgress): Promise<void> {
  const wrap = (await theStore().state.get('state'))?.wraps.find(({ kind }) => kind === 'passkey')
  if (wrap?.kind !== 'passkey') throw new Error('There is no passkey.')
  const dataKey = await unwrapByPasskey(wrap, await askPasskey(wrap.credential, wrap.salt))
  if (!dataKey) throw new Error('This passkey does not open the vault.')
  await openOnce(await keysOf(dataKey), onProgress)
}

type Bytes = Uint8Array<ArrayBuffer>

/** Tells whether the passkeys of this browser can give a secret (WebAuthn PRF extension). */
export async function canUsePasskey(): Promise<boolean> {
  if (typeof PublicKeyCredential === 'undefined') return false
  const known = await PublicKeyCredential.getClientCapabilities?.().catch(() => undefined)
  return known?.['extension:prf'] === true
}

/** @throws Error when the person gave up, or the passkey gives no secret. */
async function makePasskey(salt: Bytes): Promise<{ credential: Bytes; secret: BufferSource }> {
  const name = t('Vault of this browser')
  const made = await navigator.credentials.create({
    publicKey: {
      rp: { name: SERVICE_NAME },
      user: { id: newSalt(), name, displayName: name },
      // Nobody checks the answer: what counts is the secret.
      challenge: newSalt(),
      // ES256 and RS256.
      pubKeyCredParams: [-7, -257].map((alg) => ({ type: 'public-key' as const, alg })),
      authenticatorSelection: { userVerification: 'required', residentKey: 'preferred' },
      extensions: { prf: { eval: { first: salt } } },
    },
  })
  if (!(made instanceof PublicKeyCredential)) throw new Error('No passkey was made.')
  const { prf } = made.getClientExtensionResults()
  if (!prf?.enabled && !prf?.results) throw new Error('This passkey cannot open a vault.')
  const credential = new Uint8Array(made.rawId)
  // Some give the secret only when they are used.
  return { credential, secret: prf.results?.first ?? (await askPasskey(credential, salt)) }
}

/** @throws Error when the person gave up, or the passkey gives no secret. */
async function askPasskey(credential: Bytes, salt: Bytes): Promise<BufferSource> {
  const used = await navigator.credentials.get({
    publicKey: {
      challenge: newSalt(),
      allowCredentials: [{ type: 'public-key', id: credential }],
      userVerification: 'required',
      extensions: { prf: { eval: { first: salt } } },
    },
  })
  const secret = used instanceof PublicKeyCredential ? used.getClientExtensionResults().prf?.results?.first : undefined
  if (!secret) throw new Error('The passkey gave no secret.')
  return secret
}
