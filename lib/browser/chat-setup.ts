import { useEffect, useMemo } from 'react'
import { create } from 'zustand'
import { EFFORTS } from '@/lib/browser/models'
import { readPreference, usePreference, writePreference } from '@/lib/browser/preferences'
import type { CharacterRef, ChatSettings, Conversation } from '@/lib/browser/storage/records'

export type Setup = { settings: ChatSettings; character?: CharacterRef }

export type SetupChanges = { settings?: ChatSettings; character?: CharacterRef | null }

type StoredChats = {
  loadConversation: (id: string) => Promise<Conversation | undefined>
  changeConversation: (id: string, changes: Partial<Conversation>) => Promise<unknown>
}

/** By chat id; the next new chat is under `''` until it begins. */
const useSetups = create<Record<string, Setup>>(() => ({}))
const NEW = ''
const PLAIN: Setup = { settings: {} }

/**
 * Returns a chat's setup and its setter. It is stored with the chat; for `null` it is kept on this page until the chat
 * is made.
 */
export function useSetup(chatId: string | null) {
  const [newSettings] = useNewChatSettings()
  const setup = useSetups((setups) => setups[chatId ?? NEW])
  useEffect(() => (chatId === null ? undefined : followChat(chatId)), [chatId])
  const change = useMemo(() => (changes: SetupChanges) => changeSetup(chatId, changes), [chatId])
  const settings: ChatSettings = setup?.settings ?? (chatId === null ? newSettings : PLAIN.settings)
  return { settings, character: setup?.character, change }
}

export const newSetup = (): Setup => useSetups.getState()[NEW] ?? { settings: newChatSettings() }

export function resetNewSetup(): void {
  const { [NEW]: _, ...setups } = useSetups.getState()
  useSetups.setState(setups, true)
}

/** Tells whether a setting differs from a new chat's. Sources have a control of their own, and do not count. */
export function isChanged({ sources: _, ...settings }: ChatSettings): boolean {
  return Object.values(settings).some((value) => value !== undefined && value !== false && value !== '')
}

let loadChats: (() => Promise<StoredChats>) | undefined

/**
 * Registers what reads and writes stored chats: this file is in the first load, and an `import()` here would fetch a
 * second copy.
 */
export function provideStoredChats(load: () => Promise<StoredChats>): void {
  loadChats = load
}

function changeSetup(chatId: string | null, { settings, character }: SetupChanges): void {
  const before = chatId === null ? newSetup() : (useSetups.getState()[chatId] ?? PLAIN)
  const next: Setup = {
    settings: settings ?? before.settings,
    character: character === undefined ? before.character : (character ?? undefined),
  }
  useSetups.setState({ [chatId ?? NEW]: next })
  if (chatId !== null) void store(chatId, { settings, character })
}

async function store(chatId: string, { settings, character }: SetupChanges): Promise<void> {
  const { changeConversation } = await storedChats()
  await changeConversation(chatId, {
    ...(settings && { settings }),
    ...(character !== undefined && { character: character ?? undefined }),
  })
}

const followed = new Map<string, { count: number; stop: Promise<() => void> }>()

function followChat(chatId: string): () => void {
  const following = followed.get(chatId) ?? { count: 0, stop: followStored(chatId) }
  followed.set(chatId, following)
  following.count += 1
  return () => {
    following.count -= 1
    if (following.count > 0) return
    followed.delete(chatId)
    void following.stop.then((stop) => stop())
  }
}

async function followStored(chatId: string): Promise<() => void> {
  const [{ liveQuery }, { loadConversation }] = await Promise.all([import('dexie'), storedChats()])
  const subscription = liveQuery(() => loadConversation(chatId)).subscribe({
    next: (chat) => {
      if (chat) useSetups.setState({ [chatId]: { settings: chat.settings ?? {}, character: chat.character } })
    },
    error: () => undefined,
  })
  return () => subscription.unsubscribe()
}

/** @throws Error where no screen that shows chats is loaded */
async function storedChats(): Promise<StoredChats> {
  if (!loadChats) throw new Error('no stored chats are provided')
  return await loadChats()
}

export type NewChatSettings = Pick<ChatSettings, 'systemPrompt' | 'effort' | 'isThinkingOff' | 'sources'>

export const MAX_PROMPT_CHARS = 8_000

let read: { text: string; settings: NewChatSettings } = { text: '', settings: {} }

function newChatSettings(text: string = readPreference('newChat')): NewChatSettings {
  if (read.text !== text) read = { text, settings: parse(text) }
  return read.settings
}

export function useNewChatSettings(): [NewChatSettings, (changes: NewChatSettings) => void] {
  const [text] = usePreference('newChat')
  return [newChatSettings(text), changeNewChat]
}

function changeNewChat(changes: NewChatSettings): void {
  const next = parse(JSON.stringify({ ...newChatSettings(), ...changes }))
  writePreference('newChat', Object.keys(next).length > 0 ? JSON.stringify(next) : '')
}

function parse(text: string): NewChatSettings {
  let stored: unknown
  try {
    stored = JSON.parse(text)
  } catch {
    return {}
  }
  if (typeof stored !== 'object' || stored === null) return {}
  const { systemPrompt, effort, isThinkingOff, sources } = stored as Record<string, unknown>
  const knownEffort = EFFORTS.find((one) => one === effort)
  const looks = typeof sources === 'object' && sources !== null ? sourcesIn(sources as Record<string, unknown>) : {}
  return {
    ...(typeof systemPrompt === 'string' &&
      systemPrompt.trim() !== '' && { systemPrompt: systemPrompt.slice(0, MAX_PROMPT_CHARS) }),
    ...(knownEffort && { effort: knownEffort }),
    ...(isThinkingOff === true && { isThinkingOff }),
    ...(Object.keys(looks).length > 0 && { sources: looks }),
  }
}

function sourcesIn({ web, readsLinks, searchesX }: Record<string, unknown>): NonNullable<NewChatSettings['sources']> {
  return {
    ...((web === 'auto' || web === 'on') && { web }),
    ...(readsLinks === true && { readsLinks }),
    ...(searchesX === true && { searchesX }),
  }
}
