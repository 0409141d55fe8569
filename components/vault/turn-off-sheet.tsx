'use client'

import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Sheet } from '@/components/ui/sheet'
import { type Done, Progress } from '@/components/vault/progress'
import { turnOff } from '@/lib/browser/vault/vault'
import { t } from '@/lib/i18n/t'

/** Puts all chats back as they were before the vault. The page is loaded anew at the end. */
export function TurnOffSheet({ onClose }: { onClose: () => void }) {
  const [progress, setProgress] = useState<Done>()
  const [problem, setProblem] = useState<string>()
  const isBusy = progress !== undefined
  const off = async () => {
    setProblem(undefined)
    setProgress({ done: 0, of: 1 })
    try {
      await turnOff((done, of) => setProgress({ done, of }))
    } catch {
      setProblem(t('Could not turn off the vault. There may be too little space. Nothing was changed.'))
      setProgress(undefined)
    }
  }
  return (
    <Sheet isOpen onClose={() => !isBusy && onClose()} title={t('Turn off vault')} isHeld>
      <p className="pt-2 text-ink-2">
        {t(
          'Your chats will be stored unencrypted in this browser, as before. Anyone who can use this browser can read them.',
        )}
      </p>
      <div role="alert" className="text-danger">
        {problem && <p className="mt-3">{problem}</p>}
      </div>
      {isBusy ? (
        <Progress label={t('Decrypting your chats')} value={progress} />
      ) : (
        <Button kind="primary" className="mt-4 w-full" onClick={() => void off()}>
          {t('Turn off')}
        </Button>
      )}
    </Sheet>
  )
}
