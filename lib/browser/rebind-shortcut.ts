import { writePreference } from '@/lib/browser/preferences'
import {
  type ChosenKeys,
  type CommandId,
  chosenKeys,
  isPlain,
  type Keys,
  keysOf,
  SHORTCUTS,
  type Shortcut,
} from '@/lib/browser/shortcuts'
import { t } from '@/lib/i18n/t'

/** Reserved by browsers: `Ctrl W` closes the tab whatever a page says. */
const RESERVED: readonly Keys[] = [
  'Mod+w',
  'Mod+t',
  'Mod+n',
  'Mod+Shift+n',
  'Mod+Shift+t',
  'Mod+Shift+w',
  'Mod+q',
  'Mod+r',
]
const NEEDED: readonly string[] = ['Tab', 'Enter', 'Escape', 'Space', 'Backspace', 'Delete']

export type Rebinding = { kind: 'free' } | { kind: 'conflict'; with: Shortcut } | { kind: 'refused'; why: string }

export function checkKeys(id: CommandId, keys: Keys, chosen: ChosenKeys): Rebinding {
  if (RESERVED.includes(keys)) return { kind: 'refused', why: t('Reserved by the browser. Choose other keys.') }
  const key = keys.split(' ')[0]!.split('+').at(-1) ?? ''
  if (isPlain(keys) && (NEEDED.includes(key) || key.startsWith('Arrow')))
    return { kind: 'refused', why: t('This key is used for navigation or typing. Add Ctrl or Alt.') }
  const other = SHORTCUTS.find((one) => one.id !== id && overlap(keysOf(one, chosen), keys))
  if (!other) return { kind: 'free' }
  return other.isFixed
    ? { kind: 'refused', why: t('This key has a fixed meaning in every program. Choose another one.') }
    : { kind: 'conflict', with: other }
}

function overlap(one: Keys, other: Keys): boolean {
  if (one === '' || other === '') return false
  return one === other || one.startsWith(`${other} `) || other.startsWith(`${one} `)
}

export function bindKeys(id: CommandId, keys: Keys): void {
  const chosen = { ...chosenKeys() }
  for (const other of SHORTCUTS) {
    if (other.id !== id && !other.isFixed && overlap(keysOf(other, chosen), keys)) chosen[other.id] = ''
  }
  save({ ...chosen, [id]: keys })
}

export function resetKeys(id?: CommandId): void {
  const { [id ?? 'stop']: _, ...rest } = chosenKeys()
  save(id === undefined ? {} : rest)
}

function save(chosen: ChosenKeys): void {
  const changed = SHORTCUTS.filter(({ id, keys }) => chosen[id] !== undefined && chosen[id] !== keys)
  const stored = Object.fromEntries(changed.map(({ id }) => [id, chosen[id]]))
  writePreference('keys', changed.length > 0 ? JSON.stringify(stored) : '')
}

const NAMES: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
}
const MAC_NAMES: Readonly<Record<string, string>> = { Mod: '⌘', Alt: '⌥', Shift: '⇧' }

export function capsOf(keys: Keys, isMac = isApple()): string[] {
  return keys.split(/[+ ](?=.)/).map((key) => {
    if (isMac && MAC_NAMES[key]) return MAC_NAMES[key]
    if (key === 'Mod') return t('Ctrl')
    if (key === 'Shift') return t('Shift')
    return NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)
  })
}

const isApple = (): boolean => typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)
