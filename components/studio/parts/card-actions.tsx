'use client'

import { Download, Ellipsis, RotateCcw, Trash2 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { isUnkept } from '@/components/studio/files'
import { removeCreation, saveResult } from '@/components/studio/parts/actions'
import { IconButton } from '@/components/ui/button'
import { MENU } from '@/components/ui/menu'
import type { CreationFile, Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

export const ReuseButton = ({ onReuse }: { onReuse: () => void }) => (
  <IconButton label={t('Reuse settings')} onClick={onReuse}>
    <RotateCcw aria-hidden="true" />
  </IconButton>
)

export const DownloadButton = ({ creation, file }: { creation: Generation; file: CreationFile }) => (
  <IconButton label={t('Download')} onClick={() => void saveResult(creation, file.id)}>
    <Download aria-hidden="true" />
  </IconButton>
)

export const DeleteButton = ({ creation }: { creation: Generation }) => (
  <IconButton label={t('Delete')} className="ms-auto" onClick={() => void removeCreation(creation)}>
    <Trash2 aria-hidden="true" />
  </IconButton>
)

type CardMenuProps = { label?: string; icon?: ReactNode; align?: 'start' | 'end'; children: ReactNode }

/** What has no button of its own. */
export function CardMenu({
  label = t('More'),
  icon = <Ellipsis aria-hidden="true" />,
  align = 'end',
  children,
}: CardMenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <IconButton label={label}>{icon}</IconButton>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align={align} sideOffset={4} collisionPadding={8} className={MENU}>
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

type UnkeptNoteProps = { files: readonly CreationFile[]; className?: string }

/** Said of what is only in this page's memory. */
export function UnkeptNote({ files, className = '' }: UnkeptNoteProps) {
  if (!files.some(isUnkept)) return null
  return (
    <p className={`px-3 pt-2 text-13 text-danger ${className}`}>
      {t('This browser is out of storage. Download the file before you leave this page.')}
    </p>
  )
}
