'use client'

import { Bookmark } from 'lucide-react'
import type { NewSaved } from '@/components/rpc/saved'
import { IconButton } from '@/components/ui/button'
import { createPart } from '@/components/ui/part'
import { usePopover } from '@/components/ui/use-popover'
import { t } from '@/lib/i18n/t'

/** Fetched when it is first opened, or about to be. */
const savePopover = createPart(() => import('@/components/rpc/save-popover'))

/** Keeps a call, or a batch, under a name. */
export function SaveButton(call: Pick<NewSaved, 'network' | 'calls' | 'isBatch'>) {
  const { trigger, popover } = usePopover(savePopover)
  return (
    <>
      <IconButton {...trigger} label={t('Save request')}>
        <Bookmark aria-hidden="true" />
      </IconButton>
      {popover && <popover.part.SavePopover {...popover.props} {...call} />}
    </>
  )
}
