import { create } from 'zustand'
import { type JobArea, queueJob, quoteQuery } from '@/components/studio/jobs/api'
import { type Delivered, type PromptTask, REQUEST_PREFIX, type Sender } from '@/components/studio/sender'
import {
  addGeneration,
  changeGeneration,
  type GenerationChanges,
  keepResult,
  learnCost,
  loadFile,
  newGeneration,
  priceGeneration,
} from '@/components/studio/store'
import { announce } from '@/components/ui/announcer'
import { type GateRefusal, passGate } from '@/lib/browser/account-gate'
import { isFromService } from '@/lib/browser/api'
import { newRequest } from '@/lib/browser/charge'
import { type Failure, failureOf, isSessionOver } from '@/lib/browser/failure'
import { queryClient, refreshMoney } from '@/lib/browser/queries'
import { forgetSession } from '@/lib/browser/session'
import { assertDay } from '@/lib/browser/spending'
import type { CreationDraft, Generation } from '@/lib/browser/storage/generations'
import { ApiError } from '@/lib/contract/errors'
import { REQUEST_NAME_HEADER } from '@/lib/contract/headers'
import { type Usd, ZERO } from '@/lib/contract/money'
import { msg, t } from '@/lib/i18n/t'

const image = () => import('@/components/studio/image/send')
const audio = () => import('@/components/studio/audio/send')

const SENDERS: Readonly<Record<PromptTask, () => Promise<Sender>>> = {
  generate: () => image().then(({ sendGenerate }) => sendGenerate),
  edit: () => image().then(({ sendEdit }) => sendEdit),
  'multi-edit': () => image().then(({ sendMultiEdit }) => sendMultiEdit),
  upscale: () => image().then(({ sendUpscale }) => sendUpscale),
  'background-remove': () => image().then(({ sendBackgroundRemove }) => sendBackgroundRemove),
  speech: () => audio().then(({ sendSpeech }) => sendSpeech),
  transcription: () => audio().then(({ sendTranscription }) => sendTranscription),
  'video-transcription': () => audio().then(({ sendVideoTranscription }) => sendVideoTranscription),
}

/** The service has a limit too; this one is for a key that is held down. */
export const MAX_RUNNING = 6

export type PromptDraft = CreationDraft & { task: PromptTask }

export type JobDraft = CreationDraft & { task: 'music' | 'video' }

export type JobBodies = { quote: object; queue: (inputs: Blob[]) => Promise<object> }

export type GenerateOptions = {
  /** No model of it asks for money. */
  isFree?: boolean
  /** Sent although the day's cap is reached: the person confirmed it for this once. */
  isDayWaived?: boolean
  /** A generation without a result that this one takes the place of. */
  replacesId?: string
}

/** Why something was not sent; the form still has it. */
export type NotSent =
  | { [Why in GateRefusal]: { why: Why } }[GateRefusal]
  | { why: 'busy' }
  | { why: 'failure'; failure: Failure }

type State = { running: ReadonlyMap<string, AbortController> }

const useStore = create<State>(() => ({ running: new Map() }))

/** Tells whether this page waits for a generation and can cancel it. */
export const useIsRunningHere = (id: string): boolean => useStore(({ running }) => running.has(id))

/** Cancels a generation of this page. The service charges what it had already finished. */
export function stopGenerating(id: string): void {
  useStore.getState().running.get(id)?.abort(new DOMException('Cancelled', 'AbortError'))
}

/** Held while a generation is waited for: a free lock means that its page is gone. */
export const lockOf = (id: string): string => `creation:${id}`

/** Sends what one request answers. Resolves once it is among the results, or with why it was not sent. */
export async function generate(draft: PromptDraft, options: GenerateOptions = {}): Promise<NotSent | undefined> {
  if (useStore.getState().running.size >= MAX_RUNNING) return { why: 'busy' }
  return await attempt(options, () => {
    const generation = newGeneration(draft, newRequest(draft.modelId, REQUEST_PREFIX[draft.task]))
    return begin(generation, () => run(generation), options.replacesId)
  })
}

/** Queues a job at the price of the moment. Resolves as `generate` does; `followJobs` sees to the result. */
export async function queue(
  draft: JobDraft,
  bodies: JobBodies,
  options: GenerateOptions = {},
): Promise<NotSent | undefined> {
  return await attempt(options, async () => {
    const price = await queryClient().fetchQuery(quoteQuery(areaOf(draft), bodies.quote))
    const generation = newGeneration(draft, newRequest(draft.modelId, draft.task))
    return await begin(generation, () => enqueue(generation, bodies, price), options.replacesId)
  })
}

export const gatePassage = (isFree: boolean) => ({
  why: t('To generate'),
  whyCredit: t('Generation starts once you add credit.'),
  isFree,
})

async function attempt(
  { isFree = false, isDayWaived }: GenerateOptions,
  start: () => Promise<NotSent | undefined>,
): Promise<NotSent | undefined> {
  try {
    const refusal = await passGate(gatePassage(isFree))
    if (refusal) return { why: refusal }
    if (!isDayWaived) await assertDay()
    return await start()
  } catch (error) {
    return { why: 'failure', failure: failureOf(error) }
  }
}

