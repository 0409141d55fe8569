'use client'

import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { MAX_FOLDER_CHARS, renameFolder } from '@/components/rpc/saved'
import { removeSaved } from '@/components/rpc/saved-requests-actions'
import { cleanName } from '@/components/rpc/saved-requests-file'
import type { SavedCall } from '@/components/rpc/store'
import { IconButton } from '@/components/ui/button'
import { NameField } from '@/components/ui/name-field'
import { plural, t } from '@/lib/i18n/t'

type FolderHeadProps = { folder: string; calls: readonly SavedCall[] }

/** The name of a collection: rename it, or delete it with all that is in it. */
export function FolderHead({ folder, calls }: FolderHeadProps) {
  const [isRenaming, setIsRenaming] = useState(false)
  if (isRenaming) {
    return (
      <div className="pt-2">
        <NameField
          label={t('Collection name')}
          name={folder}
          maxChars={MAX_FOLDER_CHARS}
          onDone={(name) => {
            setIsRenaming(false)
            const clean = cleanName(name, MAX_FOLDER_CHARS)
            if (clean) void renameFolder(folder, clean)
          }}
        />
      </div>
    )
  }
  return (
    <div className="group/head flex items-center pt-1">
      <h3 dir="auto" className="min-w-0 flex-1 truncate ps-2 text-12 font-medium text-ink-3">
        {folder}
      </h3>
      <IconButton label={t('Rename {name}', { name: folder })} onClick={() => setIsRenaming(true)} className={QUIET}>
        <Pencil aria-hidden="true" />
      </IconButton>
      <IconButton
        label={t('Delete {name}', { name: folder })}
        onClick={() =>
          void removeSaved(
            calls,
            plural(calls.length, {
              one: 'Collection deleted with its request',
              other: 'Collection deleted with {count} requests',
            }),
          )
        }
        className={QUIET}
      >
        <Trash2 aria-hidden="true" />
      </IconButton>
    </div>
  )
}

const QUIET =
  'opacity-0 group-hover/head:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100 [&>svg]:size-4'
