'use client'

import { Lock } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { TopBar } from '@/components/common/top-bar'
import { Button } from '@/components/ui/button'
import { Sentence } from '@/components/ui/sentence'
import { useCountdown } from '@/components/ui/use-countdown'
import { unlockByPasskey } from '@/components/vault/passkey'
import { type Done, PassphraseField, Progress } from '@/components/vault/passphrase'
import type { OnProgress } from '@/lib/browser/vault/move-records'
import { findVault, lock, unlock, type VaultFound } from '@/lib/browser/vault/vault'
import { msg, t } from '@/lib/i18n/t'

const TEXTS: Record<VaultFound['stage'], { title: string; about: string; working: string }> = {
  on: {
    title: msg('Your chats are locked'),
    about: msg('Your chats are encrypted on this device. Enter your passphrase to unlock them.'),
    working: msg('Unlocking your chats'),
  },
  filling: {
    title: msg('Vault setup isn’t finished'),
    about: msg('Some chats are not encrypted yet. Unlock to continue. Nothing is lost.'),
    working: msg('Encrypting your chats'),
  },
  emptying: {
    title: msg('Turning off the vault isn’t finished'),
    about: msg('Unlock to continue. Nothing is lost.'),
    working: msg('Decrypting your chats'),
  },
}

export function LockScreen() {
  const [found, setFound] = useState<VaultFound>()
  const [passphrase, setPassphrase] = useState('')
  const [progress, setProgress] = useState<Done>()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [waitUntil, setWaitUntil] = useState(0)
  const seconds = useCountdown(waitUntil)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    findVault((done, of) => setProgress({ done, of })).then(
      (vault) => {
        setFound(vault)
        if (vault) setWaitUntil(Date.now() + vault.waitMs)
      },
      () => setProblem(t('The browser could not open the vault. Reload the page.')),
    )
  }, [])
  useEffect(() => {
    if (found && !isBusy && seconds === 0) field.current?.focus()
  }, [found, isBusy, seconds])
  const onProgress: OnProgress = (done, of) => setProgress({ done, of })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (passphrase === '' || isBusy || seconds > 0) return
    setBusy(true)
    setProblem(undefined)
    try {
      const outcome = await unlock(passphrase, onProgress)
      setPassphrase('')
      if (outcome === 'open') return
      setProblem(t('Wrong passphrase. Try again.'))
      setWaitUntil(Date.now() + outcome.waitMs)
    } catch {
      setProblem(t('Could not finish. There may be too little space on this device. Free up space and try again.'))
    }
    setProgress(undefined)
    setBusy(false)
  }
  const byPasskey = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      return await unlockByPasskey(onProgress)
    } catch {
      setProblem(t('The passkey did not unlock the vault. Enter your passphrase.'))
    }
    setProgress(undefined)
    setBusy(false)
  }
  const texts = TEXTS[found?.stage ?? 'on']
  const isWorking = isBusy || progress !== undefined
  return (
    <>
      <TopBar>{null}</TopBar>
      <div className="thin-scroll flex min-h-0 flex-1 flex-col overflow-y-auto px-6 py-8">
        <form onSubmit={(event) => void submit(event)} className="m-auto w-full max-w-90">
          <Lock aria-hidden="true" className="size-6 text-ink-3" strokeWidth={1.5} />
          <h1 className="mt-3 font-serif text-24 font-[440] tracking-[-0.01em]">{t(texts.title)}</h1>
          <p className="mt-1 text-14 text-ink-2">{t(texts.about)}</p>
          <PassphraseField
            label={t('Passphrase')}
            value={passphrase}
            onChange={setPassphrase}
            isDisabled={!found || isWorking}
            inputRef={field}
          />
          <div role="alert" className="text-14 text-danger">
            {problem && <p className="mt-2">{problem}</p>}
          </div>
          {isWorking ? (
            <Progress label={t(texts.working)} value={progress} />
          ) : (
            <Button type="submit" kind="primary" disabled={!found || seconds > 0} className="mt-3 w-full">
              {seconds > 0 ? t('Try again in {seconds} s', { seconds }) : t('Unlock')}
            </Button>
          )}
          {found?.hasPasskey && !isWorking && (
            <Button className="mt-2 w-full" onClick={() => void byPasskey()}>
              {t('Use passkey')}
            </Button>
          )}
          <p className="mt-6 text-13 text-ink-3">
            <Sentence
              text={t(
                'A forgotten passphrase can’t be recovered. You can <wipe>delete all data here</wipe> and start over, or restore a backup.',
              )}
              parts={{
                wipe: (texts) => (
                  <a href="/settings/privacy#wipe" className="underline underline-offset-4">
                    {texts}
                  </a>
                ),
              }}
            />
          </p>
        </form>
      </div>
    </>
  )
}

/** Stands in the sidebar for the list of chats while they are locked. */
export function LockedList() {
  const pathname = usePathname()
  return (
    <div className="min-h-0 flex-1 px-4 pt-4">
      <p className="flex items-center gap-2 text-13 text-ink-2">
        <Lock aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.5} />
        {t('Your chats are locked.')}
      </p>
      {!pathname.startsWith('/c/') && pathname !== '/' && (
        <a href="/" className="mt-2 inline-block text-14 underline underline-offset-4">
          {t('Unlock')}
        </a>
      )}
    </div>
  )
}

export function LockButton() {
  return (
    <button
      type="button"
      onClick={() => void lock()}
      className="flex min-h-10 w-full items-center gap-2.5 rounded-control px-2 text-14 hover:bg-hover pointer-coarse:min-h-11"
    >
      <Lock aria-hidden="true" className="size-[18px] text-ink-3" strokeWidth={1.5} />
      {t('Lock chats')}
    </button>
  )
}
