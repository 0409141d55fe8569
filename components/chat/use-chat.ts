import { useState } from 'react'
import { passChatGate } from '@/components/chat/gate'
import { history, isAnswering, startRun, useRun } from '@/components/chat/runs'
import { openChat } from '@/components/shell/navigation'
import { showToast } from '@/components/ui/toast'
import { isGateOpen, type Kept } from '@/components/wallet/gate'
import type { ChatTurn } from '@/lib/client/chat-stream'
import type { Failure } from '@/lib/client/failure'
import type { Message } from '@/lib/client/history'
import { shownTurns, type Turn } from '@/lib/client/thread'
import { uuid } from '@/lib/core/ids'

const MAX_TITLE_CHARS = 60

/** Asks a model to go on where its answer broke off, without a word of its own. */
const CONTINUE =
  'Your last answer was cut off. Continue it exactly where it stopped: no preface, and repeat nothing that is already there.'

/** What a person can do in a chat; `chatId` is null before the first message. Whether it was begun is what each answers. */
export function useChat(chatId: string | null, modelId: string | undefined) {
  const run = useRun(chatId)
  const isBusy = run?.answer.status === 'streaming'
  const [kept, setKept] = useState<Kept>()
  const begin = async (model: string | undefined, act: (model: string) => Promise<void>): Promise<boolean> => {
    setKept(undefined)
    if (!model || (chatId !== null && isAnswering(chatId))) return false
    const refusal = isGateOpen() ? undefined : await passChatGate(model)
    setKept(refusal)
    if (refusal || (chatId !== null && isAnswering(chatId))) return false
    // Storage that refuses is the only failure with no place in the chat itself.
    act(model).catch(() =>
      showToast({ text: 'This browser refused to store the chat. Free some space and try again.' }),
    )
    return true
  }
  return {
    run,
    isBusy,
    /** Why the last question was not sent, until the next one. */
    kept,
    stop: () => run?.stop(),
    send: (text: string) => begin(modelId, (model) => send(chatId, text, model)),
    regenerate: (turn: Turn, other?: string) =>
      begin(other ?? modelId, (model) => regenerate(chatId ?? '', turn, model)),
    resume: (turn: Turn) => begin(modelId, (model) => resume(chatId ?? '', turn, model)),
    /** Asks again what was paused by `failure`: that very question of that very model, once. */
    replay: (turn: Turn, failure: Failure, options: ReplayOptions = {}) =>
      begin(turn.modelId ?? modelId, (model) => replay(chatId ?? '', turn, model, { ...options, failure })),
    edit: (turn: Turn, text: string) => begin(modelId, (model) => edit(chatId ?? '', turn, text, model)),
    showVersion: (turn: Turn, id: string) => void showVersion(chatId ?? '', turn, id),
  }
}

export type Chat = ReturnType<typeof useChat>

export type ReplayOptions = { isDayWaived?: boolean }

async function send(chatId: string | null, text: string, modelId: string): Promise<void> {
  const conversationId = chatId ?? uuid()
  const before = chatId ? await turnsOf(chatId) : []
  const question = newMessage({ conversationId, parentId: before.at(-1)?.id ?? '', role: 'user', status: 'done' })
  await ask({
    conversationId,
    title: titleOf(text),
    modelId,
    before,
    question,
    text,
    onStored: () => openChat(conversationId),
  })
}

/** Asks differently: the old question and its answers stay as another version. */
async function edit(conversationId: string, turn: Turn, text: string, modelId: string): Promise<void> {
  const before = await turnsBefore(conversationId, turn)
  const question = newMessage({ conversationId, parentId: turn.parentId, role: 'user', status: 'done' })
  await ask({ conversationId, title: '', modelId, before, question, text })
}

type Asking = {
  conversationId: string
  /** For a chat that is new. */
  title: string
  modelId: string
  before: Turn[]
  question: Message
  text: string
  onStored?: () => void
}

async function ask({ conversationId, title, modelId, before, question, text, onStored }: Asking): Promise<void> {
  const answer = newMessage({ ...pending(conversationId, modelId), parentId: question.id, after: question })
  await startRun({
    conversationId,
    messageId: answer.id,
    question: { model: modelId, messages: [...wireTurns(before), { role: 'user', content: text }] },
    prepare: async () => {
      const { addMessages } = await history()
      await addMessages({ id: conversationId, title, modelId }, [
        { message: question, text },
        { message: answer, text: '' },
      ])
      onStored?.()
      return true
    },
  })
}

