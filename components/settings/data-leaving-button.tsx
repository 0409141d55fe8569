'use client'

import { Lock, LockOpen } from 'lucide-react'
import { IconButton } from '@/components/ui/button'
import { createPart, usePopover } from '@/components/ui/part'
import type { ModelCard } from '@/lib/browser/models'
import { t } from '@/lib/i18n/t'

const dataLeavingPanel = createPart(() => import('@/components/settings/data-leaving'))

type DataLeavingButtonProps = { chatId: string | null; model: ModelCard }

export function DataLeavingButton({ chatId, model }: DataLeavingButtonProps) {
  const { trigger, popover } = usePopover(dataLeavingPanel)
  const isPrivate = model.privacy === 'private'
  const Icon = isPrivate ? Lock : LockOpen
  return (
    <span className="max-sm:hidden">
      <IconButton
        {...trigger}
        label={
          isPrivate ? t('Data leaving this device: private model') : t('Data leaving this device: anonymised model')
        }
        className={isPrivate ? 'bar-tool text-ok' : 'bar-tool'}
      >
        <Icon aria-hidden="true" />
        <span className="bar-label">{isPrivate ? t('Private') : t('Anonymised')}</span>
      </IconButton>
      {popover && <popover.part.DataLeavingPanel {...popover.props} chatId={chatId} model={model} />}
    </span>
  )
}
