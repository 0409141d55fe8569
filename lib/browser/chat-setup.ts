import { useMemo, useSyncExternalStore } from 'react'
import { answeringPart } from '@/components/chat/chat-runtime-part'
import { newChatSettings } from '@/lib/browser/new-chat-settings'
import type { CharacterRef, ChatSettings } from '@/lib/browser/storage/records'

/** How a chat asks, and who answers. */
export type Setup = { settings: ChatSettings; character?: CharacterRef }

export type SetupChanges = {
  /** All settings: what is left out of them is left to the service. */
  settings?: ChatSettings
  /** `null`: nobody any more. */
  character?: CharacterRef | null
}

const PLAIN: Setup = { settings: {} }

/** By chat; that of the next new chat is under `''`, and lasts as long as the page or until the chat begins. */
const setups = new Map<string, Setup>()
const listeners = new Set<() => void>()
/** Those that are followed in the database, with how many look at each. */
const followed = new Map<string, { count: number; stop: Promise<() => void> }>()

const NEW = ''

/** How a chat asks, and the way to change it: kept with the chat; for `null` kept on this page until the chat is made. */
export function useSetup(chatId: string | null) {
  const key = chatId ?? NEW
  const follow = useMemo(() => (listener: () => void) => subscribe(key, listener), [key])
  const setup = useSyncExternalStore(
    follow,
    () => setups.get(key) ?? begun(key),
    () => PLAIN,
  )
  const change = useMemo(() => (changes: SetupChanges) => changeSetup(chatId, changes), [chatId])
  return { settings: setup.settings, character: setup.character, change }
}

/** Shown at once; a chat that is kept has it stored behind that. */
function changeSetup(chatId: string | null, { settings, character }: SetupChanges): void {
  const key = chatId ?? NEW
  const before = setups.get(key) ?? begun(key)
  const next: Setup = {
    settings: settings ?? before.settings,
    character: character === undefined ? before.character : (character ?? undefined),
  }
  put(key, next)
  if (chatId !== null) void store(chatId, { settings, character })
}

/** How the next new chat asks. */
export const newSetup = (): Setup => setups.get(NEW) ?? begun(NEW)

/** The chat has begun with it: the one after it begins as new ones do. */
export function resetNewSetup(): void {
  setups.delete(NEW)
  for (const listener of listeners) listener()
}

let fresh: Setup = PLAIN

/** What a chat has that nobody changed: a new one what the settings give it. The same object until they change. */
function begun(key: string): Setup {
  if (key !== NEW) return PLAIN
  const settings = newChatSettings()
  if (fresh.settings !== settings) fresh = { settings }
  return fresh
}

/** Whether anything is set that a new chat does not have. Sources have their own place, and do not count. */
export function isChanged({ sources: _, ...settings }: ChatSettings): boolean {
  return Object.values(settings).some((value) => value !== undefined && value !== false && value !== '')
}

async function store(chatId: string, { settings, character }: SetupChanges): Promise<void> {
  const { changeConversation } = await answeringPart.load()
  await changeConversation(chatId, {
    ...(settings && { settings }),
    ...(character !== undefined && { character: character ?? undefined }),
  })
}

function put(key: string, setup: Setup): void {
  setups.set(key, setup)
  for (const listener of listeners) listener()
}

function subscribe(key: string, listener: () => void): () => void {
  listeners.add(listener)
  if (key !== NEW) {
    const known = followed.get(key)
    if (known) known.count += 1
    else followed.set(key, { count: 1, stop: followStored(key) })
  }
  return () => {
    listeners.delete(listener)
    const known = followed.get(key)
    if (!known) return
    known.count -= 1
    if (known.count > 0) return
    followed.delete(key)
    void known.stop.then((stop) => stop())
  }
}

/** What another tab changes is seen here, too. The database is loaded behind the page. */
async function followStored(chatId: string): Promise<() => void> {
  const [{ liveQuery }, { loadConversation }] = await Promise.all([import('dexie'), answeringPart.load()])
  const subscription = liveQuery(() => loadConversation(chatId)).subscribe({
    next: (chat) => {
      if (chat) put(chatId, { settings: chat.settings ?? {}, character: chat.character })
    },
    error: () => undefined,
  })
  return () => subscription.unsubscribe()
}
