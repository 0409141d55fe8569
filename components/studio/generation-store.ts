import { useSyncExternalStore } from 'react'
import { learnCost } from '@/components/studio/charge'
import { holdUnkept, loadFile } from '@/components/studio/files'
import { type Delivered, type PromptTask, REQUEST_PREFIX, type Sender } from '@/components/studio/sender'
import {
  addCreation,
  type CreationChanges,
  changeCreation,
  keepFile,
  newCreation,
  priceCreation,
} from '@/components/studio/store'
import { announce } from '@/components/ui/announcer'
import { type Kept, passGate } from '@/lib/browser/account-gate'
import { isFromService, REQUEST_NAME_HEADER } from '@/lib/browser/api'
import { type Failure, failureOf, isSessionOver } from '@/lib/browser/failure'
import { newRequest } from '@/lib/browser/new-request'
import { queryClient } from '@/lib/browser/queries'
import { refreshMoney } from '@/lib/browser/refresh-money'
import { forgetSession } from '@/lib/browser/session'
import { assertDay } from '@/lib/browser/spending'
import type { CreationDraft, CreationFile, Generation } from '@/lib/browser/storage/generations'
import { ApiError } from '@/lib/contract/errors'
import { ZERO } from '@/lib/contract/money'
import { t } from '@/lib/i18n/t'

const image = () => import('@/components/studio/image/send')
const audio = () => import('@/components/studio/audio/send')

/** What sends each task, fetched with the first that is sent. */
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

/** Requests that one page has under way. The service bounds them, too; this is so that a held key cannot fill the wall. */
export const MOST_AT_ONCE = 6

/** What one request answers. */
export type PromptDraft = CreationDraft & { task: PromptTask }

export type MakeOptions = {
  /** No model of it asks for money. */
  isFree?: boolean
  /** Made although the day's cap is reached: the person said so, for this once. */
  isDayWaived?: boolean
  /** A creation that came to nothing, and that this one is made in place of. */
  replacesId?: string
}

/** Why something was not sent; the form still has it. */
export type KeptBack = { [Why in Kept]: { why: Why } }[Kept] | { why: 'busy' } | { why: 'failure'; failure: Failure }

const underWay = new Map<string, AbortController>()
let ids: readonly string[] = []
const listeners = new Set<() => void>()

/** The creations that this page waits for: it can end them. */
export function useMaking(): readonly string[] {
  return useSyncExternalStore(
    subscribe,
    () => ids,
    () => ids,
  )
}

/**
 * Sends what a person asked for, after whatever has to come first. Resolves when it is on its way and on the wall, or
 * with why it is not.
 */
export async function make(draft: PromptDraft, options: MakeOptions = {}): Promise<KeptBack | undefined> {
  if (underWay.size >= MOST_AT_ONCE) return { why: 'busy' }
  const kept = await passGate(passage(options.isFree ?? false))
  if (kept) return { why: kept }
  try {
    if (!options.isDayWaived) await assertDay()
    await begin(draft, options.replacesId)
    return undefined
  } catch (error) {
    return { why: 'failure', failure: unkept(error) }
  }
}

/** Ends the waiting for a creation. What the service had already finished is paid for, and is said so. */
export function stopMaking(id: string): void {
  underWay.get(id)?.abort(new DOMException('Cancelled', 'AbortError'))
}

/** The lock that is held while a creation is waited for: a free one means that its page is gone. */
export const lockOf = (id: string): string => `creation:${id}`

export const passage = (isFree: boolean) => ({
  why: t('To generate'),
  whyCredit: t('Generation starts once you add credit.'),
  isFree,
})

/** Resolves when it is on the wall. @throws whatever the storage throws: then nothing was sent. */
function begin(draft: PromptDraft, replacesId: string | undefined): Promise<void> {
  const creation = newCreation(draft, newRequest(draft.modelId, REQUEST_PREFIX[draft.task]))
  const { id } = creation
  return new Promise((resolve, reject) => {
    // The lock comes before the record, so that no tab takes it for abandoned.
    void navigator.locks.request(lockOf(id), async () => {
      const controller = new AbortController()
      try {
        await addCreation(creation, replacesId)
      } catch (error) {
        return reject(error)
      }
      follow(id, controller)
      resolve()
      await run(creation, controller).finally(() => leave(id))
    })
  })
}

