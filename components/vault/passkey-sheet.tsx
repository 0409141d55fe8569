'use client'

import { type FormEvent, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Sheet } from '@/components/ui/sheet'
import { showToast } from '@/components/ui/toast'
import { addPasskey } from '@/components/vault/by-passkey'
import { PassphraseField } from '@/components/vault/passphrase-field'
import { t } from '@/lib/i18n/t'

/** Lets a passkey open the vault as well. */
export function PasskeySheet({ onClose }: { onClose: () => void }) {
  const [passphrase, setPassphrase] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (passphrase === '' || isBusy) return
    setBusy(true)
    setProblem(undefined)
    try {
      if (await addPasskey(passphrase)) {
        showToast({ text: t('Passkey added') })
        return onClose()
      }
      setProblem(t('Wrong passphrase. Try again.'))
    } catch {
      setProblem(t('No passkey was added. Not every passkey works with the vault. Try another one.'))
    }
    setBusy(false)
  }
  return (
    <Sheet isOpen onClose={onClose} title={t('Add passkey')}>
      <form onSubmit={(event) => void submit(event)} className="pt-2">
        <p className="text-ink-2">
          {t('Unlock the vault with the fingerprint, face or PIN of this device. Your passphrase still works.')}
        </p>
        <PassphraseField label={t('Passphrase')} value={passphrase} onChange={setPassphrase} isDisabled={isBusy} />
        <div role="alert" className="text-danger">
          {problem && <p className="mt-3">{problem}</p>}
        </div>
        <Button type="submit" kind="primary" disabled={passphrase === '' || isBusy} className="mt-4 w-full">
          {isBusy ? t('Waiting for passkey') : t('Add passkey')}
        </Button>
      </form>
    </Sheet>
  )
}
