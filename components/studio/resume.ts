import { lockOf } from '@/components/studio/generation-store'
import { changeGeneration, learnCost, listOpen, purgeGenerations } from '@/components/studio/store'
import { announce } from '@/components/ui/announcer'
import { showToast } from '@/components/ui/toast'
import { goTo } from '@/lib/browser/commands'
import { notifyState } from '@/lib/browser/notify'
import { refreshMoney } from '@/lib/browser/queries'
import { type Generation, isUnderWay } from '@/lib/browser/storage/generations'
import { UNDO_MS } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

/** Ends what an earlier page left open, asks for its price, and follows its jobs. */
export async function resumeGenerations(): Promise<void> {
  void resumeJobs().catch(() => undefined)
  await purgeGenerations(Date.now() - UNDO_MS)
  const open = await listOpen()
  await Promise.all(open.filter(({ job }) => job === undefined).map(settle))
}

async function settle(generation: Generation): Promise<void> {
  if (!isUnderWay(generation)) return await learnCost(generation, { isAnswered: generation.state === 'done' })
  const isEnded = await navigator.locks.request(lockOf(generation.id), { ifAvailable: true }, async (lock) =>
    lock ? await changeGeneration(generation.id, { state: 'interrupted', endedAt: Date.now() }, ['running']) : false,
  )
  if (isEnded) await learnCost(generation)
}

let isFollowing = false

async function resumeJobs(): Promise<void> {
  const { followJobs } = await import('@/components/studio/jobs/follow')
  if (isFollowing) return
  isFollowing = true
  followJobs({ onEnd: tellEnd })
}

function tellEnd({ id, kind, task, state }: Generation): void {
  refreshMoney()
  const text = endText(task, state)
  announce(text)
  const path = `/studio/${kind}`
  if (document.visibilityState !== 'visible') notify(id, text, path)
  // On its own wall it is seen.
  else if (window.location.pathname !== path) showToast({ text })
}

// A notification shows no prompt: others may see it.
function notify(id: string, text: string, path: string): void {
  if (notifyState() !== 'on') return
  try {
    const shown = new Notification(text, { tag: id, icon: '/icon-192.png' })
    shown.onclick = () => {
      window.focus()
      goTo(path)
      shown.close()
    }
  } catch {
    // Android shows them through a service worker only.
  }
}

function endText(task: Generation['task'], state: Generation['state']): string {
  if (state === 'done') return task === 'video' ? t('Your video is ready.') : t('Your audio is ready.')
  return task === 'video' ? t('Your video could not be generated.') : t('Your audio could not be generated.')
}
