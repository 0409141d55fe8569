import { allowed } from '@/components/chat/asking/allowed'
import {
  type Answer,
  type AnswerChange,
  type AnswerStart,
  newAnswer,
  reduceAnswer,
} from '@/components/chat/asking/answer'
import { cardOf } from '@/components/chat/asking/card-of'
import { beginRun, changeRun, dropRun } from '@/components/chat/asking/change-run'
import { learnPrices } from '@/components/chat/asking/charges'
import { noteSearch } from '@/components/chat/asking/last-search'
import { type Run, runsOf } from '@/components/chat/asking/runs'
import { noteFull, noteServing } from '@/components/chat/models/capacity'
import { streamAnswer } from '@/components/chat/stream'
import { announce, announceAnswer } from '@/components/ui/announcer'
import { rememberCost } from '@/lib/browser/answer-costs'
import { characterPrompt } from '@/lib/browser/character-prompt'
import { type AskedTurn, type ChatBody, chatRequest } from '@/lib/browser/chat-request'
import { foundPrice } from '@/lib/browser/estimate'
import { CapReached, failureOf, isSessionOver } from '@/lib/browser/failure'
import { moneyOf } from '@/lib/browser/format/cost'
import { chatHref } from '@/lib/browser/navigation'
import { newRequest } from '@/lib/browser/new-request'
import { queryClient } from '@/lib/browser/queries'
import { ensureSession, forgetSession, SESSION_KEY } from '@/lib/browser/session'
import type { Session } from '@/lib/browser/session-type'
import { finishAnswer, type Outcome, saveUnfinished } from '@/lib/browser/storage/answers'
import type { Outgoing } from '@/lib/browser/storage/draft-message'
import type { CharacterRef, ChatSettings, Receipt, UnpricedRequest } from '@/lib/browser/storage/records'
import { isTemporary } from '@/lib/browser/storage/temporary-id'
import { setUnread } from '@/lib/browser/storage/unread'
import { ApiError } from '@/lib/contract/errors'
import { t } from '@/lib/i18n/t'

/** How often a growing answer is saved: what a crash can cost. */
const SAVE_EVERY_MS = 400
/** How often a long wait is spoken to a screen reader. */
const SPEAK_EVERY_MS = 7_000

export type RunStart = {
  conversationId: string
  messageId: string
  modelId: string
  /** What goes along: the turns so far, and how this one is asked. */
  turns: AskedTurn[]
  outgoing?: Outgoing
  settings: ChatSettings
  character?: CharacterRef
  /**
   * Stores what the run begins with. Runs under the answer's lock, so that no tab takes the answer for abandoned. False
   * when this answer is not to be written after all: someone else was first.
   */
  prepare: (request: UnpricedRequest) => Promise<boolean>
  /** Asked although the day's cap is reached: the person said so, for this once. */
  isDayWaived?: boolean
  /** How many answer the same question beside each other, this one among them. */
  answers?: number
  /** What the answer already has, when it goes on. */
  from?: AnswerStart
}

/** How a run ended, for whoever goes on after it. */
export type RunEnd = Pick<Answer, 'status'> & { hasText: boolean; hasThoughts: boolean }

const endings = new Map<string, Promise<unknown>>()

/** Resolves when no answer of a chat is being written or saved by this page. */
export async function runsEnded(conversationId: string): Promise<void> {
  await Promise.allSettled(runsOf(conversationId).map(({ messageId }) => endings.get(messageId)))
}

/**
 * Asks, and keeps the answer as it comes. Resolves when it is saved: a failure to answer is an outcome, too.
 *
 * @throws whatever the browser's storage throws when it refuses.
 */
export function startRun(start: RunStart): Promise<RunEnd | undefined> {
  const ending = runToEnd(start).finally(() => endings.delete(start.messageId))
  endings.set(start.messageId, ending)
  return ending
}

