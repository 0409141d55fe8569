import { readPreference } from '@/lib/browser/preferences'
import { msg } from '@/lib/i18n/t'

export type CommandId =
  | 'palette'
  | 'new-chat'
  | 'temporary-chat'
  | 'sidebar'
  | 'settings'
  | 'shortcuts'
  | 'ledger'
  | 'stop'
  | 'models'
  | 'characters'
  | 'edit-last'
  | 'previous-turn'
  | 'next-turn'
  | 'previous-version'
  | 'next-version'
  | 'copy-answer'
  | 'copy-code'
  | 'go-chat'
  | 'go-characters'
  | 'go-studio'
  | 'go-rpc'
  | 'go-wallet'
  | 'go-usage'
  | 'go-keys'

export type ShortcutGroup = 'Everywhere' | 'In a chat' | 'Go to'

export type Shortcut = {
  id: CommandId
  name: string
  group: ShortcutGroup
  keys: string
  /**
   * `everywhere`; `page`, where nothing lies over the page; `empty`, only while the message field has the focus and is
   * empty.
   */
  scope: 'everywhere' | 'page' | 'empty'
  isFixed?: true
}

export const SHORTCUTS: readonly Shortcut[] = [
  { id: 'palette', name: msg('Search and commands'), group: 'Everywhere', keys: 'Mod+k', scope: 'everywhere' },
  { id: 'new-chat', name: msg('New chat'), group: 'Everywhere', keys: 'Mod+Shift+o', scope: 'everywhere' },
  { id: 'temporary-chat', name: msg('Temporary chat'), group: 'Everywhere', keys: "Mod+Shift+'", scope: 'everywhere' },
  { id: 'sidebar', name: msg('Show or hide sidebar'), group: 'Everywhere', keys: 'Mod+b', scope: 'everywhere' },
  { id: 'settings', name: msg('Settings'), group: 'Everywhere', keys: 'Mod+.', scope: 'everywhere' },
  { id: 'shortcuts', name: msg('Keyboard shortcuts'), group: 'Everywhere', keys: '?', scope: 'page' },
  { id: 'ledger', name: msg('Show or hide cost ledger'), group: 'Everywhere', keys: 'l', scope: 'page' },
  {
    id: 'stop',
    name: msg('Stop, close, or focus the message field'),
    group: 'In a chat',
    keys: 'Escape',
    scope: 'page',
    isFixed: true,
  },
  { id: 'models', name: msg('Choose a model'), group: 'In a chat', keys: 'Mod+Shift+m', scope: 'page' },
  { id: 'characters', name: msg('Choose a character'), group: 'In a chat', keys: 'Mod+Shift+h', scope: 'page' },
  {
    id: 'edit-last',
    name: msg('Edit the last message (in an empty field)'),
    group: 'In a chat',
    keys: 'ArrowUp',
    scope: 'empty',
    isFixed: true,
  },
  { id: 'previous-turn', name: msg('Previous message'), group: 'In a chat', keys: 'Alt+ArrowUp', scope: 'page' },
  { id: 'next-turn', name: msg('Next message'), group: 'In a chat', keys: 'Alt+ArrowDown', scope: 'page' },
  { id: 'previous-version', name: msg('Earlier version'), group: 'In a chat', keys: 'Alt+ArrowLeft', scope: 'page' },
  { id: 'next-version', name: msg('Later version'), group: 'In a chat', keys: 'Alt+ArrowRight', scope: 'page' },
  { id: 'copy-answer', name: msg('Copy the last answer'), group: 'In a chat', keys: 'Mod+Shift+c', scope: 'page' },
  { id: 'copy-code', name: msg('Copy the last code block'), group: 'In a chat', keys: 'Mod+Shift+;', scope: 'page' },
  { id: 'go-chat', name: msg('Go to new chat'), group: 'Go to', keys: 'g c', scope: 'page' },
  { id: 'go-characters', name: msg('Go to characters'), group: 'Go to', keys: 'g h', scope: 'page' },
  { id: 'go-studio', name: msg('Go to Studio'), group: 'Go to', keys: 'g s', scope: 'page' },
  { id: 'go-rpc', name: msg('Go to RPC'), group: 'Go to', keys: 'g r', scope: 'page' },
  { id: 'go-wallet', name: msg('Go to wallet'), group: 'Go to', keys: 'g w', scope: 'page' },
  { id: 'go-usage', name: msg('Go to usage'), group: 'Go to', keys: 'g u', scope: 'page' },
  { id: 'go-keys', name: msg('Go to API keys'), group: 'Go to', keys: 'g k', scope: 'page' },
]

