import { readPreference, writePreference } from '@/lib/browser/preferences'
import { t } from '@/lib/i18n/t'

export type NotifyState = 'unsupported' | 'blocked' | 'off' | 'on'

export function notifyState(): NotifyState {
  if (typeof Notification === 'undefined') return 'unsupported'
  if (Notification.permission === 'denied') return 'blocked'
  return readPreference('notify') === 'on' && Notification.permission === 'granted' ? 'on' : 'off'
}

/** Must be called by a click: browsers take anything else as a nuisance. */
export async function turnNotifyOn(): Promise<NotifyState> {
  if (typeof Notification === 'undefined') return 'unsupported'
  const isGranted = (await Notification.requestPermission()) === 'granted'
  writePreference('notify', isGranted ? 'on' : 'off')
  if (isGranted) void watchAnswers()
  return notifyState()
}

export function turnNotifyOff(): void {
  writePreference('notify', 'off')
}

let isWatching = false
let open: (conversationId: string) => void = () => undefined

/**
 * Notifies when an answer ends in a chat that is not on screen. It shows the chat's title, never the answer, which
 * others may see.
 * @param openChat what a click on the notification does.
 */
export async function watchAnswers(openChat = open): Promise<void> {
  open = openChat
  if (isWatching || notifyState() !== 'on') return
  const [{ liveQuery }, { db }] = await Promise.all([import('dexie'), import('@/lib/browser/storage/database')])
  if (isWatching) return
  isWatching = true
  let known: Set<string> | undefined
  liveQuery(() =>
    db.conversations.filter(({ isUnread, deletedAt }) => isUnread === true && !deletedAt).toArray(),
  ).subscribe({
    next: (unread) => {
      // What was unread before the page was opened is not news.
      const fresh = known ? unread.filter(({ id }) => !known?.has(id)) : []
      known = new Set(unread.map(({ id }) => id))
      for (const { id, title } of fresh) show(id, title)
    },
    error: () => {
      isWatching = false
    },
  })
}

function show(conversationId: string, title: string): void {
  if (document.visibilityState === 'visible' || notifyState() !== 'on') return
  try {
    // The tag makes one notification of what several tabs say of the same chat.
    const shown = new Notification(t('Your answer is ready'), {
      body: title,
      tag: conversationId,
      icon: '/icon-192.png',
    })
    shown.onclick = () => {
      window.focus()
      open(conversationId)
      shown.close()
    }
  } catch {
    // Android shows them through a service worker only; the count in the title serves there.
  }
}
