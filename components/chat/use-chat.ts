import { history, isAnswering, startRun, useRun } from '@/components/chat/runs'
import { openChat } from '@/components/shell/navigation'
import { showToast } from '@/components/ui/toast'
import type { ChatTurn } from '@/lib/client/chat-stream'
import type { Message } from '@/lib/client/history'
import { shownTurns, type Turn } from '@/lib/client/thread'
import { uuid } from '@/lib/core/ids'

const MAX_TITLE_CHARS = 60

/** Asks a model to go on where its answer broke off, without a word of its own. */
const CONTINUE =
  'Your last answer was cut off. Continue it exactly where it stopped: no preface, and repeat nothing that is already there.'

/** What a person can do in a chat; `chatId` is null before the first message. */
export function useChat(chatId: string | null, modelId: string | undefined) {
  const run = useRun(chatId)
  const isBusy = run?.answer.status === 'streaming'
  return {
    run,
    isBusy,
    stop: () => run?.stop(),
    send: (text: string) => guarded(chatId, modelId, (model) => send(chatId, text, model)),
    regenerate: (turn: Turn, other?: string) =>
      guarded(chatId, other ?? modelId, (model) => regenerate(chatId ?? '', turn, model)),
    resume: (turn: Turn) => guarded(chatId, modelId, (model) => resume(chatId ?? '', turn, model)),
    edit: (turn: Turn, text: string) => guarded(chatId, modelId, (model) => edit(chatId ?? '', turn, text, model)),
    showVersion: (turn: Turn, id: string) => void showVersion(chatId ?? '', turn, id),
  }
}

export type Chat = ReturnType<typeof useChat>

/** One answer at a time per chat. Storage that refuses is the only failure with no place in the chat itself. */
function guarded(chatId: string | null, modelId: string | undefined, act: (model: string) => Promise<void>): boolean {
  if (!modelId || (chatId !== null && isAnswering(chatId))) return false
  act(modelId).catch(() =>
    showToast({ text: 'This browser refused to store the chat. Free some space and try again.' }),
  )
  return true
}

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
    },
  })
}

/** Goes on with an answer that was stopped or broke off. */
async function resume(conversationId: string, turn: Turn, modelId: string): Promise<void> {
  const before = await turnsBefore(conversationId, turn)
  const cutOff: ChatTurn[] = [
    { role: 'assistant', content: turn.text },
    { role: 'user', content: CONTINUE },
  ]
  await startRun({
    conversationId,
    messageId: turn.id,
    question: { model: modelId, messages: [...wireTurns(before), ...cutOff] },
    from: turn,
    prepare: async () => {
      const { reopenAnswer } = await history()
      await reopenAnswer(turn.id, modelId)
    },
  })
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
