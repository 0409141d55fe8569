'use client'

import { type RefObject, useId, useState } from 'react'
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
