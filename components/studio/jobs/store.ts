import type { JobKey } from '@/components/studio/jobs/api'
import { db } from '@/lib/browser/storage/database'
import type { CreationJob, Generation } from '@/lib/browser/storage/generations'

/** A creation that the queue knows of. Its `job` stays until the service was told that its result is not needed there. */
export type QueuedCreation = Generation & { job: CreationJob }

export const isQueued = (creation: Generation): creation is QueuedCreation => creation.job !== undefined

/** All creations whose job is not let go of, oldest first. */
export async function listJobs(): Promise<QueuedCreation[]> {
  const found = await db.creations.where('job.id').above('').toArray()
  return found.filter(isQueued).toSorted((one, other) => one.createdAt - other.createdAt)
}

/** What the service calls the job of a creation. Pictures have no queue. */
export const keyOf = ({ kind, modelId, job }: QueuedCreation): JobKey => ({
  area: kind === 'video' ? 'video' : 'audio',
  model: modelId,
  queueId: job.id,
})

/** Held while somebody asks after a job or ends it: one tab at a time does. */
export const jobLockOf = (id: string): string => `job:${id}`
