import { characterPrompt } from '@/lib/browser/characters'
import { chatRequest } from '@/lib/browser/chat-request'
import type { ModelCard } from '@/lib/browser/models'
import { loadThread } from '@/lib/browser/storage/chats'
import { databaseOf } from '@/lib/browser/storage/database'
import type { Attachment, CharacterRef, ChatSettings } from '@/lib/browser/storage/records'
import { NEW_CHAT } from '@/lib/browser/storage/records'
import { shownTurns, type Turn } from '@/lib/browser/storage/thread'
import { plural, t } from '@/lib/i18n/t'

/** What a request holds, in the order that matters to a person, and how many bytes each part takes on its way. */
export type Leaving = { parts: { name: string; bytes: number }[]; bytes: number }

export type NextQuestion = {
  chatId: string | null
  model: ModelCard
  draft: string
  settings: ChatSettings
  character: CharacterRef | undefined
}

/** The request that the next question would make, measured. Files count as what they become: text of four thirds their size. */
export async function leavingWith({ chatId, model, draft, settings, character }: NextQuestion): Promise<Leaving> {
  const key = chatId ?? NEW_CHAT
  const [thread, kept, prompt] = await Promise.all([
    chatId ? loadThread(chatId) : undefined,
    databaseOf(key).draftFiles.get(key),
    character ? characterPrompt(character).catch(() => ({})) : undefined,
  ])
  const turns: Turn[] = thread ? shownTurns(thread) : []
  const attachments = kept?.attachments ?? []
  const body = await chatRequest(
    turns,
    { settings, ...(prompt && { character: prompt }) },
    model,
    { text: draft, attachments },
    asNothing,
  )
  const files = [...turns.flatMap((turn) => turn.attachments ?? []), ...attachments]
  const sizes = {
    question: sizeOf(draft),
    before: sizeOf(turns.map(({ text }) => text).join('')),
    system: sizeOf([settings.systemPrompt, prompt && 'systemPrompt' in prompt ? prompt.systemPrompt : ''].join('')),
    files: files.reduce((sum, file) => sum + encodedSize(file), 0),
  }
  const bytes = sizeOf(JSON.stringify(body)) + sizes.files
  const rest = Math.max(0, bytes - sizes.question - sizes.before - sizes.system - sizes.files)
  return {
    parts: [
      { name: t('Your message'), bytes: sizes.question },
      ...(turns.length > 0 ? [{ name: soFar(turns.length), bytes: sizes.before }] : []),
      ...(sizes.system > 0 ? [{ name: t('System prompt'), bytes: sizes.system }] : []),
      ...(character ? [{ name: t('Character: {name}', { name: character.name }), bytes: 0 }] : []),
      ...(files.length > 0 ? [{ name: filesName(files), bytes: sizes.files }] : []),
      { name: t('Model name and settings'), bytes: rest },
    ],
    bytes,
  }
}

const sizeOf = (text: string): number => new TextEncoder().encode(text).length

/** The bytes of files are counted by their size, so that nothing large is read only to be measured. */
const asNothing = async (): Promise<string> => ''

const encodedSize = ({ size, mediaType }: Attachment): number =>
  Math.ceil(size / 3) * 4 + `data:${mediaType};base64,`.length

const soFar = (count: number): string =>
  plural(count, { one: 'Chat history: {count} message', other: 'Chat history: {count} messages' })

const filesName = (files: Attachment[]): string =>
  files.length === 1
    ? t('File with its name: {name}', { name: files[0]!.name })
    : plural(files.length, { one: '{count} file with its name', other: '{count} files with their names' })
