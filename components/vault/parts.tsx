'use client'

import { type RefObject, useId, useState } from 'react'
import { keysOf, newSalt, unwrapByPasskey, wrapByPasskey } from '@/lib/browser/vault/encryption'
import type { OnProgress } from '@/lib/browser/vault/move-records'
import { dataKeyBy, openOnce, theStore } from '@/lib/browser/vault/vault'
import { SERVICE_NAME } from '@/lib/contract/service-name'
import { msg, t } from '@/lib/i18n/t'

type PassphraseFieldProps = {
  label: string
  value: string
  onChange: (value: string) => void
  isNew?: boolean
  isDisabled?: boolean
  hint?: string | undefined
  inputRef?: RefObject<HTMLInputElement | null>
}

export function PassphraseField({ label, value, onChange, isNew, isDisabled, hint, inputRef }: PassphraseFieldProps) {
  const id = useId()
  return (
    <div className="mt-3">
      <label htmlFor={id} className="text-13 text-ink-2">
        {label}
      </label>
      <input
        ref={inputRef}
        id={id}
        type="password"
        value={value}
        autoComplete={isNew ? 'new-password' : 'current-password'}
        spellCheck={false}
        disabled={isDisabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.value)}
        className="mt-1 block min-h-10 w-full rounded-control border border-control bg-surface px-3 text-14 disabled:opacity-55 pointer-coarse:min-h-11 pointer-coarse:text-16"
      />
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-13 text-ink-2">
          {hint}
        </p>
      )}
    </div>
  )
}

const HINTS: Record<ReturnType<typeof strengthOf>, string> = {
  short: msg('At least 8 characters. Four or more unrelated words are best.'),
  weak: msg('Weak. Add more words.'),
  fair: msg('Fair. Add one more word.'),
  strong: msg('Strong.'),
}

/** Returns the fields of a passphrase that is typed twice; `chosen` is set once it can be taken. */
export function useNewPassphrase() {
  const [first, setFirst] = useState('')
  const [second, setSecond] = useState('')
  const isSame = first === second
  const chosen = isSame && strengthOf(first) !== 'short' ? first : undefined
  const fields = (isDisabled: boolean) => (
    <>
      <PassphraseField
        label={t('New passphrase')}
        value={first}
        onChange={setFirst}
        hint={t(HINTS[strengthOf(first)])}
        isNew
        isDisabled={isDisabled}
      />
      <PassphraseField
        label={t('Confirm passphrase')}
        value={second}
        onChange={setSecond}
        hint={second !== '' && !isSame ? t('The passphrases do not match.') : undefined}
        isNew
        isDisabled={isDisabled}
      />
    </>
  )
  return { chosen, fields }
}

const MIN_PASSPHRASE_CHARS = 8
// Bits of a rough estimate of entropy.
const FAIR_BITS = 45
const STRONG_BITS = 70

const KINDS = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}]/u]

/** Rates a passphrase by its length, different characters and kinds of characters. Known words are not looked up. */
export function strengthOf(passphrase: string): 'short' | 'weak' | 'fair' | 'strong' {
  if (passphrase.length < MIN_PASSPHRASE_CHARS) return 'short'
  const different = new Set(passphrase).size
  const kinds = KINDS.filter((kind) => kind.test(passphrase)).length
  const bits = Math.min(passphrase.length, different * 2) * (2.2 + kinds * 0.7)
  if (bits < FAIR_BITS) return 'weak'
  return bits < STRONG_BITS ? 'fair' : 'strong'
}

export type Done = { done: number; of: number }

export function Progress({ label, value }: { label: string; value: Done | undefined }) {
  const part = value && value.of > 0 ? value.done / value.of : 0
  return (
    <div className="mt-4">
      <p className="text-13 text-ink-2">{label}</p>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(part * 100)}
        className="mt-2 h-1 w-full overflow-hidden rounded-chip bg-sunken"
      >
        <div className="h-full bg-accent" style={{ width: `${part * 100}%` }} />
      </div>
    </div>
  )
}

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