/**
 * Keys as text: modifiers in the order `Mod`, `Alt`, `Shift`, then the key as the browser names it, letters small.
 * `Mod` is Ctrl, or Cmd on a Mac. A space separates two strokes.
 * @example 'Mod+Shift+o', 'g r', '?'
 */
export type Keys = string

export type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

export const SECOND_STROKE_MS = 1_500

/** Signs by place: with Shift or Alt held the browser names another sign. */
const SIGN_AT: Readonly<Record<string, string>> = {
  Quote: "'",
  Semicolon: ';',
  Period: '.',
  Comma: ',',
  Slash: '/',
  Backslash: '\\',
  Minus: '-',
  Equal: '=',
  BracketLeft: '[',
  BracketRight: ']',
  Backquote: '`',
}

const MODIFIERS: readonly string[] = ['Control', 'Meta', 'Alt', 'Shift', 'AltGraph', 'CapsLock', 'Dead', 'Unidentified']

/**
 * Returns the ways to write one key press: by the sign typed, and by the place of the key. None for a modifier alone.
 */
export function strokesOf(press: KeyPress): Keys[] {
  const { key, code } = press
  if (MODIFIERS.includes(key)) return []
  const isMod = press.ctrlKey || press.metaKey
  const typed = key.length === 1 ? key.toLowerCase() : key
  const atPlace = SIGN_AT[code] ?? /^(?:Key|Digit)(\w)$/.exec(code)?.[1]?.toLowerCase()
  // A sign says by itself that Shift was held; a letter or a named key does not.
  const isSign = key.length === 1 && !/[\p{L}\d\s]/u.test(key)
  const byTyped = strokeOf(isMod, press.altKey, press.shiftKey && !(isSign && !isMod && !press.altKey), typed)
  if (atPlace === undefined || !(isMod || press.altKey)) return [byTyped]
  return [...new Set([byTyped, strokeOf(isMod, press.altKey, press.shiftKey, atPlace)])]
}

function strokeOf(isMod: boolean, isAlt: boolean, isShift: boolean, key: string): Keys {
  const name = key === ' ' ? 'Space' : key
  return [isMod && 'Mod', isAlt && 'Alt', isShift && 'Shift', name].filter(Boolean).join('+')
}

export const isPlain = (keys: Keys): boolean => !/^(?:Mod|Alt)\+/.test(keys)

export const isLetter = (keys: Keys): boolean =>
  isPlain(keys) && keys.split(' ')[0]!.replace(/^Shift\+/, '').length === 1

export type ChosenKeys = Partial<Record<CommandId, Keys>>

export const keysOf = ({ id, keys }: Shortcut, chosen: ChosenKeys): Keys => chosen[id] ?? keys

let read: { text: string; chosen: ChosenKeys } = { text: '', chosen: {} }

export function chosenKeys(text: string = readPreference('keys')): ChosenKeys {
  if (read.text !== text) read = { text, chosen: parse(text) }
  return read.chosen
}

function parse(text: string): ChosenKeys {
  try {
    const stored: unknown = JSON.parse(text)
    if (typeof stored !== 'object' || stored === null) return {}
    const known = SHORTCUTS.filter(({ isFixed }) => !isFixed).flatMap(({ id }) => {
      const keys = (stored as Record<string, unknown>)[id]
      return typeof keys === 'string' && keys.length <= 40 ? [[id, keys]] : []
    })
    return Object.fromEntries(known)
  } catch {
    return {}
  }
}

export function createKeyReader() {
  let first: { strokes: Keys[]; at: number } | undefined
  return {
    /**
     * @param at when it was pressed, in milliseconds of any one clock.
     * @param isHeard says whether a shortcut counts where the press happened.
     */
    read(press: KeyPress, at: number, chosen: ChosenKeys, isHeard: (shortcut: Shortcut, keys: Keys) => boolean) {
      const strokes = strokesOf(press)
      if (strokes.length === 0) return undefined
      const before = first && at - first.at < SECOND_STROKE_MS ? first.strokes : []
      const pressed = [...before.flatMap((one) => strokes.map((two) => `${one} ${two}`)), ...strokes]
      const heard = SHORTCUTS.filter((shortcut) => isHeard(shortcut, keysOf(shortcut, chosen)))
      const found = pressed.flatMap((keys) => heard.find((shortcut) => keysOf(shortcut, chosen) === keys) ?? [])[0]
      const begins = heard.some((shortcut) => strokes.some((one) => keysOf(shortcut, chosen).startsWith(`${one} `)))
      first = found === undefined && begins ? { strokes, at } : undefined
      return found
    },
  }
}
