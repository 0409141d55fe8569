'use client'

import { type ComponentType, createContext, use } from 'react'
import type { ModelCard } from '@/lib/browser/models'
import type { Attachment, CharacterRef } from '@/lib/browser/storage/records'

type Done = {
  /** Called when something was chosen, where the sidebar lies over the page. */
  onDone?: () => void
}

/** Parts that one feature draws and another one shows, with their properties. `app/(screens)/frame.tsx` fills them. */
export type Slots = {
  CharacterButton: { chatId: string | null }
  CharacterByline: { character: CharacterRef }
  CharacterChip: { character: CharacterRef }
  CharacterDivider: { from: CharacterRef | undefined; to: CharacterRef | undefined }
  CharacterPicker: { chatId: string | null; onClose: () => void }
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

/** Fills the slots of everything inside. */
export const SlotsContext = createContext<Partial<FilledSlots>>({})

type SlotProps<Name extends keyof Slots> = { part: Name } & Slots[Name]

/** Shows a part of another feature, by its name; nothing outside of the frame. */
export function Slot<Name extends keyof Slots>({ part, ...props }: SlotProps<Name>) {
  const Part = use(SlotsContext)[part] as ComponentType<object> | undefined
  return Part ? <Part {...props} /> : null
}

// What an answer has of the playground: two looks at a text, and the rest is fetched where there is something to open.

const ADDRESS_LIKE = /0x[\da-f]{40}/i
const CALL_LIKE = /"method"\s*:\s*"[a-z]/i

/** The way from the addresses and hashes of an answer to the playground. The answer itself stays as it is. */
export function OpenFoundInRpc({ text }: { text: string }) {
  return ADDRESS_LIKE.test(text) ? <Slot part="OpenFound" text={text} /> : null
}

/** The way from a JSON-RPC call in a block of code to the playground. */
export function OpenSnippetInRpc({ code }: { code: string }) {
  return CALL_LIKE.test(code) ? <Slot part="OpenSnippet" code={code} /> : null
}