async function run(creation: Generation, controller: AbortController): Promise<void> {
  announce(t('Generating…'))
  try {
    const delivered = await deliver(creation, controller.signal)
    await keep(creation, delivered)
  } catch (error) {
    await end(creation, error, controller.signal.aborted)
  }
  refreshMoney()
}

async function deliver(creation: Generation, signal: AbortSignal): Promise<Delivered> {
  const send = await senderOf(creation.task as PromptTask)
  return await sendWithSession(send, creation, await bytesOf(creation.inputs), signal)
}

async function keep(creation: Generation, { files, text, content, modelName, isCut }: Delivered): Promise<void> {
  const results = await Promise.all(files.map(keepResult))
  const changes: CreationChanges = {
    state: 'done',
    endedAt: Date.now(),
    results,
    text,
    content,
    ...(modelName !== undefined && { modelName }),
    ...(isCut && { isCut }),
  }
  await changeCreation(creation.id, changes).catch((cause: unknown) => {
    throw new NotKept('The result could not be saved.', { cause })
  })
  announce(t('Done'))
  await settle(creation, true)
}

/** The result came, and this browser has no room even for a word of it. */
class NotKept extends Error {
  override name = 'NotKept'
}

/** Asks once more where a session had ended and the person signed in again. */
async function sendWithSession(
  send: Sender,
  creation: Generation,
  inputs: Blob[],
  signal: AbortSignal,
): Promise<Delivered> {
  const headers: Record<string, string> = creation.request ? { [REQUEST_NAME_HEADER]: creation.request.id } : {}
  try {
    return await send(creation, inputs, { signal, headers })
  } catch (error) {
    if (!isSessionOver(error)) throw error
    forgetSession(queryClient())
    if (await passGate(passage(false))) throw error
    return await send(creation, inputs, { signal, headers })
  }
}

async function end(creation: Generation, error: unknown, isStopped: boolean): Promise<void> {
  const failure = error instanceof NotKept ? notKept() : failureOf(error)
  const state = isStopped ? 'cancelled' : 'failed'
  announce(isStopped ? t('Cancelled') : t('Generation failed: {why}', { why: failure.message }))
  const changes: CreationChanges = { state, endedAt: Date.now(), ...(!isStopped && { failure }) }
  // Storage that failed a moment ago may fail again: then the next visit finds it interrupted.
  await changeCreation(creation.id, changes).catch(() => undefined)
  // What is refused is not charged; whatever else happens, the ledger knows.
  if (error instanceof ApiError && error.status < 500) await priceCreation(creation.id, ZERO).catch(() => undefined)
  else await settle(creation, error instanceof NotKept || isFromService(error))
}

const notKept = (): Failure => ({
  code: 'STORAGE_FAILED',
  message: t('The result was generated but not saved. Free up storage in this browser.'),
  at: Date.now(),
})

/** What it cost; asked for again at the next visit where it cannot be learnt now. */
const settle = (creation: Generation, isAnswered: boolean): Promise<void> =>
  learnCost(creation, { isAnswered }).catch(() => undefined)

/** The bytes of what it is made of. @throws Error when they are gone from this browser. */
async function bytesOf(inputs: readonly CreationFile[]): Promise<Blob[]> {
  return await Promise.all(
    inputs.map(async (file) => {
      const blob = await loadFile(file)
      if (!blob) throw new ApiError('INVALID_REQUEST', t('This file is no longer on this device.'))
      return blob
    }),
  )
}

/** It was paid for: where the browser keeps nothing more, it lasts as long as the page. */
async function keepResult({ data, ...facts }: Delivered['files'][number]): Promise<CreationFile> {
  try {
    return await keepFile(data, facts)
  } catch {
    return holdUnkept(data, facts)
  }
}

/** Whatever else the browser throws before anything was sent is about its storage. */
function unkept(error: unknown): Failure {
  const failure = failureOf(error)
  if (failure.code !== 'CONNECTION_LOST') return failure
  return {
    ...failure,
    code: 'STORAGE_FAILED',
    message: t('Nothing was sent: this browser could not save the request. Check the site’s storage settings.'),
  }
}

function follow(id: string, controller: AbortController): void {
  underWay.set(id, controller)
  tell()
}

function leave(id: string): void {
  underWay.delete(id)
  tell()
}

function tell(): void {
  ids = [...underWay.keys()]
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const senderOf = (task: PromptTask): Promise<Sender> => SENDERS[task]()
