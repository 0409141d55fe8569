import { isNextTemporary, noteTemporary } from '@/components/chat/asking/temporary'
import { pickModel } from '@/components/chat/asking/wanted-model'
import { chatHref, isOnChatScreen, openChat } from '@/components/shell/navigation'
import { focusWhenThere, goTo } from '@/components/shell/shortcuts'
import { profileQuery } from '@/lib/client/characters'
import { characterPrompt } from '@/lib/client/characters-prompt'
import { saveDraft } from '@/lib/client/drafts'
import type { CharacterRef, Message } from '@/lib/client/history/records'
import { chosenModel } from '@/lib/client/models'
import { readPreference } from '@/lib/client/preferences'
import { modelsQuery, queryClient } from '@/lib/client/queries'
import { uuid } from '@/lib/contract/ids'

/**
 * Begins a chat with a character and goes there. What it says first stands in it already: nobody was asked, so it is free.
 * Its model answers where the service has it; another one can be chosen at any time.
 *
 * @param opener what the person wants to begin with: written into the composer, not sent.
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
  const { addMessages } = await import('@/lib/client/history/chats')
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

/** The model that the character's maker chose; those of this browser have none. */
async function presetOf(ref: CharacterRef): Promise<string | undefined> {
  if (ref.isLocal) return undefined
  return (await queryClient().ensureQueryData(profileQuery(ref.id))).presetModelId ?? undefined
}

async function newChatId(): Promise<string> {
  if (!isNextTemporary()) return uuid()
  const { newTemporaryId } = await import('@/lib/client/history/database')
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
