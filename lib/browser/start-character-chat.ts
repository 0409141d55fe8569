import { characterPrompt, profileQuery } from '@/lib/browser/characters'
import { focusWhenThere, goTo } from '@/lib/browser/commands'
import { saveDraft } from '@/lib/browser/drafts'
import { chosenModel } from '@/lib/browser/models'
import { chatHref, isOnChatScreen, openChat } from '@/lib/browser/navigation'
import { readPreference } from '@/lib/browser/preferences'
import { modelsQuery, queryClient } from '@/lib/browser/queries'
import type { CharacterRef, Message } from '@/lib/browser/storage/records'
import { isNextTemporary, noteTemporary } from '@/lib/browser/temporary-chat'
import { pickModel } from '@/lib/browser/wanted-model'
import { uuid } from '@/lib/contract/ids'

/**
 * Begins a chat with a character and goes there. Its greeting is free: no model was asked. Its model answers where the
 * service has it.
 * @param opener is written into the composer, not sent.
 * @throws ApiError when the character is gone; whatever storage throws.
 */
export async function startWithCharacter(ref: CharacterRef, opener = ''): Promise<void> {
  const [{ greeting = '' }, preset, models] = await Promise.all([
    characterPrompt(ref, { withGreeting: true }),
    presetOf(ref),
    queryClient()
      .ensureQueryData(modelsQuery())
      .catch(() => []),
  ])
  const model = chosenModel(models, preset ?? readPreference('model'))
  const id = await newChatId()
  const { addMessages } = await import('@/lib/browser/storage/chats')
  await addMessages(
    { id, title: ref.name, modelId: model?.id ?? '', character: ref },
    greeting ? [{ message: greetingOf(id, ref), text: greeting }] : [],
  )
  if (preset && model?.id === preset) pickModel(preset)
  if (opener) saveDraft(id, opener)
  if (isOnChatScreen()) openChat(id)
  else goTo(chatHref(id))
  focusWhenThere()
}

async function presetOf(ref: CharacterRef): Promise<string | undefined> {
  if (ref.isLocal) return undefined
  return (await queryClient().ensureQueryData(profileQuery(ref.id))).presetModelId ?? undefined
}

async function newChatId(): Promise<string> {
  if (!isNextTemporary()) return uuid()
  const { newTemporaryId } = await import('@/lib/browser/storage/database')
  const id = await newTemporaryId(uuid())
  noteTemporary(id)
  return id
}

function greetingOf(conversationId: string, character: CharacterRef): Message {
  return {
    id: uuid(),
    conversationId,
    parentId: '',
    role: 'assistant',
    status: 'done',
    createdAt: Date.now(),
    character,
  }
}
