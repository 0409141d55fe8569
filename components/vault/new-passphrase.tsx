'use client'

import { useState } from 'react'
import { PassphraseField } from '@/components/vault/passphrase-field'
import { strengthOf } from '@/components/vault/strength'
import { msg, t } from '@/lib/i18n/t'

const HINTS: Record<ReturnType<typeof strengthOf>, string> = {
  short: msg('At least 8 characters. Four or more unrelated words are best.'),
  weak: msg('Weak. Add more words.'),
  fair: msg('Fair. Add one more word.'),
  strong: msg('Strong.'),
}

/** A passphrase that is being chosen, typed twice. `chosen` is given once it can be taken. */
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
        {...(second !== '' && !isSame && { hint: t('The passphrases do not match.') })}
        isNew
        isDisabled={isDisabled}
      />
    </>
  )
  return { chosen, fields }
}
