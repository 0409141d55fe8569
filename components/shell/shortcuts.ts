import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { chatHref, isOnChatScreen, openChat } from '@/components/shell/navigation'
import { readPreference, writePreference } from '@/lib/client/preferences'

/** The field that a person writes in; shortcuts bring the focus back to it. */
export const COMPOSER_ID = 'message'

/** Asks the chat on screen to stop its answer; whoever stops one prevents the default. */
export const STOP_EVENT = 'lagoon:stop'

export function focusComposer(): void {
  document.getElementById(COMPOSER_ID)?.focus()
}

/** Changes the screen. The router does it without loading the page anew, so that answers go on. */
let go = (href: string): void => window.location.assign(href)

/** Where `G` and then a letter goes. */
const PLACES: Readonly<Record<string, string>> = { c: chatHref(null), r: '/rpc', w: '/wallet' }
/** The letter has to follow within this time. */
const SECOND_KEY_MS = 1_500

/** When `G` was pressed, by the page's own clock. */
let goAt = Number.NEGATIVE_INFINITY

/** Starts a new chat from anywhere. */
export function newChat(): void {
  if (isOnChatScreen()) openChat(null)
  else go(chatHref(null))
  requestAnimationFrame(focusComposer)
}

/** Keys that work everywhere. Single letters are off while typing. */
export function useShortcuts(): void {
  const { push } = useRouter()
  useEffect(() => {
    go = push
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return
      const action = actionOf(event)
      if (!action) return
      event.preventDefault()
      action()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [push])
}

function actionOf(event: KeyboardEvent): (() => void) | undefined {
  const isCommand = (event.metaKey || event.ctrlKey) && !event.altKey
  const key = event.key.toLowerCase()
  if (isCommand && event.shiftKey && key === 'o') return newChat
  if (isCommand && !event.shiftKey && key === 'b') return toggleSidebar
  if (isCommand || event.altKey) return undefined
  if (key === 'escape') return isInOverlay(event.target) ? undefined : stopOrFocus
  const isFree = !isTyping(event.target) && !isInOverlay(event.target)
  if (isFree && !event.shiftKey) {
    const place = event.timeStamp - goAt < SECOND_KEY_MS ? PLACES[key] : undefined
    goAt = key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    if (place) return () => goTo(place)
  }
  if (key === 'l' && !event.shiftKey && isFree) return toggleLedger
  return undefined
}

function goTo(place: string): void {
  if (place === chatHref(null)) newChat()
  else if (window.location.pathname !== place) go(place)
}

function stopOrFocus(): void {
  const isStopped = !window.dispatchEvent(new Event(STOP_EVENT, { cancelable: true }))
  if (!isStopped) focusComposer()
}

export function toggleSidebar(): void {
  writePreference('sidebar', readPreference('sidebar') === 'open' ? 'closed' : 'open')
}

export function toggleLedger(): void {
  writePreference('ledger', readPreference('ledger') === 'shown' ? 'hidden' : 'shown')
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
}

/** Dialogs and menus have keys of their own. */
function isInOverlay(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('[role="dialog"], [role="menu"], [role="listbox"]') !== null
}