// Stores a generation and works on it under its lock. Resolves once it is stored, or with why nothing was sent.
function begin(generation: Generation, work: () => Promise<void>, replacesId?: string): Promise<NotSent | undefined> {
  return new Promise((resolve) => {
    // The lock comes before the record, so that no tab takes it for abandoned.
    void navigator.locks.request(lockOf(generation.id), async () => {
      try {
        await addGeneration(generation, replacesId)
      } catch {
        return resolve({ why: 'failure', failure: storageFailure(NOT_SENT) })
      }
      const done = work()
      resolve(undefined)
      await done
    })
  })
}

async function run(generation: Generation): Promise<void> {
  const controller = new AbortController()
  const { signal } = controller
  changeRunning((running) => running.set(generation.id, controller))
  announce(t('Generating…'))
  try {
    const send = await SENDERS[generation.task as PromptTask]()
    const inputs = await loadInputs(generation)
    await keep(generation, await withSession(generation, (headers) => send(generation, inputs, { signal, headers })))
  } catch (error) {
    await fail(generation, error, signal.aborted)
  } finally {
    refreshMoney()
    changeRunning((running) => running.delete(generation.id))
  }
}

function changeRunning(change: (running: Map<string, AbortController>) => void): void {
  const running = new Map(useStore.getState().running)
  change(running)
  useStore.setState({ running })
}

async function enqueue(generation: Generation, bodies: JobBodies, price: Usd): Promise<void> {
  try {
    const body = await bodies.queue(await loadInputs(generation))
    const id = await withSession(generation, (headers) => queueJob(areaOf(generation), body, headers))
    // Noted at once, before anything else can go wrong.
    const job = { id, price, seenAt: Date.now(), payer: generation.request?.payer }
    await changeGeneration(generation.id, { state: 'waiting', startedAt: undefined, job })
    announce(t('Added to the queue.'))
  } catch (error) {
    await fail(generation, error)
  } finally {
    refreshMoney()
  }
}

const areaOf = ({ kind }: Pick<Generation, 'kind'>): JobArea => (kind === 'video' ? 'video' : 'audio')

// Sends once more where the session had ended and the person signed in again.
async function withSession<T>(
  { request }: Generation,
  send: (headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  const headers: Record<string, string> = request ? { [REQUEST_NAME_HEADER]: request.id } : {}
  try {
    return await send(headers)
  } catch (error) {
    if (!isSessionOver(error)) throw error
    forgetSession(queryClient())
    if (await passGate(gatePassage(false))) throw error
    return await send(headers)
  }
}

/** @throws ApiError when a file is gone from this browser. */
async function loadInputs({ inputs }: Generation): Promise<Blob[]> {
  return await Promise.all(
    inputs.map(async (file) => {
      const blob = await loadFile(file)
      if (!blob) throw new ApiError('INVALID_REQUEST', t('This file is no longer on this device.'))
      return blob
    }),
  )
}

async function keep(generation: Generation, delivered: Delivered): Promise<void> {
  const { files, text, content, modelName = generation.modelName, isCut } = delivered
  const results = await Promise.all(files.map(({ data, ...facts }) => keepResult(data, facts)))
  const changes: GenerationChanges = { state: 'done', endedAt: Date.now(), results, text, content, modelName, isCut }
  await changeGeneration(generation.id, changes).catch((cause: unknown) => {
    throw new NotStored('The result could not be saved.', { cause })
  })
  announce(t('Done'))
  await settle(generation, true)
}

// The result came, and this browser has no room for it.
class NotStored extends Error {
  override name = 'NotStored'
}

async function fail(generation: Generation, error: unknown, isStopped = false): Promise<void> {
  const failure = error instanceof NotStored ? storageFailure(NOT_STORED) : failureOf(error)
  announce(isStopped ? t('Cancelled') : t('Generation failed: {why}', { why: failure.message }))
  const changes: GenerationChanges = {
    state: isStopped ? 'cancelled' : 'failed',
    endedAt: Date.now(),
    failure: isStopped ? undefined : failure,
  }
  // Storage that failed a moment ago may fail again: then the next visit finds it interrupted.
  await changeGeneration(generation.id, changes).catch(() => undefined)
  // What is refused is not charged; whatever else happens, the ledger knows.
  if (error instanceof ApiError && error.status < 500) await priceGeneration(generation.id, ZERO).catch(() => undefined)
  else await settle(generation, error instanceof NotStored || isFromService(error))
}

const NOT_SENT = msg('Nothing was sent: this browser could not save the request. Check the site’s storage settings.')
const NOT_STORED = msg('The result was generated but not saved. Free up storage in this browser.')

const storageFailure = (message: string): Failure => ({ code: 'STORAGE_FAILED', message: t(message), at: Date.now() })

// Learns what it cost; the next visit asks again where that fails now.
const settle = (generation: Generation, isAnswered: boolean): Promise<void> =>
  learnCost(generation, { isAnswered }).catch(() => undefined)
