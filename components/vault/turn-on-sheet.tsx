'use client'

import { type FormEvent, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Sheet } from '@/components/ui/sheet'
import { useNewPassphrase } from '@/components/vault/new-passphrase'
import { type Done, Progress } from '@/components/vault/progress'
import { openSheet } from '@/lib/browser/history-sheet'
import { turnOn } from '@/lib/browser/vault/vault'
import { t } from '@/lib/i18n/t'

/** Asks for a passphrase, says what it means, and encrypts all chats. The page is loaded anew at the end. */
export function TurnOnSheet({ onClose }: { onClose: () => void }) {
  const { chosen, fields } = useNewPassphrase()
  const [progress, setProgress] = useState<Done>()
  const [problem, setProblem] = useState<string>()
  const isBusy = progress !== undefined
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!chosen || isBusy) return
    setProblem(undefined)
    setProgress({ done: 0, of: 1 })
    try {
      await turnOn(chosen, (done, of) => setProgress({ done, of }))
    } catch {
      setProblem(t('Could not finish. There may be too little space. Reload the page to continue. Nothing is lost.'))
      setProgress(undefined)
    }
  }
  const backUp = () => {
    onClose()
    openSheet({ kind: 'archive' })
  }
  return (
    <Sheet isOpen onClose={() => !isBusy && onClose()} title={t('Turn on vault')} isHeld>
      <form onSubmit={(event) => void submit(event)} className="pt-2">
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
        <div role="alert" className="text-danger">
          {problem && <p className="mt-3">{problem}</p>}
        </div>
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