async function runToEnd(start: RunStart): Promise<RunEnd | undefined> {
  const { conversationId, messageId, modelId, from } = start
  const controller = new AbortController()
  const run: Run = {
    conversationId,
    messageId,
    answer: newAnswer(Date.now(), from ?? { text: '', reasoning: '' }),
    stop: () => {
      apply({ type: 'stopped' })
      controller.abort()
    },
  }
  const apply = (event: AnswerChange) => changeRun(run, (answer) => reduceAnswer(answer, event, Date.now()))
  const answer = () => runsOf(conversationId).find((one) => one.messageId === messageId)?.answer ?? run.answer
  const request = newRequest(modelId)
  beginRun(run)
  announce(t('Sending'))

  return await navigator.locks.request(lockOf(messageId), async () => {
    const isBegun = await start.prepare(request).catch((error: unknown) => {
      dropRun(run)
      throw error
    })
    if (!isBegun) return void dropRun(run)
    const saving = keepSaving(start, answer)
    const speaking = setInterval(() => announce(spokenPhase(answer())), SPEAK_EVERY_MS)
    let isFree = true
    try {
      const body = await bodyOf(start)
      // A stop before anything was sent sends nothing.
      if (answer().status === 'streaming') {
        isFree = false
        await ask(body, controller.signal, request.id, apply)
      }
    } catch (error) {
      // What is refused is not charged; whatever else happens, the ledger knows: a failure may be that of a proxy between.
      isFree ||= (error instanceof ApiError && error.status < 500) || error instanceof CapReached
      apply({ type: 'failed', failure: failureOf(error) })
    } finally {
      clearInterval(speaking)
      await saving.end()
    }
    noteCapacity(modelId, answer())
    noteSearch(answer().steps)
    await save(start, answer(), request, isFree)
    speakOutcome(answer())
    answerEnded(conversationId).catch(() => undefined)
    showBalance()
    if (!isFree && answer().usage?.costUsd === undefined) void learnPrices(conversationId)
    const { status, text, reasoning } = answer()
    return { status, hasText: text !== '', hasThoughts: reasoning !== '' }
  })
}

/** The request itself: within the caps, with the words of the character and the bytes of the files. */
async function bodyOf(start: RunStart): Promise<ChatBody> {
  const { turns, outgoing, settings, character, modelId } = start
  const words = character ? await characterPrompt(character) : undefined
  const body = await chatRequest(turns, { settings, ...(words && { character: words }) }, cardOf(modelId), outgoing)
  const sent: AskedTurn[] = outgoing ? [...turns, { role: 'user', ...outgoing }] : turns
  return await allowed(body, sent, settings.sources, start)
}

const FULL: readonly string[] = ['MODEL_OVERLOADED', 'MODEL_AT_CAPACITY', 'SERVICE_UNAVAILABLE']

/** The list of models says which had no room lately. */
function noteCapacity(modelId: string, { failure, requestId }: Answer): void {
  if (failure && FULL.includes(failure.code)) noteFull(modelId)
  else if (requestId && !failure) noteServing(modelId)
}

/** Asks for the balance after an answer: its price is settled before its last words. */
function showBalance(): void {
  void queryClient().invalidateQueries({ queryKey: SESSION_KEY })
}

type Apply = (event: AnswerChange) => void

async function ask(body: ChatBody, signal: AbortSignal, name: string, apply: Apply): Promise<void> {
  const session = await ensureSession(queryClient())
  try {
    await relay(body, signal, name, apply)
  } catch (error) {
    if (!isSessionOver(error)) throw error
    forgetSession(queryClient())
    // A guest signs nothing, so a fresh session is opened unasked; a wallet is asked first.
    if (session.kind !== 'guest') throw error
    await ensureSession(queryClient())
    await relay(body, signal, name, apply)
  }
}

async function relay(body: ChatBody, signal: AbortSignal, name: string, apply: Apply): Promise<void> {
  for await (const event of streamAnswer(body, signal, name)) {
    apply(event)
    if (event.type === 'accepted' && event.balanceUsd !== undefined) noteBalance(event.balanceUsd)
  }
  apply({ type: 'broken-off' })
}

