import { learnPrices } from '@/components/chat/asking/charges'
import { newMessage, pendingAnswer, setupOf, turnsBefore } from '@/components/chat/asking/new-message'
import { goOn, type OnBegun } from '@/components/chat/asking/send'
import { startRun } from '@/components/chat/asking/start-run'
import { announce } from '@/components/ui/announcer'
import type { AskedTurn } from '@/lib/browser/chat-request'
import type { Failure } from '@/lib/browser/failure'
import { claimPaused, isPausedBy, reopenAnswer } from '@/lib/browser/storage/answers'
import { addMessages, showBranch } from '@/lib/browser/storage/chats'
import type { ChatSettings, Message } from '@/lib/browser/storage/records'
import { removeMessage } from '@/lib/browser/storage/removals'
import type { Turn } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

/**
 * Another answer to the same question, kept beside the first. One that came to nothing is written over; a question that
 * has none gets its first.
 */
export async function regenerate(conversationId: string, turn: Turn, modelId: string, onBegun: OnBegun): Promise<void> {
  const setup = await setupOf(conversationId)
  const isQuestion = turn.role === 'user'
  const before = await turnsBefore(conversationId, turn)
  const turns = isQuestion ? [...before, turn] : before
  const plan = pendingAnswer({ conversationId, modelId, ...setup })
  const message = newMessage({ ...plan, parentId: isQuestion ? turn.id : turn.parentId })
  const isEmpty = !isQuestion && turn.text === ''
  const end = await startRun({
    ...{ conversationId, modelId, turns, ...setup },
    messageId: isEmpty ? turn.id : message.id,
    prepare: async (request) => {
      const { settings, character } = setup
      if (isEmpty) await reopenAnswer({ id: turn.id, conversationId }, { modelId, settings, character }, request)
      else {
        const added = { message: { ...message, unpriced: [request] }, text: '' }
        await addMessages({ id: conversationId, title: '', modelId }, [added])
      }
      onBegun()
      return true
    },
  })
  // A person who stops it before its first word wants the answer that was there.
  const isNothing = end?.status === 'stopped' && !end.hasText && !end.hasThoughts
  if (isNothing && !isQuestion && !isEmpty) return await dropVersion(conversationId, message, turn)
  await goOn(conversationId, [end])
}

/** Takes an empty version of an answer away and shows the one before it; what it cost stays with the chat. */
async function dropVersion(conversationId: string, { id, parentId }: Message, shown: Turn): Promise<void> {
  await removeMessage(conversationId, id)
  await showBranch(conversationId, parentId, shown.id)
  await learnPrices(conversationId)
  announce(t('Stopped. Showing the previous answer.'))
}

/** Goes on with an answer that was stopped or broke off, as it was asked. */
export async function resume(conversationId: string, turn: Turn, modelId: string, onBegun: OnBegun): Promise<void> {
  const turns = await turnsBefore(conversationId, turn)
  const end = await startRun({
    ...{ conversationId, modelId, messageId: turn.id, from: turn },
    turns: [...turns, turn],
    settings: withoutSources(turn.settings),
    character: turn.character,
    prepare: async (request) => {
      await reopenAnswer({ id: turn.id, conversationId }, { modelId }, request)
      onBegun()
      return true
    },
  })
  await goOn(conversationId, [end])
}

type ReplayOptions = { isDayWaived?: boolean; failure: Failure; onBegun: OnBegun }

/**
 * Asks what was paused. Whoever claims the pause first asks; in another tab, or by a second click, there is nothing left
 * to claim.
 */
export async function replay(
  conversationId: string,
  turn: Turn,
  modelId: string,
  { failure, isDayWaived = false, onBegun }: ReplayOptions,
): Promise<void> {
  const key = { id: turn.id, conversationId }
  if (!(await isPausedBy(key, failure))) return
  const turns: AskedTurn[] = await turnsBefore(conversationId, turn)
  const isPart = turn.text !== ''
  const end = await startRun({
    ...{ conversationId, modelId, messageId: turn.id, isDayWaived },
    turns: isPart ? [...turns, turn] : turns,
    settings: isPart ? withoutSources(turn.settings) : (turn.settings ?? {}),
    character: turn.character,
    ...(isPart && { from: turn }),
    prepare: async (request) => {
      const isClaimed = await claimPaused(key, { modelId }, failure, request)
      onBegun()
      return isClaimed
    },
  })
  await goOn(conversationId, [end])
}

/** The rest of an answer looks nothing up: its marks would name the places of another list. */
function withoutSources({ sources: _, ...settings }: ChatSettings = {}): ChatSettings {
  return settings
}
