import { isAnswering } from '@/components/chat/asking/answer-store'
import { putBack, readFiles, take, waitingIn } from '@/components/chat/asking/queue'
import { type Begun, type RunEnd, runsEnded, startRun } from '@/components/chat/asking/run'
import { opensGate } from '@/lib/browser/account-gate'
import { characterPrompt } from '@/lib/browser/characters'
import { newSetup, resetNewSetup, type Setup } from '@/lib/browser/chat-setup'
import { openChat } from '@/lib/browser/navigation'
import { readPreference } from '@/lib/browser/preferences'
import { addMessages, loadConversation, loadThread, titleOf } from '@/lib/browser/storage/chats'
import { newTemporaryId } from '@/lib/browser/storage/database'
import {
  type CharacterRef,
  type ChatSettings,
  isTemporary,
  type Message,
  type Outgoing,
} from '@/lib/browser/storage/records'
import { shownTurns, type Turn } from '@/lib/browser/storage/thread'
import { isNextTemporary, noteTemporary } from '@/lib/browser/temporary-chat'
import { uuid } from '@/lib/contract/ids'

/** Resolves when the question is stored. @throws whatever the browser's storage throws when it refuses. */
export async function send(
  chatId: string | null,
  outgoing: Outgoing,
  modelIds: string[],
  questionId = uuid(),
): Promise<Begun> {
  const setup = await loadSetup(chatId)
  if (chatId !== null) {
    const before = await loadTurns(chatId)
    const parentId = before.at(-1)?.id ?? ''
    return await ask({ conversationId: chatId, modelIds, setup, before, parentId, outgoing, questionId })
  }
  const conversationId = isNextTemporary() ? await newTemporaryId(uuid()) : uuid()
  const greeting = await loadGreeting(conversationId, setup)
  const before = greeting ? [{ ...greeting.message, text: greeting.text, reasoning: '', versions: [] }] : []
  const begun = await ask({
    conversationId,
    title: titleOf(outgoing.text, outgoing.attachments[0]?.name),
    modelIds,
    setup,
    before,
    parentId: greeting?.message.id ?? '',
    outgoing,
    questionId,
    first: greeting,
  })
  if (isTemporary(conversationId)) noteTemporary(conversationId)
  resetNewSetup()
  openChat(conversationId)
  return begun
}

export async function edit(conversationId: string, turn: Turn, outgoing: Outgoing, modelId: string): Promise<Begun> {
  const setup = await loadSetup(conversationId)
  const before = await turnsBefore(conversationId, turn)
  const { parentId } = turn
  return await ask({ conversationId, modelIds: [modelId], setup, before, parentId, outgoing })
}

/**
 * Sends the next waiting message, or the one of that id, once the current answer has ended. It becomes a message of its
 * own id, so two tabs that send it at once do so once.
 */
export async function sendWaiting(conversationId: string, id?: string): Promise<void> {
  await runsEnded(conversationId)
  await readFiles(conversationId)
  if (waitingIn(conversationId).length === 0 || !(await opensGate())) return
  const waiting = isAnswering(conversationId) ? undefined : take(conversationId, id)
  if (!waiting) return
  const begun = await send(conversationId, waiting.outgoing, [waiting.modelId], waiting.id).catch((error: unknown) => {
    if (isKnown(error)) return undefined
    putBack(conversationId, waiting)
    throw error
  })
  await begun?.ended
}

const isKnown = (error: unknown): boolean => error instanceof Error && error.name === 'ConstraintError'

type StoredText = { message: Message; text: string }

type Asking = {
  conversationId: string
  /** Of a chat that begins with this question. */
  title?: string
  modelIds: string[]
  setup: Setup
  before: Turn[]
  parentId: string
  outgoing: Outgoing
  questionId?: string
  first?: StoredText
}

