'use client'

import { Check, ChevronRight } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { MENU, MENU_ITEM } from '@/components/ui/menu'
import type { Folder } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

type ItemProps = { onPick: () => void; isDanger?: boolean; isDisabled?: boolean; children: ReactNode }

export function Item({ onPick, isDanger = false, isDisabled = false, children }: ItemProps) {
  return (
    <DropdownMenu.Item
      className={`${MENU_ITEM} ${isDanger ? 'text-danger' : ''}`}
      disabled={isDisabled}
      onSelect={onPick}
    >
      {children}
    </DropdownMenu.Item>
  )
}

export function Submenu({ label, children }: { label: string; children: ReactNode }) {
  return (
    <DropdownMenu.Sub>
      <DropdownMenu.SubTrigger className={`${MENU_ITEM} data-[state=open]:bg-hover`}>
        {label}
        <ChevronRight aria-hidden="true" className="ms-auto size-4 text-ink-3 rtl:-scale-x-100" strokeWidth={1.5} />
      </DropdownMenu.SubTrigger>
      <DropdownMenu.Portal>
        <DropdownMenu.SubContent
          sideOffset={4}
          collisionPadding={8}
          className={`${MENU} thin-scroll max-h-(--radix-dropdown-menu-content-available-height) max-w-72 overflow-y-auto`}
        >
          {children}
        </DropdownMenu.SubContent>
      </DropdownMenu.Portal>
    </DropdownMenu.Sub>
  )
}

export const Separator = () => <DropdownMenu.Separator className="mx-2 my-1 border-t border-line" />

type FolderItemsProps = {
  folders: readonly Folder[]
  current: string | undefined
  onPick: (folder: Folder | undefined) => void
  onNew: () => void
}

export function FolderItems({ folders, current, onPick, onNew }: FolderItemsProps) {
  return (
    <>
      {folders.map((folder) => (
        <DropdownMenu.CheckboxItem
          key={folder.id}
          checked={folder.id === current}
          onSelect={() => onPick(folder)}
          className={MENU_ITEM}
        >
          <span dir="auto" className="min-w-0 truncate">
            {folder.name}
          </span>
          {folder.id === current && <Check aria-hidden="true" className="ms-auto size-4 shrink-0" strokeWidth={1.5} />}
        </DropdownMenu.CheckboxItem>
      ))}
      {folders.length > 0 && <Separator />}
      {current !== undefined && <Item onPick={() => onPick(undefined)}>{t('No folder')}</Item>}
      <Item onPick={onNew}>{t('New folder')}</Item>
    </>
  )
}
