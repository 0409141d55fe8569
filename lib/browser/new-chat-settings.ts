import { readPreference, usePreference, writePreference } from '@/lib/browser/preferences'
import type { ChatSettings } from '@/lib/browser/storage/records'

/** What a person may give every new chat. The rest of a chat's settings is about one chat. */
export type NewChatSettings = Pick<ChatSettings, 'systemPrompt' | 'effort' | 'isThinkingOff' | 'sources'>

/** A system prompt for everything is a page, not a book. Characters. */
export const MAX_PROMPT_CHARS = 8_000

const EFFORTS: readonly unknown[] = ['minimal', 'low', 'medium', 'high']

let read: { text: string; settings: NewChatSettings } = { text: '', settings: {} }

/** What new chats begin with: the same object until it is changed. */
export function newChatSettings(text: string = readPreference('newChat')): NewChatSettings {
  if (read.text !== text) read = { text, settings: parse(text) }
  return read.settings
}

/** What new chats begin with, and the way to change a part of it. */
export function useNewChatSettings(): [NewChatSettings, (changes: NewChatSettings) => void] {
  const [text] = usePreference('newChat')
  return [newChatSettings(text), changeNewChat]
}

/** Puts the model that new chats begin with, where one was chosen, in the place of the last one used. */
export function takeNewModel(): void {
  const model = readPreference('newModel')
  if (model !== '' && model !== readPreference('model')) writePreference('model', model)
}

function changeNewChat(changes: NewChatSettings): void {
  const next = parse(JSON.stringify({ ...newChatSettings(), ...changes }))
  writePreference('newChat', Object.keys(next).length > 0 ? JSON.stringify(next) : '')
}

/** Only what is known and says something: the text may be of another version, or of another hand. */
function parse(text: string): NewChatSettings {
  let kept: unknown
  try {
    kept = JSON.parse(text)
  } catch {
    return {}
  }
  if (typeof kept !== 'object' || kept === null) return {}
  const { systemPrompt, effort, isThinkingOff, sources } = kept as Record<string, unknown>
  const looks = typeof sources === 'object' && sources !== null ? sourcesIn(sources as Record<string, unknown>) : {}
  return {
    ...(typeof systemPrompt === 'string' &&
      systemPrompt.trim() !== '' && { systemPrompt: systemPrompt.slice(0, MAX_PROMPT_CHARS) }),
    ...(EFFORTS.includes(effort) && { effort: effort as NonNullable<NewChatSettings['effort']> }),
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
