import { followJobs } from '@/components/studio/jobs/follow'
import { announce } from '@/components/ui/announcer'
import { showToast } from '@/components/ui/toast'
import { notifyState } from '@/lib/browser/notify'
import { refreshMoney } from '@/lib/browser/refresh-money'
import { goTo } from '@/lib/browser/shortcut-handlers'
import type { Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

let isFollowing = false

/** Follows the jobs of this browser from now on, as long as the page is there: a film is made while one reads a chat. */
export function resumeJobs(): void {
  if (isFollowing) return
  isFollowing = true
  followJobs({ onEnd: sayEnd })
}

function sayEnd({ id, kind, task, state }: Generation): void {
  refreshMoney()
  const words = endWords(task, state)
  announce(words)
  const path = `/studio/${kind}`
  if (document.visibilityState !== 'visible') notify(id, words, path)
  // On its own wall it is seen.
  else if (window.location.pathname !== path) showToast({ text: words })
}

/** Nothing of what was asked for is put where others may see it. */
function notify(id: string, words: string, path: string): void {
  if (notifyState() !== 'on') return
  try {
    const shown = new Notification(words, { tag: id, icon: '/icon-192.png' })
    shown.onclick = () => {
      window.focus()
      goTo(path)
      shown.close()
    }
  } catch {
    // Android shows them through a service worker only.
  }
}

function endWords(task: Generation['task'], state: Generation['state']): string {
  if (state === 'done') return task === 'video' ? t('Your video is ready.') : t('Your audio is ready.')
  return task === 'video' ? t('Your video could not be generated.') : t('Your audio could not be generated.')
}
