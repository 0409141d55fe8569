'use client'

import { Bookmark } from 'lucide-react'
import dynamic from 'next/dynamic'
import { IconButton } from '@/components/ui/button'
import { usePopover } from '@/components/ui/use-popover'
import type { NewSaved } from '@/lib/client/rpc-saved'
import { t } from '@/lib/i18n/t'

const loadPopover = () => import('@/components/rpc/save-popover').then((module) => module.SavePopover)
/** Fetched when it is first opened, or about to be. */
const SavePopover = dynamic(loadPopover, { ssr: false })

/** Keeps a call, or a batch, under a name. */
export function SaveButton(call: Pick<NewSaved, 'network' | 'calls' | 'isBatch'>) {
  const { trigger, popover } = usePopover(loadPopover)
  return (
    <>
      <IconButton {...trigger} label={t('Save this request')}>
        <Bookmark aria-hidden="true" />
      </IconButton>
      {popover && <SavePopover {...popover} {...call} />}
    </>
  )
}