async function ask({
  conversationId,
  title,
  modelIds,
  setup,
  before,
  parentId,
  outgoing,
  questionId = uuid(),
  first,
}: Asking): Promise<Begun> {
  const { text, attachments } = outgoing
  const question = newMessage({
    ...{ id: questionId, conversationId, parentId, role: 'user', status: 'done', after: first?.message },
    ...(attachments.length > 0 && { attachments }),
    ...(setup.character && { character: setup.character }),
  })
  const comparison = modelIds.length > 1 ? { comparison: uuid() } : {}
  const answers = modelIds.map((modelId, at) => {
    const plan = pendingAnswer({ conversationId, modelId, ...setup })
    return newMessage({ ...plan, ...comparison, parentId: question.id, createdAt: question.createdAt + 1 + at })
  })
  const chat = { id: conversationId, title: title ?? '', modelId: modelIds[0] ?? '', ...(title !== undefined && setup) }
  let stored: Promise<void> | undefined
  // The question is stored with the first of its answers, in one step, so that neither stands alone.
  const store = async (answer: StoredText) => {
    if (stored) {
      await stored
      return await addMessages(chat, [answer])
    }
    stored = addMessages(chat, [...(first ? [first] : []), { message: question, text }, answer])
    await stored
  }
  const runs = answers.map((answer) =>
    startRun({
      ...{ conversationId, messageId: answer.id, turns: before, outgoing, ...setup },
      modelId: answer.modelId ?? '',
      answers: answers.length,
      prepare: async (request) => {
        await store({ message: { ...answer, unpriced: [request] }, text: '' })
        return true
      },
    }),
  )
  await Promise.race(runs)
  const isFirst = before.every(({ role }) => role === 'assistant')
  return { ended: finish(conversationId, runs, isFirst) }
}

async function finish(conversationId: string, runs: Promise<Begun<RunEnd | undefined>>[], isFirst: boolean) {
  const ends = await Promise.all(runs.map(async (run) => (await run).ended))
  if (isFirst) void nameChat(conversationId, ends)
  await goOn(conversationId, ends)
}

type Fields = Pick<Message, 'conversationId' | 'parentId' | 'role' | 'status'> & Partial<Message>

/** Makes a message that is ordered behind `after`, even when both are made in the same millisecond. */
export function newMessage({ after, ...fields }: Fields & { after?: Message }): Message {
  return { id: uuid(), createdAt: Math.max(Date.now(), (after?.createdAt ?? 0) + 1), ...fields }
}

type AnswerPlan = { conversationId: string; modelId: string; settings: ChatSettings; character?: CharacterRef }

export function pendingAnswer({ conversationId, modelId, settings, character }: AnswerPlan) {
  return {
    conversationId,
    modelId,
    role: 'assistant' as const,
    status: 'streaming' as const,
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(character && { character }),
  }
}

export async function loadSetup(chatId: string | null): Promise<Setup> {
  if (chatId === null) return newSetup()
  const chat = await loadConversation(chatId)
  return { settings: chat?.settings ?? {}, ...(chat?.character && { character: chat.character }) }
}

async function loadTurns(conversationId: string): Promise<Turn[]> {
  const thread = await loadThread(conversationId)
  return thread ? shownTurns(thread) : []
}

export async function turnsBefore(conversationId: string, turn: Pick<Turn, 'id'>): Promise<Turn[]> {
  const turns = await loadTurns(conversationId)
  const at = turns.findIndex(({ id, versions }) => id === turn.id || versions.includes(turn.id))
  return at === -1 ? turns : turns.slice(0, at)
}

export async function goOn(conversationId: string, ends: (RunEnd | undefined)[]): Promise<void> {
  const isAnswered = ends.every((end) => end?.status === 'done')
  if (isAnswered && waitingIn(conversationId).length > 0) return await sendWaiting(conversationId)
  if (isAnswered && readPreference('suggestions') === 'on') void suggest(conversationId)
}

async function suggest(conversationId: string): Promise<void> {
  await import('@/components/chat/next/ask-next')
    .then(({ suggestSoon }) => suggestSoon(conversationId))
    .catch(() => undefined)
}

async function nameChat(conversationId: string, ends: (RunEnd | undefined)[]): Promise<void> {
  if (isTemporary(conversationId) || !ends.some((end) => end?.status === 'done' && end.hasText)) return
  const { titleSoon } = await import('@/components/chat/name-chat')
  titleSoon(conversationId)
}

async function loadGreeting(conversationId: string, { character }: Setup): Promise<StoredText | undefined> {
  if (!character) return undefined
  const prompt = await characterPrompt(character, { withGreeting: true }).catch(() => undefined)
  if (!prompt?.greeting) return undefined
  const fields = { conversationId, parentId: '', role: 'assistant', status: 'done', character } as const
  return { message: newMessage(fields), text: prompt.greeting }
}