/** What the service said is left when it began; the price of the answer comes off when it has ended. */
function noteBalance(balanceUsd: number): void {
  queryClient().setQueryData<Session | null>(SESSION_KEY, (session) => session && { ...session, balanceUsd })
}

async function save(start: RunStart, answer: Answer, request: UnpricedRequest, isFree: boolean): Promise<void> {
  const { conversationId, messageId, modelId } = start
  const { status, text, reasoning, thinkingMs, finishReason, failure, notice, citations, steps } = answer
  const receipt = receiptOf(start, answer, request)
  if (receipt?.cost && !isTemporary(conversationId)) rememberCost(receipt.cost)
  const outcome: Outcome = {
    text,
    reasoning,
    changes: {
      ...{ status, thinkingMs, finishReason, failure, notice, citations, steps },
      modelId: answer.usage?.model || modelId,
    },
    ...(receipt && { receipt }),
    ...(isFree && { freeRequest: request.id }),
    left: { ...request, durationMs: (answer.endedAt ?? Date.now()) - request.at, ray: answer.requestId },
  }
  await finishAnswer({ id: messageId, conversationId }, outcome)
}

/** Nothing where the service named no price: it is asked for then. */
function receiptOf(start: RunStart, answer: Answer, request: UnpricedRequest): Receipt | undefined {
  if (answer.usage?.costUsd === undefined) return undefined
  const { model, tokens, costUsd } = answer.usage
  const at = answer.endedAt ?? Date.now()
  const searches = answer.steps?.filter((step) => step.type === 'search') ?? []
  const found = searches.reduce((sum, { sources }) => sum + sources, 0)
  const question = start.outgoing ?? start.turns.findLast(({ role }) => role === 'user')
  const sourcesCost = foundPrice(start.settings.sources ?? {}, question?.text ?? '', found)
  return {
    id: request.id,
    conversationId: start.conversationId,
    messageId: start.messageId,
    model,
    tokens,
    at,
    durationMs: at - answer.startedAt,
    cost: moneyOf(costUsd),
    ...(answer.requestId && { requestId: answer.requestId }),
    ...(found > 0 && { sources: found }),
    ...(sourcesCost > 0n && start.settings.sources && { sourcesCost }),
    ...(answer.readingUsd !== undefined && { readingCost: moneyOf(answer.readingUsd) }),
    ...(start.character && { character: start.character.name }),
  }
}

/** Saves the growing answer on a timer, which also runs in a hidden tab, where animation frames do not. */
function keepSaving({ conversationId, messageId }: RunStart, answer: () => Answer) {
  let last: Answer | undefined
  let pending = Promise.resolve()
  const timer = setInterval(() => {
    const current = answer()
    if (current === last || current.status !== 'streaming') return
    last = current
    const { text, reasoning, thinkingMs, citations, steps } = current
    const unfinished = { messageId, text, reasoning, thinkingMs, citations, steps, savedAt: Date.now() }
    pending = saveUnfinished(conversationId, unfinished).catch(() => undefined)
  }, SAVE_EVERY_MS)
  return {
    end: () => {
      clearInterval(timer)
      return pending
    },
  }
}

/** The writer of an answer holds this from before the answer is stored until it is finished. */
export const lockOf = (messageId: string) => `answer:${messageId}`

function spokenPhase(answer: Answer): string {
  return { waiting: t('Still waiting for the model'), thinking: t('Still thinking'), writing: t('Still answering') }[
    answer.phase
  ]
}

function speakOutcome(answer: Answer): void {
  if (answer.status === 'done') {
    announce(t('Answer finished'))
    announceAnswer(answer.text)
  } else if (answer.status === 'stopped') announce(t('Stopped'))
  else announce(answer.failure?.message ?? t('The answer was interrupted'))
}

/** Marks a chat whose answer ended while nobody looked at it. */
async function answerEnded(conversationId: string): Promise<void> {
  const isSeen = document.visibilityState === 'visible' && window.location.pathname === chatHref(conversationId)
  if (!isSeen && !isTemporary(conversationId)) await setUnread(conversationId, true)
}
