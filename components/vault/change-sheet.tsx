'use client'

import { type FormEvent, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Sheet } from '@/components/ui/sheet'
import { showToast } from '@/components/ui/toast'
import { useNewPassphrase } from '@/components/vault/new-passphrase'
import { PassphraseField } from '@/components/vault/passphrase-field'
import { changePassphrase } from '@/lib/browser/vault/vault'
import { t } from '@/lib/i18n/t'

/** Puts another passphrase in the place of the old one. */
export function ChangeSheet({ onClose }: { onClose: () => void }) {
  const { chosen, fields } = useNewPassphrase()
  const [old, setOld] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!chosen || isBusy) return
    setBusy(true)
    setProblem(undefined)
    if (await changePassphrase(old, chosen)) {
      showToast({ text: t('Passphrase changed') })
      return onClose()
    }
    setProblem(t('The old passphrase is wrong. Try again.'))
    setBusy(false)
  }
  return (
    <Sheet isOpen onClose={onClose} title={t('Change passphrase')}>
      <form onSubmit={(event) => void submit(event)} className="pt-2">
        <p className="text-ink-2">
          {t(
            'Your chats stay as they are. Copies of this browser’s data made earlier still open with the old passphrase.',
          )}
        </p>
        <PassphraseField label={t('Old passphrase')} value={old} onChange={setOld} isDisabled={isBusy} />
        {fields(isBusy)}
        <div role="alert" className="text-danger">
          {problem && <p className="mt-3">{problem}</p>}
        </div>
        <Button type="submit" kind="primary" disabled={!chosen || old === '' || isBusy} className="mt-4 w-full">
          {isBusy ? t('Changing') : t('Change')}
        </Button>
      </form>
    </Sheet>
  )
}
