import { cardOf } from '@/components/chat/asking/card-of'
import { characterPrompt } from '@/lib/browser/character-prompt'
import { type ChatBody, chatRequest } from '@/lib/browser/chat-request'
import { chosenModel, type ModelCard } from '@/lib/browser/models'
import { modelsQuery, queryClient } from '@/lib/browser/queries'
import { loadThread } from '@/lib/browser/storage/chats'
import { type Turn, turnsTo } from '@/lib/browser/storage/thread'
import { wantedModel } from '@/lib/browser/wanted-model'

/**
 * The request behind a turn: of an answer the one that it was asked with, of a question the one that its chat would make
 * now. Files are not read for it.
 *
 * @throws Error when the chat is gone.
 */
export async function requestOf(chatId: string, turn: Turn): Promise<ChatBody> {
  const stored = await loadThread(chatId)
  if (!stored) throw new Error('The chat is gone.')
  const isAnswer = turn.role === 'assistant'
  const path = turnsTo(stored, turn.id)
  const answer = isAnswer ? turn : undefined
  const { conversation } = stored
  const settings = (answer ? answer.settings : conversation.settings) ?? {}
  const character = answer ? answer.character : conversation.character
  const words = character && (await characterPrompt(character))
  const model = cardOf(answer?.modelId ?? modelNow())
  const setup = { settings, ...(words && { character: words }) }
  return await chatRequest(isAnswer ? path.slice(0, -1) : path, setup, model, undefined, async ({ mediaType }) => {
    return `data:${mediaType};base64,…`
  })
}

function modelNow(): string {
  const models = queryClient().getQueryData<ModelCard[]>(modelsQuery().queryKey) ?? []
  return chosenModel(models, wantedModel())?.id ?? 'default'
}