/** Another answer to the same question, kept beside the first. One that came to nothing is written over. */
async function regenerate(conversationId: string, turn: Turn, modelId: string): Promise<void> {
  const before = await turnsBefore(conversationId, turn)
  const message = newMessage({ ...pending(conversationId, modelId), parentId: turn.parentId })
  const isEmpty = turn.text === ''
  await startRun({
    conversationId,
    messageId: isEmpty ? turn.id : message.id,
    question: { model: modelId, messages: wireTurns(before) },
    prepare: async () => {
      const { addMessages, reopenAnswer } = await history()
      if (isEmpty) await reopenAnswer(turn.id, modelId)
      else await addMessages({ id: conversationId, title: '', modelId }, [{ message, text: '' }])
      return true
    },
  })
}

/** Goes on with an answer that was stopped or broke off. */
async function resume(conversationId: string, turn: Turn, modelId: string): Promise<void> {
  const before = await turnsBefore(conversationId, turn)
  await startRun({
    conversationId,
    messageId: turn.id,
    question: { model: modelId, messages: continued(before, turn) },
    from: turn,
    prepare: async () => {
      const { reopenAnswer } = await history()
      await reopenAnswer(turn.id, modelId)
      return true
    },
  })
}

/**
 * Asks what was paused. Whoever claims the pause first asks; in another tab, or by a second click, there is nothing left
 * to claim.
 */
async function replay(
  conversationId: string,
  turn: Turn,
  modelId: string,
  { failure, isDayWaived = false }: ReplayOptions & { failure: Failure },
): Promise<void> {
  const { claimPaused, isPausedBy } = await history()
  if (!(await isPausedBy(turn.id, failure))) return
  const before = await turnsBefore(conversationId, turn)
  const isPart = turn.text !== ''
  await startRun({
    conversationId,
    messageId: turn.id,
    question: { model: modelId, messages: isPart ? continued(before, turn) : wireTurns(before) },
    ...(isPart && { from: turn }),
    isDayWaived,
    prepare: () => claimPaused(turn.id, modelId, failure),
  })
}

/** The chat so far, with an answer that is to be gone on with at its end. */
function continued(before: Turn[], turn: Turn): ChatTurn[] {
  return [...wireTurns(before), { role: 'assistant', content: turn.text }, { role: 'user', content: CONTINUE }]
}

async function showVersion(conversationId: string, turn: Turn, id: string): Promise<void> {
  const { showBranch } = await history()
  await showBranch(conversationId, turn.parentId, id)
}

async function turnsOf(conversationId: string): Promise<Turn[]> {
  const { loadThread } = await history()
  const thread = await loadThread(conversationId)
  return thread ? shownTurns(thread) : []
}

async function turnsBefore(conversationId: string, turn: Turn): Promise<Turn[]> {
  const turns = await turnsOf(conversationId)
  const at = turns.findIndex(({ id }) => id === turn.id)
  return at === -1 ? turns : turns.slice(0, at)
}

/** The words that a model sees. An answer that came to nothing is left out, thoughts always are. */
function wireTurns(turns: Turn[]): ChatTurn[] {
  return turns.flatMap(({ role, text }) => (text ? [{ role, content: text }] : []))
}

type NewMessage = Pick<Message, 'conversationId' | 'parentId' | 'role' | 'status'> & {
  modelId?: string
  after?: Message
}

function newMessage({ after, ...fields }: NewMessage): Message {
  // Messages are ordered by their time, and two are made in the same millisecond.
  return { id: uuid(), createdAt: Math.max(Date.now(), (after?.createdAt ?? 0) + 1), ...fields }
}

function pending(conversationId: string, modelId: string) {
  return { conversationId, modelId, role: 'assistant' as const, status: 'streaming' as const }
}

function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  if (line.length <= MAX_TITLE_CHARS) return line
  return `${line.slice(0, line.lastIndexOf(' ', MAX_TITLE_CHARS) > 30 ? line.lastIndexOf(' ', MAX_TITLE_CHARS) : MAX_TITLE_CHARS)}…`
}
