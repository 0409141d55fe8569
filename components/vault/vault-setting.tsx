'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { Button } from '@/components/ui/button'
import { Choice } from '@/components/ui/form-fields'
import { Sheet } from '@/components/ui/modal'
import { Sentence } from '@/components/ui/sentence'
import { Setting } from '@/components/ui/setting'
import { showToast } from '@/components/ui/toast'
import { addPasskey, canUsePasskey, hasPasskey, removePasskey } from '@/components/vault/passkey'
import { type Done, PassphraseField, Progress, useNewPassphrase } from '@/components/vault/passphrase'
import { openHistorySheet } from '@/lib/browser/dialogs'
import { usePreference } from '@/lib/browser/preferences'
import { vaultView } from '@/lib/browser/vault/flag'
import type { OnProgress } from '@/lib/browser/vault/move-records'
import { changePassphrase, lock, turnOff, turnOn } from '@/lib/browser/vault/vault'
import { msg, t } from '@/lib/i18n/t'

const IDLE = [
  { value: '5', label: msg('5 minutes') },
  { value: '15', label: msg('15 minutes') },
  { value: '60', label: msg('1 hour') },
  { value: 'never', label: msg('Never') },
] as const

export function VaultSetting() {
  const vault = useStore(vaultView)
  const [idle, setIdle] = usePreference('vaultIdle')
  const [sheet, setSheet] = useState<'on' | 'off' | 'change' | 'passkey'>()
  const close = () => setSheet(undefined)
  return (
    <Setting id="vault" isWide>
      {vault === 'off' && <Button onClick={() => setSheet('on')}>{t('Turn on vault')}</Button>}
      {vault === 'locked' && (
        <p className="text-14 text-ink-2">
          <Sentence
            text={t('The vault is on and locked. <unlock>Unlock</unlock>')}
            parts={{
              unlock: (text) => (
                <a href="/" className="underline underline-offset-4">
                  {text}
                </a>
              ),
            }}
          />
        </p>
      )}
      {vault === 'open' && (
        <>
          <p className="mb-2 text-14 text-ink-2">{t('The vault is on. It locks after this time without activity:')}</p>
          <Choice
            label={t('Lock after')}
            options={IDLE.map(({ value, label }) => ({ value, label: t(label) }))}
            value={idle}
            onChange={setIdle}
          />
          <div className="mt-3 flex flex-wrap gap-2">
            <Button onClick={() => void lock()}>{t('Lock now')}</Button>
            <Button onClick={() => setSheet('change')}>{t('Change passphrase')}</Button>
            <PasskeyButton onAdd={() => setSheet('passkey')} />
            <Button onClick={() => setSheet('off')}>{t('Turn off vault')}</Button>
          </div>
        </>
      )}
      {sheet === 'on' && <TurnOnSheet onClose={close} />}
      {sheet === 'off' && <TurnOffSheet onClose={close} />}
      {sheet === 'passkey' && <PasskeySheet onClose={close} />}
      {sheet === 'change' && <ChangeSheet onClose={close} />}
    </Setting>
  )
}

function PasskeyButton({ onAdd }: { onAdd: () => void }) {
  const [isSupported, setSupported] = useState(false)
  const isThere = useLiveQuery(hasPasskey, [])
  useEffect(() => {
    void canUsePasskey().then(setSupported)
  }, [])
  if (isThere) return <Button onClick={() => void removePasskey()}>{t('Remove passkey')}</Button>
  return isSupported && isThere === false ? <Button onClick={onAdd}>{t('Add passkey')}</Button> : null
}

type SheetProps = { onClose: () => void }

function TurnOnSheet({ onClose }: SheetProps) {
  const { chosen, fields } = useNewPassphrase()
  const { progress, problem, run } = useTurning(
    t('Could not finish. There may be too little space. Reload the page to continue. Nothing is lost.'),
  )
  const isBusy = progress !== undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (chosen && !isBusy) void run((onProgress) => turnOn(chosen, onProgress))
  }
  const backUp = () => {
    onClose()
    openHistorySheet({ kind: 'archive' })
  }
  return (
    <Sheet isOpen onClose={() => !isBusy && onClose()} title={t('Turn on vault')} isHeld>
      <form onSubmit={submit} className="pt-2">
        <p className="text-ink-2">
          {t(
            'Chats, files, your characters and shared links are encrypted on this device. They can be read only while this page is open and unlocked.',
          )}
        </p>
        <p className="mt-3 rounded-control border border-brass p-3">
          {t('This passphrase can’t be recovered. Without it your chats are lost, so make a backup.')}
        </p>
        <Button className="mt-3" disabled={isBusy} onClick={backUp}>
          {t('Create a backup first')}
        </Button>
        {fields(isBusy)}
        <p className="mt-3 text-13 text-ink-3">
          {t(
            'Unsent text is kept only until the page locks. Current drafts are deleted. Settings and RPC calls are not encrypted.',
          )}
        </p>
        <Problem text={problem} />
        {isBusy ? (
          <Progress label={t('Encrypting your chats')} value={progress} />
        ) : (
          <Button type="submit" kind="primary" disabled={!chosen} className="mt-4 w-full">
            {t('Turn on and lock')}
          </Button>
        )}
      </form>
    </Sheet>
  )
}

