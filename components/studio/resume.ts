import { learnCost } from '@/components/studio/charge'
import { lockOf } from '@/components/studio/generation-store'
import { changeCreation, listOpen, purgeCreations } from '@/components/studio/store'
import { type Generation, isUnderWay } from '@/lib/browser/storage/generations'
import { UNDO_MS } from '@/lib/browser/undo'

/** Sees to what was left open when a page went away: what nobody waits for any more is ended, and its price is asked for. */
export async function resumeCreations(): Promise<void> {
  void import('@/components/studio/queue/resume-jobs').then(
    ({ resumeJobs }) => resumeJobs(),
    () => undefined,
  )
  await purgeCreations(Date.now() - UNDO_MS)
  const open = await listOpen()
  await Promise.all(open.filter(({ job }) => job === undefined).map(settle))
}

async function settle(creation: Generation): Promise<void> {
  if (!isUnderWay(creation)) return await learnCost(creation, { isAnswered: creation.state === 'done' })
  const isEnded = await navigator.locks.request(lockOf(creation.id), { ifAvailable: true }, async (lock) =>
    lock ? await changeCreation(creation.id, { state: 'interrupted', endedAt: Date.now() }, ['running']) : false,
  )
  if (isEnded) await learnCost(creation)
}
