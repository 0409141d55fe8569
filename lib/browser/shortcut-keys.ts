import { readPreference } from '@/lib/browser/preferences'
import { type CommandId, SHORTCUTS, type Shortcut } from '@/lib/browser/shortcuts'

/**
 * Keys as text: modifiers in the order `Mod`, `Alt`, `Shift`, then the key as the browser names it, letters small. `Mod`
 * is Ctrl, or Cmd on a Mac. Two strokes after one another have a space between them.
 *
 * @example 'Mod+Shift+o', 'g r', '?'
 */
export type Keys = string

/** What of a key press matters here. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/** The second stroke has to follow within this time. */
export const SECOND_STROKE_MS = 1_500

/** Signs that a keyboard of any layout has at a place: with Shift or Alt held the browser names another sign. */
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

/** The ways to write one key press: by the sign that was typed, and by the place of the key. None for a modifier alone. */
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

/** Whether a first stroke comes without a modifier: such keys are never looked at while somebody types. */
export const isPlain = (keys: Keys): boolean => !/^(?:Mod|Alt)\+/.test(keys)

/** Whether it is a letter, a digit or a sign by itself, which the switch for single letters turns off. */
export const isLetter = (keys: Keys): boolean =>
  isPlain(keys) && keys.split(' ')[0]!.replace(/^Shift\+/, '').length === 1

/** The keys that a person chose; `''` for a command that shall have none. */
export type ChosenKeys = Partial<Record<CommandId, Keys>>

export const keysOf = ({ id, keys }: Shortcut, chosen: ChosenKeys): Keys => chosen[id] ?? keys

let read: { text: string; chosen: ChosenKeys } = { text: '', chosen: {} }

/** What is kept in this browser. What cannot be read counts as nothing. */
export function chosenKeys(text: string = readPreference('keys')): ChosenKeys {
  if (read.text !== text) read = { text, chosen: parse(text) }
  return read.chosen
}

function parse(text: string): ChosenKeys {
  try {
    const kept: unknown = JSON.parse(text)
    if (typeof kept !== 'object' || kept === null) return {}
    const known = SHORTCUTS.filter(({ isFixed }) => !isFixed).flatMap(({ id }) => {
      const keys = (kept as Record<string, unknown>)[id]
      return typeof keys === 'string' && keys.length <= 40 ? [[id, keys]] : []
    })
    return Object.fromEntries(known)
  } catch {
    return {}
  }
}

/** Follows key presses, and says which command one asks for. */
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