function TurnOffSheet({ onClose }: SheetProps) {
  const { progress, problem, run } = useTurning(
    t('Could not turn off the vault. There may be too little space. Nothing was changed.'),
  )
  const isBusy = progress !== undefined
  return (
    <Sheet isOpen onClose={() => !isBusy && onClose()} title={t('Turn off vault')} isHeld>
      <p className="pt-2 text-ink-2">
        {t(
          'Your chats will be stored unencrypted in this browser, as before. Anyone who can use this browser can read them.',
        )}
      </p>
      <Problem text={problem} />
      {isBusy ? (
        <Progress label={t('Decrypting your chats')} value={progress} />
      ) : (
        <Button kind="primary" className="mt-4 w-full" onClick={() => void run(turnOff)}>
          {t('Turn off')}
        </Button>
      )}
    </Sheet>
  )
}

// Runs what reloads the page at its end, so that only a failure comes back.
function useTurning(failure: string) {
  const [progress, setProgress] = useState<Done>()
  const [problem, setProblem] = useState<string>()
  const run = async (turn: (onProgress: OnProgress) => Promise<unknown>) => {
    setProblem(undefined)
    setProgress({ done: 0, of: 1 })
    try {
      await turn((done, of) => setProgress({ done, of }))
    } catch {
      setProblem(failure)
      setProgress(undefined)
    }
  }
  return { progress, problem, run }
}

function ChangeSheet({ onClose }: SheetProps) {
  const { chosen, fields } = useNewPassphrase()
  const [old, setOld] = useState('')
  const change = async () => {
    if (!chosen || !(await changePassphrase(old, chosen))) return t('The old passphrase is wrong. Try again.')
    showToast({ text: t('Passphrase changed') })
    onClose()
    return undefined
  }
  return (
    <FormSheet
      title={t('Change passphrase')}
      about={t(
        'Your chats stay as they are. Copies of this browser’s data made earlier still open with the old passphrase.',
      )}
      label={t('Change')}
      busyLabel={t('Changing')}
      canSubmit={chosen !== undefined && old !== ''}
      onSubmit={change}
      onClose={onClose}
    >
      {(isBusy) => (
        <>
          <PassphraseField label={t('Old passphrase')} value={old} onChange={setOld} isDisabled={isBusy} />
          {fields(isBusy)}
        </>
      )}
    </FormSheet>
  )
}

function PasskeySheet({ onClose }: SheetProps) {
  const [passphrase, setPassphrase] = useState('')
  const add = async () => {
    try {
      if (!(await addPasskey(passphrase))) return t('Wrong passphrase. Try again.')
    } catch {
      return t('No passkey was added. Not every passkey works with the vault. Try another one.')
    }
    showToast({ text: t('Passkey added') })
    onClose()
    return undefined
  }
  return (
    <FormSheet
      title={t('Add passkey')}
      about={t('Unlock the vault with the fingerprint, face or PIN of this device. Your passphrase still works.')}
      label={t('Add passkey')}
      busyLabel={t('Waiting for passkey')}
      canSubmit={passphrase !== ''}
      onSubmit={add}
      onClose={onClose}
    >
      {(isBusy) => (
        <PassphraseField label={t('Passphrase')} value={passphrase} onChange={setPassphrase} isDisabled={isBusy} />
      )}
    </FormSheet>
  )
}

type FormSheetProps = SheetProps & {
  title: string
  about: string
  label: string
  busyLabel: string
  canSubmit: boolean
  /** Resolves with what went wrong; otherwise it has closed the sheet. */
  onSubmit: () => Promise<string | undefined>
  children: (isBusy: boolean) => ReactNode
}

function FormSheet({ title, about, label, busyLabel, canSubmit, onSubmit, onClose, children }: FormSheetProps) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!canSubmit || isBusy) return
    setBusy(true)
    setProblem(undefined)
    const failure = await onSubmit()
    if (!failure) return
    setProblem(failure)
    setBusy(false)
  }
  return (
    <Sheet isOpen onClose={onClose} title={title}>
      <form onSubmit={(event) => void submit(event)} className="pt-2">
        <p className="text-ink-2">{about}</p>
        {children(isBusy)}
        <Problem text={problem} />
        <Button type="submit" kind="primary" disabled={!canSubmit || isBusy} className="mt-4 w-full">
          {isBusy ? busyLabel : label}
        </Button>
      </form>
    </Sheet>
  )
}

const Problem = ({ text }: { text: string | undefined }) => (
  <div role="alert" className="text-danger">
    {text && <p className="mt-3">{text}</p>}
  </div>
)
