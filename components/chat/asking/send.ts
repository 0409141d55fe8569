import { newMessage, pendingAnswer, setupOf, titleOf, turnsBefore, turnsOf } from '@/components/chat/asking/new-message'
import { putBack, readFiles, take, waitingIn } from '@/components/chat/asking/queue'
import { isAnswering } from '@/components/chat/asking/runs'
import { type RunEnd, runsEnded, startRun } from '@/components/chat/asking/start-run'
import { opensGate } from '@/lib/browser/account-gate'
import { characterPrompt } from '@/lib/browser/character-prompt'
import { resetNewSetup, type Setup } from '@/lib/browser/chat-setup'
import { openChat } from '@/lib/browser/navigation'
import { readPreference } from '@/lib/browser/preferences'
import { addMessages } from '@/lib/browser/storage/chats'
import { newTemporaryId } from '@/lib/browser/storage/database'
import type { Outgoing } from '@/lib/browser/storage/draft-message'
import type { Message } from '@/lib/browser/storage/records'
import { isTemporary } from '@/lib/browser/storage/temporary-id'
import type { Turn } from '@/lib/browser/storage/thread'
import { isNextTemporary, noteTemporary } from '@/lib/browser/temporary-chat'
import { uuid } from '@/lib/contract/ids'

/** Called once what was asked is stored and on its way. */
export type OnBegun = () => void

const noop = () => {}

/** Sends a question; with a second model both answer beside each other. */
export async function send(
  chatId: string | null,
  outgoing: Outgoing,
  modelIds: string[],
  onBegun: OnBegun = noop,
  questionId = uuid(),
): Promise<void> {
  const setup = await setupOf(chatId)
  if (chatId !== null) {
    const before = await turnsOf(chatId)
    const parentId = before.at(-1)?.id ?? ''
    return await ask({
      conversationId: chatId,
      title: '',
      modelIds,
      setup,
      before,
      parentId,
      outgoing,
      questionId,
      onStored: onBegun,
    })
  }
  const conversationId = isNextTemporary() ? await newTemporaryId(uuid()) : uuid()
  const greeting = await greetingOf(conversationId, setup)
  const before = greeting ? [{ ...greeting.message, text: greeting.text, reasoning: '', versions: [] }] : []
  await ask({
    conversationId,
    title: titleOf(outgoing.text, outgoing.attachments[0]?.name),
    modelIds,
    setup,
    before,
    parentId: greeting?.message.id ?? '',
    outgoing,
    questionId,
    first: greeting,
    isNew: true,
    onStored: () => {
      if (isTemporary(conversationId)) noteTemporary(conversationId)
      resetNewSetup()
      openChat(conversationId)
      onBegun()
    },
  })
}

/** Asks differently: the old question and its answers stay as another version. */
export async function edit(
  conversationId: string,
  turn: Turn,
  outgoing: Outgoing,
  modelId: string,
  onBegun: OnBegun = noop,
): Promise<void> {
  const setup = await setupOf(conversationId)
  const before = await turnsBefore(conversationId, turn)
  const { parentId } = turn
  await ask({ conversationId, title: '', modelIds: [modelId], setup, before, parentId, outgoing, onStored: onBegun })
}

/**
 * Sends a waiting question once what is being answered has ended: the one of that id, or the next. It becomes a message of
 * its own id, of which there is one: two tabs that send it at once do so once.
 */
export async function sendWaiting(conversationId: string, id?: string): Promise<void> {
  await runsEnded(conversationId)
  await readFiles(conversationId)
  if (waitingIn(conversationId).length === 0 || !(await opensGate())) return
  const waiting = isAnswering(conversationId) ? undefined : take(conversationId, id)
  if (!waiting) return
  let isStored = false
  const noteStored = () => {
    isStored = true
  }
  try {
    await send(conversationId, waiting.outgoing, [waiting.modelId], noteStored, waiting.id)
  } catch (error) {
    if (!isStored && isKnown(error)) return
    if (!isStored) putBack(conversationId, waiting)
    throw error
  }
}

/** Something of that id is stored already. */
const isKnown = (error: unknown): boolean => error instanceof Error && error.name === 'ConstraintError'

type Words = { message: Message; text: string }

type Asking = {
  conversationId: string
  /** For a chat that is new. */
  title: string
  modelIds: string[]
  setup: Setup
  before: Turn[]
  parentId: string
  outgoing: Outgoing
  questionId?: string
  /** What a character says before the first question. */
  first?: Words
  isNew?: boolean
  onStored: OnBegun
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
  isNew = false,
  onStored,
}: Asking) {
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
  const chat = { id: conversationId, title, modelId: modelIds[0] ?? '', ...(isNew && setup) }
  let stored: Promise<void> | undefined
  // The question is stored with the first of its answers, in one step, so that neither stands alone.
  const store = async (answer: Words) => {
    if (stored) {
      await stored
      return await addMessages(chat, [answer])
    }
    stored = addMessages(chat, [...(first ? [first] : []), { message: question, text }, answer])
    await stored
    onStored()
  }
  const isFirst = before.every(({ role }) => role === 'assistant')
  const ends = await Promise.all(
    answers.map((answer) =>
      startRun({
        ...{ conversationId, messageId: answer.id, turns: before, outgoing, ...setup },
        modelId: answer.modelId ?? '',
        answers: answers.length,
        prepare: async (request) => {
          await store({ message: { ...answer, unpriced: [request] }, text: '' })
          return true
        },
      }),
    ),
  )
  if (isFirst) void nameChat(conversationId, ends)
  await goOn(conversationId, ends)
}

/**
 * The next question that waits goes out when the one before was answered; after a stop or a failure it waits on. Where
 * none waits, some may be suggested.
 */
export async function goOn(conversationId: string, ends: (RunEnd | undefined)[]): Promise<void> {
  const isAnswered = ends.every((end) => end?.status === 'done')
  if (isAnswered && waitingIn(conversationId).length > 0) return await sendWaiting(conversationId)
  if (isAnswered && readPreference('suggestions') === 'on') void suggest(conversationId)
}

/** What cannot be fetched suggests nothing. */
async function suggest(conversationId: string): Promise<void> {
  await import('@/components/chat/next/ask-next')
    .then(({ suggestSoon }) => suggestSoon(conversationId))
    .catch(() => undefined)
}

/** A chat gets a better name than its first line after its first answer. */
async function nameChat(conversationId: string, ends: (RunEnd | undefined)[]): Promise<void> {
  if (isTemporary(conversationId) || !ends.some((end) => end?.status === 'done' && end.hasText)) return
  const { titleSoon } = await import('@/components/chat/title')
  titleSoon(conversationId)
}

/** A chat with a character begins with what it says; one that cannot be reached says nothing. */
async function greetingOf(conversationId: string, { character }: Setup): Promise<Words | undefined> {
  if (!character) return undefined
  const words = await characterPrompt(character, { withGreeting: true }).catch(() => undefined)
  if (!words?.greeting) return undefined
  const fields = { conversationId, parentId: '', role: 'assistant', status: 'done', character } as const
  return { message: newMessage(fields), text: words.greeting }
}
