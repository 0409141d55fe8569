import { askPasskey, makePasskey } from '@/components/vault/passkey'
import { keysOf, newSalt, unwrapByPasskey, wrapByPasskey } from '@/lib/browser/vault/keys'
import type { OnProgress } from '@/lib/browser/vault/turn'
import { dataKeyBy, openOnce, theStore } from '@/lib/browser/vault/vault'

/**
 * Makes a passkey that opens the vault; one that did before no longer does. False when the passphrase is wrong.
 *
 * @throws Error when no passkey was made.
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

/** From now on only the passphrase opens the vault. */
export async function removePasskey(): Promise<void> {
  const wraps = (await theStore().state.get('state'))?.wraps ?? []
  await theStore().state.update('state', { wraps: wraps.filter(({ kind }) => kind !== 'passkey') })
}

export const hasPasskey = async (): Promise<boolean> =>
  (await theStore().state.get('state'))?.wraps.some(({ kind }) => kind === 'passkey') ?? false

/** @throws Error when the person gave up, or it is another vault's passkey. */
export async function unlockByPasskey(onProgress: OnProgress): Promise<void> {
  const wrap = (await theStore().state.get('state'))?.wraps.find(({ kind }) => kind === 'passkey')
  if (wrap?.kind !== 'passkey') throw new Error('There is no passkey.')
  const dataKey = await unwrapByPasskey(wrap, await askPasskey(wrap.credential, wrap.salt))
  if (!dataKey) throw new Error('This passkey does not open the vault.')
  await openOnce(await keysOf(dataKey), onProgress)
}
