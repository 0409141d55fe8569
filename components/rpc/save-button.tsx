'use client'

import { Bookmark } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useRef, useState } from 'react'
import { IconButton } from '@/components/ui/button'
import type { NewSaved } from '@/lib/client/rpc-saved'
import { t } from '@/lib/i18n/t'

const loadPopover = () => import('@/components/rpc/save-popover').then((module) => module.SavePopover)
/** Fetched when it is first opened, or about to be. */
const SavePopover = dynamic(loadPopover, { ssr: false })

/** Keeps a call, or a batch, under a name. */
export function SaveButton(call: Pick<NewSaved, 'network' | 'calls' | 'isBatch'>) {
  const [popover, setPopover] = useState<'unopened' | 'open' | 'closed'>('unopened')
  const trigger = useRef<HTMLButtonElement>(null)
  const isOpen = popover === 'open'
  return (
    <>
      <IconButton
        ref={trigger}
        label={t('Save this request')}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setPopover(isOpen ? 'closed' : 'open')}
        onPointerEnter={() => void loadPopover()}
        onFocus={() => void loadPopover()}
      >
        <Bookmark aria-hidden="true" />
      </IconButton>
      {popover !== 'unopened' && (
        <SavePopover isOpen={isOpen} onClose={() => setPopover('closed')} anchor={trigger} {...call} />
      )}
    </>
  )
}
