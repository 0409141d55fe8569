'use client'

import { Popover } from 'radix-ui'
import { useState } from 'react'
import { CapField } from '@/components/common/spending-cap-fields'
import { Button } from '@/components/ui/button'
import { OVERLAY } from '@/components/ui/menu'
import { t } from '@/lib/i18n/t'

type RaiseCapProps = { name: 'capPerMessage' | 'capPerDay'; isBusy: boolean; goOn?: string; onRaised: () => void }

export function RaiseCap({ name, isBusy, goOn = t('Save and send'), onRaised }: RaiseCapProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger asChild>
        <Button kind="primary" disabled={isBusy}>
          {t('Raise cap')}
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label={t('Change cap')}
          className={`${OVERLAY} w-64 p-4`}
        >
          <form
            className="space-y-3"
            onSubmit={(event) => {
              event.preventDefault()
              setIsOpen(false)
              onRaised()
            }}
          >
            <CapField name={name} label={name === 'capPerDay' ? t('Cap per day') : t('Cap per message')} hasFocus />
            <Button kind="primary" type="submit" className="w-full">
              {goOn}
            </Button>
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
