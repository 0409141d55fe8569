'use client'

import { Button } from '@/components/ui/button'
import { newChat } from '@/lib/browser/commands'
import { t } from '@/lib/i18n/t'

export function GoneChat() {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-4 px-6 text-center">
      <h1 className="font-serif text-24">{t('This temporary chat has been deleted.')}</h1>
      <p className="max-w-90 text-14 text-ink-2">
        {t('Temporary chats are never saved on this device. Charges are listed in your wallet’s transactions.')}
      </p>
      <Button kind="primary" onClick={newChat}>
        {t('New chat')}
      </Button>
    </div>
  )
}
