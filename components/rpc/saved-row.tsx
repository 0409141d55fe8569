'use client'

import { Ellipsis } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import { fullName } from '@/components/rpc/overview'
import { MAX_FOLDER_CHARS, MAX_NAME_CHARS, moveSaved, renameSaved, shiftSaved } from '@/components/rpc/saved'
import { openSaved, removeSaved } from '@/components/rpc/saved-requests-actions'
import { cleanName } from '@/components/rpc/saved-requests-file'
import type { SavedCall } from '@/components/rpc/store'
import { MENU, MENU_ITEM } from '@/components/ui/menu'
import { NameField } from '@/components/ui/name-field'
import { networkOf } from '@/lib/contract/rpc-networks'
import { plural, t } from '@/lib/i18n/t'

type SavedRowProps = {
  call: SavedCall
  /** All collections there are. */
  folders: readonly string[]
  isFirst: boolean
  isLast: boolean
}

/** One saved call: open, rename, move, delete. */
export function SavedRow({ call, folders, isFirst, isLast }: SavedRowProps) {
  const [asks, setAsks] = useState<'name' | 'folder'>()
  if (asks) {
    const isName = asks === 'name'
    const done = (text?: string) => {
      setAsks(undefined)
      const clean = cleanName(text, isName ? MAX_NAME_CHARS : MAX_FOLDER_CHARS)
      if (clean) void (isName ? renameSaved(call.id, clean) : moveSaved(call.id, clean))
    }
    return (
      <li>
        <NameField
          label={isName ? t('Request name') : t('New collection name')}
          name={isName ? call.name : ''}
          maxChars={isName ? MAX_NAME_CHARS : MAX_FOLDER_CHARS}
          onDone={done}
        />
      </li>
    )
  }
  const network = networkOf(call.network)
  return (
    <li className="group relative flex items-center rounded-control hover:bg-hover focus-within:bg-hover">
      <button
        type="button"
        onClick={() => openSaved(call)}
        className="min-w-0 flex-1 rounded-control py-1.5 ps-2 pe-1 text-start pointer-coarse:py-2.5"
      >
        <span dir="auto" className="block truncate text-14">
          {call.name}
        </span>
        <span className="block truncate text-12 text-ink-3">
          {network && fullName(network)}
          {call.calls[0]?.method !== call.name && (
            <>
              {' · '}
              <span dir="ltr" className="font-mono">
                {call.calls[0]?.method}
              </span>
            </>
          )}
          {call.calls.length > 1 &&
            ` + ${plural(call.calls.length - 1, { one: '{count} more', other: '{count} more' })}`}
        </span>
      </button>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger
          aria-label={t('More actions for {name}', { name: call.name })}
          className="inline-flex size-9 shrink-0 items-center justify-center rounded-control text-ink-3 opacity-0 group-hover:opacity-100 focus-visible:opacity-100 data-[state=open]:opacity-100 hover:text-ink pointer-coarse:size-11 pointer-coarse:opacity-100"
        >
          <Ellipsis aria-hidden="true" className="size-4" strokeWidth={1.5} />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="end"
            sideOffset={2}
            className={MENU}
            onCloseAutoFocus={(event) => asks && event.preventDefault()}
          >
            <Item onSelect={() => setAsks('name')}>{t('Rename')}</Item>
            <Item disabled={isFirst} onSelect={() => void shiftSaved(call.id, -1)}>
              {t('Move up')}
            </Item>
            <Item disabled={isLast} onSelect={() => void shiftSaved(call.id, 1)}>
              {t('Move down')}
            </Item>
            <DropdownMenu.Separator className="my-1 border-t border-line" />
            {folders
              .filter((folder) => folder !== call.folder)
              .map((folder) => (
                <Item key={folder} onSelect={() => void moveSaved(call.id, folder)}>
                  <span className="truncate">{t('Move to {name}', { name: folder })}</span>
                </Item>
              ))}
            <Item onSelect={() => setAsks('folder')}>{t('Move to new collection')}</Item>
            {call.folder && <Item onSelect={() => void moveSaved(call.id, '')}>{t('Remove from collection')}</Item>}
            <DropdownMenu.Separator className="my-1 border-t border-line" />
            <Item isDanger onSelect={() => void removeSaved([call], t('Request deleted'))}>
              {t('Delete')}
            </Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
    </li>
  )
}

type ItemProps = DropdownMenu.DropdownMenuItemProps & { isDanger?: boolean }

function Item({ isDanger = false, ...props }: ItemProps) {
  return <DropdownMenu.Item className={`${MENU_ITEM} max-w-72 ${isDanger ? 'text-danger' : ''}`} {...props} />
}
