'use client'

import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { wipeEverything } from '@/components/settings/erase-data'
import { Button } from '@/components/ui/button'
import { Setting } from '@/components/ui/setting'
import { t } from '@/lib/i18n/t'

/** Deletes all that is kept here. The one deletion that is asked about first, since nothing brings it back. */
export function WipeSetting() {
  const [step, setStep] = useState<'closed' | 'asking' | 'wiping'>('closed')
  const keep = useRef<HTMLButtonElement>(null)
  const ask = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (step === 'asking') keep.current?.focus()
  }, [step])
  const stay = () => {
    flushSync(() => setStep('closed'))
    ask.current?.focus()
  }
  const wipe = () => {
    setStep('wiping')
    void wipeEverything()
  }
  return (
    <Setting id="wipe" isWide>
      {step === 'closed' ? (
        <Button ref={ask} className="text-danger" onClick={() => setStep('asking')}>
          {t('Delete all data')}
        </Button>
      ) : (
        <div role="alert" className="max-w-120 rounded-card border border-danger p-4">
          <p className="text-14">
            {t(
              'All chats, drafts, files, settings and your own characters in this browser are permanently deleted. Payments not yet credited are kept. Your shared links are revoked if the service can be reached.',
            )}
          </p>
          <div className="mt-3 flex flex-wrap gap-2">
            <Button ref={keep} disabled={step === 'wiping'} onClick={stay}>
              {t('Keep everything')}
            </Button>
            <Button className="text-danger" disabled={step === 'wiping'} onClick={wipe}>
              {step === 'wiping' ? t('Deleting') : t('Delete permanently')}
            </Button>
          </div>
        </div>
      )}
    </Setting>
  )
}
