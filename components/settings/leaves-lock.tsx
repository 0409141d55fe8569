'use client'

import { Lock, LockOpen } from 'lucide-react'
import { IconButton } from '@/components/ui/button'
import { createPart } from '@/components/ui/part'
import { usePopover } from '@/components/ui/use-popover'
import type { ModelCard } from '@/lib/browser/models'
import { t } from '@/lib/i18n/t'

/** Fetched when it is first opened, or about to be. */
const leavesPanel = createPart(() => import('@/components/settings/leaves-panel'))

type LeavesLockProps = { chatId: string | null; model: ModelCard }

/** A lock that says how the model treats what it is sent, and opens what the next question takes with it. */
export function LeavesLock({ chatId, model }: LeavesLockProps) {
  const { trigger, popover } = usePopover(leavesPanel)
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
      {popover && <popover.part.LeavesPanel {...popover.props} chatId={chatId} model={model} />}
    </span>
  )
}
