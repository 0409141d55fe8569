import { type Begun, learnPrices, startRun } from '@/components/chat/asking/run'
import { goOn, loadSetup, newMessage, pendingAnswer, turnsBefore } from '@/components/chat/asking/send'
import { announce } from '@/components/ui/announcer'
import type { RequestTurn } from '@/lib/browser/chat-request'
import type { Failure } from '@/lib/browser/failure'
import { claimPaused, isPausedBy, reopenAnswer } from '@/lib/browser/storage/answers'
import { removeMessage, showBranch } from '@/lib/browser/storage/branches'
import { addMessages } from '@/lib/browser/storage/chats'
import type { ChatSettings, Message } from '@/lib/browser/storage/records'
import type { Turn } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

/**
 * Asks for another version of an answer. An empty answer is overwritten; a question without an answer gets its first.
 */
export async function regenerate(conversationId: string, turn: Turn, modelId: string): Promise<Begun> {
  const setup = await loadSetup(conversationId)
  const isQuestion = turn.role === 'user'
  const before = await turnsBefore(conversationId, turn)
  const turns = isQuestion ? [...before, turn] : before
  const plan = pendingAnswer({ conversationId, modelId, ...setup })
  const message = newMessage({ ...plan, parentId: isQuestion ? turn.id : turn.parentId })
  const isEmpty = !isQuestion && turn.text === ''
  const { ended } = await startRun({
    ...{ conversationId, modelId, turns, ...setup },
    messageId: isEmpty ? turn.id : message.id,
    prepare: async (request) => {
      const { settings, character } = setup
      if (isEmpty) await reopenAnswer({ id: turn.id, conversationId }, { modelId, settings, character }, request)
      else {
        const added = { message: { ...message, unpriced: [request] }, text: '' }
        await addMessages({ id: conversationId, title: '', modelId }, [added])
      }
      return true
    },
  })
  return {
    ended: ended.then((end) => {
      // A person who stops it before its first word wants the answer that was there.
      const isNothing = end?.status === 'stopped' && !end.hasText && !end.hasThoughts
      if (isNothing && !isQuestion && !isEmpty) return dropVersion(conversationId, message, turn)
      return goOn(conversationId, [end])
    }),
  }
}

async function dropVersion(conversationId: string, { id, parentId }: Message, shown: Turn): Promise<void> {
  await removeMessage(conversationId, id)
  await showBranch(conversationId, parentId, shown.id)
  await learnPrices(conversationId)
  announce(t('Stopped. Showing the previous answer.'))
}

export async function resume(conversationId: string, turn: Turn, modelId: string): Promise<Begun> {
  const turns = await turnsBefore(conversationId, turn)
  const { ended } = await startRun({
    ...{ conversationId, modelId, messageId: turn.id, from: turn },
    turns: [...turns, turn],
    settings: withoutSources(turn.settings),
    character: turn.character,
    prepare: async (request) => {
      await reopenAnswer({ id: turn.id, conversationId }, { modelId }, request)
      return true
    },
  })
  return { ended: ended.then((end) => goOn(conversationId, [end])) }
}

type ReplayOptions = { isDayWaived?: boolean; failure: Failure }

/** Asks what was paused. The first to claim the pause asks; another tab, or a second click, finds nothing to claim. */
export async function replay(
  conversationId: string,
  turn: Turn,
  modelId: string,
  { failure, isDayWaived = false }: ReplayOptions,
): Promise<Begun> {
  const key = { id: turn.id, conversationId }
  if (!(await isPausedBy(key, failure))) return { ended: Promise.resolve() }
  const turns: RequestTurn[] = await turnsBefore(conversationId, turn)
  const isPart = turn.text !== ''
  const { ended } = await startRun({
    ...{ conversationId, modelId, messageId: turn.id, isDayWaived },
    turns: isPart ? [...turns, turn] : turns,
    settings: isPart ? withoutSources(turn.settings) : (turn.settings ?? {}),
    character: turn.character,
    ...(isPart && { from: turn }),
    prepare: (request) => claimPaused(key, { modelId }, failure, request),
  })
  return { ended: ended.then((end) => goOn(conversationId, [end])) }
}

/** Looks nothing up for the rest of an answer: its marks would name the places of another list. */
function withoutSources({ sources: _, ...settings }: ChatSettings = {}): ChatSettings {
  return settings
}
