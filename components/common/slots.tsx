'use client'

import { type ComponentType, createContext, use } from 'react'
import type { ModelCard } from '@/lib/browser/models'
import type { Attachment, CharacterRef } from '@/lib/browser/storage/records'

type Done = { onDone?: () => void }

export type Slots = {
  CharacterButton: { chatId: string | null }
  CharacterByline: { character: CharacterRef }
  CharacterChip: { character: CharacterRef }
  CharacterDivider: { from: CharacterRef | undefined; to: CharacterRef | undefined }
  CharacterPicker: { chatId: string | null; onClose: () => void }
  ConnectImageServer: object
  HistoryPanel: Done
  DataLeavingButton: { chatId: string | null; model: ModelCard }
  LockButton: object
  LockedList: object
  LockScreen: object
  OpenFound: { text: string }
  OpenSnippet: { code: string }
  PaletteHost: object
  ShareSheet: { conversationId: string; leafId?: string | undefined; onClose: () => void }
  ShortcutSheet: { onClose: () => void }
  SidebarSheet: { isOpen: boolean; onClose: () => void; opener: React.RefObject<HTMLElement | null> }
  ToStudio: { image: Attachment; onDone: () => void }
  VaultSetting: object
}

export type FilledSlots = { readonly [Name in keyof Slots]: ComponentType<Slots[Name]> }

export const SlotsContext = createContext<Partial<FilledSlots>>({})

type SlotProps<Name extends keyof Slots> = { part: Name } & Slots[Name]

/** Shows a part of another feature, by its name; nothing outside of the frame. */
export function Slot<Name extends keyof Slots>({ part, ...props }: SlotProps<Name>) {
  const Part = use(SlotsContext)[part] as ComponentType<object> | undefined
  return Part ? <Part {...props} /> : null
}
