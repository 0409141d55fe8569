import { useRouter } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { openPalette, openShortcutSheet } from '@/lib/browser/dialogs'
import { quietly } from '@/lib/browser/first-sign'
import { chatHref, isChatPath, isOnChatScreen, openChat } from '@/lib/browser/navigation'
import { readPreference, writePreference } from '@/lib/browser/preferences'
import {
  type CommandId,
  chosenKeys,
  createKeyReader,
  isLetter,
  isPlain,
  type Keys,
  type Shortcut,
} from '@/lib/browser/shortcuts'
import { takeNewModel } from '@/lib/browser/wanted-model'

type Command = { run: () => void; isEnabled: () => boolean }

/** The latest to register comes last and wins: what is on top of the page comes before what is under it. */
const commands = new Map<CommandId, Command[]>()
const always = (): boolean => true

function registerCommand(id: CommandId, run: () => void, isEnabled = always): () => void {
  const command = { run, isEnabled }
  commands.set(id, [...(commands.get(id) ?? []), command])
  return () => {
    const rest = (commands.get(id) ?? []).filter((one) => one !== command)
    if (rest.length > 0) commands.set(id, rest)
    else commands.delete(id)
  }
}

export const canRun = (id: CommandId): boolean => commandOf(id) !== undefined

export function runCommand(id: CommandId): boolean {
  const command = commandOf(id)
  command?.run()
  return command !== undefined
}

export function useCommand(id: CommandId, run: () => void, options: { isEnabled?: boolean } = {}): void {
  const latest = useRef({ run, isEnabled: options.isEnabled ?? true })
  useEffect(() => {
    latest.current = { run, isEnabled: options.isEnabled ?? true }
  })
  useEffect(
    () =>
      registerCommand(
        id,
        () => latest.current.run(),
        () => latest.current.isEnabled,
      ),
    [id],
  )
}

const commandOf = (id: CommandId): Command | undefined => commands.get(id)?.findLast(({ isEnabled }) => isEnabled())

export const COMPOSER_ID = 'message'

export const STOP_EVENT = 'lagoon:stop'

export function focusComposer(): void {
  document.getElementById(COMPOSER_ID)?.focus()
}

const HAS_POINTER = '(hover: hover) and (pointer: fine)'

export function focusOnArrival(): void {
  const isFree = document.activeElement === null || document.activeElement === document.body
  if (isFree && window.matchMedia(HAS_POINTER).matches && !document.querySelector(OVERLAY)) quietly(focusComposer)
}

/** Whether the focus moved without a pointer: `:focus-visible` is true of anything once a key is pressed. */
let isMovedByKeys = false
let isPressing = false

function noteFocus({ type }: Event): void {
  if (type === 'focusin') isMovedByKeys = !isPressing
  else isPressing = type === 'pointerdown'
}

/**
 * Tells whether a key types into the message. A person who moves by keyboard gets the shortcuts instead. The browser
 * writes the sign where the focus is once the key was handled.
 */
function typesMessage(event: KeyboardEvent): boolean {
  const { key, target } = event
  const isSign = key.length === 1 && key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey
  const isMoving = isMovedByKeys && document.activeElement !== document.body
  const isElsewhere = isMoving || fieldOf(target) !== null || document.querySelector(OVERLAY) !== null
  const composer = document.getElementById(COMPOSER_ID)
  return isSign && !isElsewhere && composer?.checkVisibility() === true
}

let go = (href: string): void => window.location.assign(href)

export function newChat(): void {
  takeNewModel()
  if (isOnChatScreen()) openChat(null)
  else go(chatHref(null))
  requestAnimationFrame(focusNewChat)
}

function focusNewChat(): void {
  // The command menu was opened meanwhile.
  if (fieldOf(document.activeElement) && isInOverlay(document.activeElement)) return
  if (document.getElementById(COMPOSER_ID)) focusComposer()
  else if (!document.querySelector('[role="dialog"]')) focusWhenThere()
}

const LOOKS = 60
const LOOK_EVERY_MS = 50

