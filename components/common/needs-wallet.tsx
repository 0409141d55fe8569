'use client'

import { Button } from '@/components/ui/button'
import { openWallet } from '@/lib/browser/dialogs'
import { t } from '@/lib/i18n/t'

export function NeedsWallet({ title, text }: { title: string; text: string }) {
  return (
    <div className="flex flex-col items-center gap-5 pt-[12vh] text-center">
      <h2 className="font-serif text-24 text-balance md:text-40 md:font-[420] md:tracking-[-0.02em]">{title}</h2>
      <p className="max-w-100 text-14 text-ink-2">{text}</p>
      <Button kind="primary" className="min-h-11 px-5" onClick={() => void openWallet()}>
        {t('Connect a wallet')}
      </Button>
    </div>
  )
}
