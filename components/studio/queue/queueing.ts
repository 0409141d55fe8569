import { learnCost } from '@/components/studio/charge'
import { loadFile } from '@/components/studio/files'
import { type KeptBack, lockOf, type MakeOptions, passage } from '@/components/studio/generation-store'
import { type JobArea, queueJob } from '@/components/studio/jobs/api'
import { quoteQuery } from '@/components/studio/queue/use-quote'
import { addCreation, changeCreation, newCreation, priceCreation } from '@/components/studio/store'
import { announce } from '@/components/ui/announcer'
import { passGate } from '@/lib/browser/account-gate'
import { isFromService } from '@/lib/browser/api'
import { type Failure, failureOf, isSessionOver } from '@/lib/browser/failure'
import { newRequest } from '@/lib/browser/new-request'
import { queryClient } from '@/lib/browser/queries'
import { refreshMoney } from '@/lib/browser/refresh-money'
import { forgetSession } from '@/lib/browser/session'
import { assertDay } from '@/lib/browser/spending'
import type { CreationDraft, Generation } from '@/lib/browser/storage/generations'
import { ApiError } from '@/lib/contract/errors'
import { type Usd, ZERO } from '@/lib/contract/money'
import { t } from '@/lib/i18n/t'

export type JobDraft = CreationDraft & { task: 'music' | 'video' }

/** A job as it is sent: what its price is asked by, and what it is queued with. */
export type JobBodies = { quote: object; queue: (inputs: Blob[]) => Promise<object> }

/**
 * Queues what a person asked for, after whatever has to come first. Resolves when it is on its way and on the wall, or with
 * why it is not. What comes of it, `followJobs` sees to.
 */
export async function queue(
  draft: JobDraft,
  bodies: JobBodies,
  options: MakeOptions = {},
): Promise<KeptBack | undefined> {
  try {
    const kept = await passGate(passage(options.isFree ?? false))
    if (kept) return { why: kept }
    if (!options.isDayWaived) await assertDay()
    const price = await queryClient().fetchQuery(quoteQuery(areaOf(draft), bodies.quote))
    return await begin(draft, bodies, price)
  } catch (error) {
    return { why: 'failure', failure: failureOf(error) }
  }
}

const areaOf = ({ kind }: Pick<Generation, 'kind'>): JobArea => (kind === 'video' ? 'video' : 'audio')

/** Resolves when it is on the wall, or with why nothing was sent. */
function begin(draft: JobDraft, bodies: JobBodies, price: Usd): Promise<KeptBack | undefined> {
  const creation = newCreation(draft, newRequest(draft.modelId, draft.task))
  return new Promise((resolve) => {
    // The lock comes before the record, so that no tab takes it for abandoned.
    void navigator.locks.request(lockOf(creation.id), async () => {
      try {
        await addCreation(creation)
      } catch {
        return resolve({ why: 'failure', failure: unkept() })
      }
      resolve(undefined)
      await send(creation, bodies, price)
    })
  })
}

const unkept = (): Failure => ({
  code: 'STORAGE_FAILED',
  message: t('Nothing was sent: this browser could not save the request. Check the site’s storage settings.'),
  at: Date.now(),
})

/** The job is noted the moment that it is known, before anything else can go wrong. */
async function send(creation: Generation, bodies: JobBodies, price: Usd): Promise<void> {
  const { id, request } = creation
  try {
    const body = await bodies.queue(await bytesOf(creation))
    const queueId = await queueWithSession(creation, body)
    const job = { id: queueId, price, seenAt: Date.now(), ...(request?.payer && { payer: request.payer }) }
    await changeCreation(id, { state: 'waiting', startedAt: undefined, job })
    announce(t('Added to the queue.'))
  } catch (error) {
    const failure: Failure = failureOf(error)
    await changeCreation(id, { state: 'failed', endedAt: Date.now(), failure })
    announce(t('Generation failed: {why}', { why: failure.message }))
    // What is refused is not charged; of what was not answered the ledger knows.
    if (error instanceof ApiError && error.status < 500) await priceCreation(id, ZERO)
    else await learnCost(creation, { isAnswered: isFromService(error) })
  }
  refreshMoney()
}

/** Asks once more where a session had ended and the person signed in again. */
async function queueWithSession(creation: Generation, body: object): Promise<string> {
  const headers: Record<string, string> = creation.request ? { 'x-service-request-name': creation.request.id } : {}
  try {
    return await queueJob(areaOf(creation), body, headers)
  } catch (error) {
    if (!isSessionOver(error)) throw error
    forgetSession(queryClient())
    if (await passGate(passage(false))) throw error
    return await queueJob(areaOf(creation), body, headers)
  }
}

/** @throws ApiError when a file is gone from this browser. */
async function bytesOf({ inputs }: Generation): Promise<Blob[]> {
  return await Promise.all(
    inputs.map(async (file) => {
      const blob = await loadFile(file)
      if (!blob) throw new ApiError('INVALID_REQUEST', t('This file is no longer on this device.'))
      return blob
    }),
  )
}
