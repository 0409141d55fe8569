import {
  type Answer,
  type AnswerChange,
  type AnswerStart,
  newAnswer,
  reduceAnswer,
} from '@/components/chat/asking/answer'
import {
  beginRun,
  changeRun,
  dropRun,
  noteSearch,
  type Run,
  redrawNextFrame,
  runsOf,
} from '@/components/chat/asking/answer-store'
import { withinCaps } from '@/components/chat/asking/spending-check'
import { noteFull, noteServing } from '@/components/chat/models/capacity'
import { type AnswerEvent, streamAnswer } from '@/components/chat/stream'
import { announce, announceAnswer } from '@/components/ui/announcer'
import { ensureSession } from '@/lib/browser/account-gate'
import { rememberCost } from '@/lib/browser/balance'
import { characterPrompt } from '@/lib/browser/characters'
import { type Charge, learnCharge, newRequest } from '@/lib/browser/charge'
import { type ChatBody, chatRequest, type RequestTurn } from '@/lib/browser/chat-request'
import { foundPrice } from '@/lib/browser/estimate'
import { CapReached, failureOf, isSessionOver } from '@/lib/browser/failure'
import { moneyOf } from '@/lib/browser/format/cost'
import { chatHref } from '@/lib/browser/navigation'
import { listedModel, queryClient } from '@/lib/browser/queries'
import { forgetSession, SESSION_KEY } from '@/lib/browser/session'
import {
  type AnswerKey,
  finishAnswer,
  interruptAnswer,
  listUnpriced,
  type Outcome,
  priceRequest,
  saveUnfinished,
} from '@/lib/browser/storage/answers'
import { setUnread } from '@/lib/browser/storage/chats'
import {
  type CharacterRef,
  type ChatSettings,
  isTemporary,
  type Outgoing,
  type Receipt,
  type UnpricedRequest,
} from '@/lib/browser/storage/records'
import { ApiError } from '@/lib/contract/errors'
import type { Session } from '@/lib/contract/session'
import { t } from '@/lib/i18n/t'

const SAVE_EVERY_MS = 400
const SPEAK_EVERY_MS = 7_000

export type RunStart = {
  conversationId: string
  messageId: string
  modelId: string
  turns: RequestTurn[]
  outgoing?: Outgoing
  settings: ChatSettings
  character?: CharacterRef
  /**
   * Stores what the run begins with, under the answer's lock, so that no tab takes the answer for abandoned. False when
   * another tab was first.
   */
  prepare: (request: UnpricedRequest) => Promise<boolean>
  /** The person waived the daily limit for this message. */
  isDayWaived?: boolean
  /** Number of models that answer the same message, this one included. */
  answers?: number
  from?: AnswerStart
}

export type RunEnd = Pick<Answer, 'status'> & { hasText: boolean; hasThoughts: boolean }

const endings = new Map<string, Promise<unknown>>()

/** Resolves when this page writes and saves no answer of a chat any more. */
export async function runsEnded(conversationId: string): Promise<void> {
  await Promise.allSettled(runsOf(conversationId).map(({ messageId }) => endings.get(messageId)))
}

/** A question that is stored. `ended` resolves when the answer is saved, and rejects when the storage refuses it. */
export type Begun<End = void> = { ended: Promise<End> }

/**
 * Asks, and keeps the answer as it comes; a failure to answer is an outcome, too. Resolves when `prepare` has stored
 * what the run begins with, or another tab was first; `ended` is then undefined. @throws whatever the browser's storage
 * throws when it refuses.
 */
export async function startRun(start: RunStart): Promise<Begun<RunEnd | undefined>> {
  const { promise: begun, resolve: noteBegun } = Promise.withResolvers<void>()
  const ended = runToEnd(start, noteBegun).finally(() => endings.delete(start.messageId))
  endings.set(start.messageId, ended)
  await Promise.race([begun, ended])
  return { ended }
}

async function runToEnd(start: RunStart, noteBegun: () => void): Promise<RunEnd | undefined> {
  const { conversationId, messageId, modelId, from } = start
  const controller = new AbortController()
  let answer = newAnswer(Date.now(), from ?? { text: '', reasoning: '' })
  const apply = (event: AnswerChange) => {
    answer = reduceAnswer(answer, event, Date.now())
    changeRun({ ...run, answer })
    redrawNextFrame()
  }
  const run: Run = {
    ...{ conversationId, messageId, answer },
    stop: () => {
      apply({ type: 'stopped' })
      controller.abort()
    },
  }
  const request = newRequest(modelId)
  beginRun(run)
  redrawNextFrame()
  announce(t('Sending'))

  return await navigator.locks.request(lockName(messageId), async () => {
    let isBegun = false
    try {
      isBegun = await start.prepare(request)
    } finally {
      if (!isBegun) {
        dropRun(run)
        redrawNextFrame()
      }
    }
    if (!isBegun) return undefined
    noteBegun()
    const endSaving = keepSaving(start, () => answer)
    const speaking = setInterval(() => announce(spokenPhase(answer)), SPEAK_EVERY_MS)
    let isFree = true
    try {
      const body = await buildBody(start)
      // A stop before anything was sent sends nothing.
      if (answer.status === 'streaming') {
        isFree = false
        for await (const event of ask(body, controller.signal, request.id)) apply(event)
        apply({ type: 'broken-off' })
      }
    } catch (error) {
      // What is refused is not charged; whatever else happens, the ledger knows: a failure may be that of a proxy between.
      isFree ||= (error instanceof ApiError && error.status < 500) || error instanceof CapReached
      apply({ type: 'failed', failure: failureOf(error) })
    } finally {
      clearInterval(speaking)
      await endSaving()
    }
    noteCapacity(modelId, answer)
    noteSearch(answer.steps)
    await save(start, answer, request, isFree)
    speakOutcome(answer)
    markUnread(conversationId).catch(() => undefined)
    refreshBalance()
    if (!isFree && answer.usage?.costUsd === undefined) void learnPrices(conversationId)
    return { status: answer.status, hasText: answer.text !== '', hasThoughts: answer.reasoning !== '' }
  })
}