export function focusWhenThere(looksLeft = LOOKS): void {
  setTimeout(() => {
    const isThere = document.getElementById(COMPOSER_ID) !== null && !document.querySelector('[role="dialog"]')
    if (!isThere && looksLeft > 0) focusWhenThere(looksLeft - 1)
    else setTimeout(focusComposer, LOOK_EVERY_MS)
  }, LOOK_EVERY_MS)
}

export function goTo(href: string): void {
  const { pathname, searchParams } = new URL(href, window.location.origin)
  if (href === chatHref(null)) newChat()
  else if (isChatPath(pathname) && isOnChatScreen())
    openChat(pathname.slice(chatHref('').length), searchParams.get('m') ?? undefined)
  else if (window.location.pathname + window.location.search !== href) go(href)
}

export function useShortcuts(): void {
  const { push } = useRouter()
  useEffect(() => {
    go = push
    const unregister = Object.entries(PAGE_COMMANDS).map(([id, run]) => registerCommand(id as CommandId, run))
    const reader = createKeyReader()
    const onKeyDown = (event: KeyboardEvent) => {
      // While an input method composes, keys are its own; Safari says so by the key code only.
      if (event.defaultPrevented || event.isComposing || event.keyCode === 229 || event.repeat) return
      if (typesMessage(event)) return focusComposer()
      const { target } = event
      const found = reader.read(event, event.timeStamp, chosenKeys(), (shortcut, keys) =>
        isHeard(shortcut, keys, target),
      )
      if (!found) return
      event.preventDefault()
      runCommand(found.id)
    }
    const watched = ['pointerdown', 'pointerup', 'pointercancel', 'focusin'] as const
    window.addEventListener('keydown', onKeyDown)
    for (const type of watched) window.addEventListener(type, noteFocus, { capture: true, passive: true })
    return () => {
      window.removeEventListener('keydown', onKeyDown)
      for (const type of watched) window.removeEventListener(type, noteFocus, { capture: true })
      for (const give of unregister) give()
    }
  }, [push])
}

function isHeard({ id, scope }: Shortcut, keys: Keys, target: EventTarget | null): boolean {
  if (keys === '' || !canRun(id)) return false
  const field = fieldOf(target)
  if (scope === 'empty') return field?.id === COMPOSER_ID && fieldText(field) === ''
  if (scope === 'page' && isInOverlay(target)) return false
  if (isLetter(keys) && readPreference('letterKeys') === 'off') return false
  if (id === 'stop' || !field) return true
  if (isPlain(keys)) return false
  // On a Mac, Alt and an arrow go from word to word.
  return !keys.startsWith('Alt+') || fieldText(field) === ''
}

const PAGE_COMMANDS: Partial<Record<CommandId, () => void>> = {
  palette: () => openPalette(),
  shortcuts: openShortcutSheet,
  'new-chat': newChat,
  'temporary-chat': () => void switchTemporary(),
  sidebar: toggleSidebar,
  settings: () => goTo('/settings'),
  ledger: toggleLedger,
  stop: stopOrFocus,
  'go-chat': newChat,
  'go-characters': () => goTo('/characters'),
  'go-studio': () => goTo('/studio'),
  'go-rpc': () => goTo('/rpc'),
  'go-wallet': () => goTo('/wallet'),
  'go-usage': () => goTo('/usage'),
  'go-keys': () => goTo('/keys'),
}

async function switchTemporary(): Promise<void> {
  const { isNextTemporary, setNextTemporary } = await import('@/lib/browser/temporary-chat')
  const isNewChat = window.location.pathname === chatHref(null)
  await setNextTemporary(!(isNewChat && isNextTemporary()))
  newChat()
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

function fieldOf(target: EventTarget | null): Element | null {
  return target instanceof HTMLElement ? target.closest('input, textarea, select, [contenteditable]') : null
}

const fieldText = (field: Element): string =>
  field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement ? field.value : (field.textContent ?? '')

const OVERLAY = '[role="dialog"], [role="menu"], [role="listbox"]'

function isInOverlay(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest(OVERLAY) !== null
}