async function buildBody(start: RunStart): Promise<ChatBody> {
  const { turns, outgoing, settings, character, modelId } = start
  const prompt = character ? await characterPrompt(character) : undefined
  const body = await chatRequest(
    turns,
    { settings, ...(prompt && { character: prompt }) },
    listedModel(modelId) ?? { id: modelId },
    outgoing,
  )
  const sent: RequestTurn[] = outgoing ? [...turns, { role: 'user', ...outgoing }] : turns
  return await withinCaps(body, sent, settings.sources, start)
}

async function* ask(body: ChatBody, signal: AbortSignal, requestName: string): AsyncGenerator<AnswerEvent> {
  const session = await ensureSession(queryClient())
  try {
    yield* withBalance(streamAnswer(body, signal, requestName))
  } catch (error) {
    if (!isSessionOver(error)) throw error
    forgetSession(queryClient())
    // A guest signs nothing, so a fresh session is opened unasked; a wallet is asked first.
    if (session.kind !== 'guest') throw error
    await ensureSession(queryClient())
    yield* withBalance(streamAnswer(body, signal, requestName))
  }
}

async function* withBalance(events: AsyncIterable<AnswerEvent>): AsyncGenerator<AnswerEvent> {
  for await (const event of events) {
    yield event
    if (event.type !== 'accepted' || event.balanceUsd === undefined) continue
    const { balanceUsd } = event
    queryClient().setQueryData<Session | null>(SESSION_KEY, (session) => session && { ...session, balanceUsd })
  }
}

function refreshBalance(): void {
  void queryClient().invalidateQueries({ queryKey: SESSION_KEY })
}

const FULL: readonly string[] = ['MODEL_OVERLOADED', 'MODEL_AT_CAPACITY', 'SERVICE_UNAVAILABLE']

function noteCapacity(modelId: string, { failure, requestId }: Answer): void {
  if (failure && FULL.includes(failure.code)) noteFull(modelId)
  else if (requestId && !failure) noteServing(modelId)
}

/** Saves the growing answer on a timer, which also runs in a hidden tab, where animation frames do not. */
function keepSaving({ conversationId, messageId }: RunStart, answer: () => Answer): () => Promise<void> {
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
  return () => {
    clearInterval(timer)
    return pending
  }
}

async function save(start: RunStart, answer: Answer, request: UnpricedRequest, isFree: boolean): Promise<void> {
  const { conversationId, messageId, modelId } = start
  const { status, text, reasoning, thinkingMs, finishReason, failure, notice, citations, steps } = answer
  const receipt = buildReceipt(start, answer, request)
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

function buildReceipt(start: RunStart, answer: Answer, request: UnpricedRequest): Receipt | undefined {
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

const lockName = (messageId: string) => `answer:${messageId}`

/**
 * Ends an answer whose tab was closed or reloaded. Its writer holds the lock from before it is stored until it is
 * finished, so a free lock means that it broke off.
 */
export async function settleAbandoned(key: AnswerKey): Promise<void> {
  const isSettled = await navigator.locks.request(lockName(key.id), { ifAvailable: true }, async (lock) => {
    if (!lock) return false
    return await interruptAnswer(key)
  })
  if (isSettled) await learnPrices(key.conversationId)
}

/**
 * Learns the price of answers that were stopped, broken off, or left by a reload. What fails now is tried when the chat
 * is opened next.
 */
export async function learnPrices(conversationId: string): Promise<void> {
  const unpriced = await listUnpriced(conversationId)
  const learn = (message: AnswerKey, request: UnpricedRequest) =>
    learnCharge(request, (charge) => keepCharge(message, request, charge))
  await Promise.all(unpriced.flatMap((message) => (message.unpriced ?? []).map((request) => learn(message, request))))
}

async function keepCharge({ id, conversationId }: AnswerKey, request: UnpricedRequest, charge: Charge): Promise<void> {
  const { cost, modelId, inputTokens, outputTokens } = charge
  if (cost === 0n) return await priceRequest({ id, conversationId }, request.id)
  const receipt: Receipt = {
    id: request.id,
    conversationId,
    messageId: id,
    model: modelId ?? request.model,
    tokens: { input: inputTokens, output: outputTokens, cached: 0, reasoning: 0 },
    cost,
    durationMs: request.durationMs ?? 0,
    at: request.at,
    ...(request.ray && { requestId: request.ray }),
    ...(request.purpose && { purpose: request.purpose }),
  }
  await priceRequest({ id, conversationId }, request.id, receipt)
  if (!isTemporary(conversationId)) rememberCost(cost)
  refreshBalance()
}

function spokenPhase({ phase }: Answer): string {
  return { waiting: t('Still waiting for the model'), thinking: t('Still thinking'), writing: t('Still answering') }[
    phase
  ]
}

function speakOutcome(answer: Answer): void {
  if (answer.status === 'done') {
    announce(t('Answer finished'))
    announceAnswer(answer.text)
  } else if (answer.status === 'stopped') announce(t('Stopped'))
  else announce(answer.failure?.message ?? t('The answer was interrupted'))
}

async function markUnread(conversationId: string): Promise<void> {
  const isSeen = document.visibilityState === 'visible' && window.location.pathname === chatHref(conversationId)
  if (!isSeen && !isTemporary(conversationId)) await setUnread(conversationId, true)
}
