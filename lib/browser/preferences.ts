import { create } from 'zustand'
import { readStored, writeStored } from '@/lib/browser/local-storage'

/** Small settings of this browser with their defaults. `public/before-paint.js` reads the first six too. */
export const DEFAULT_PREFERENCES = {
  theme: 'system' as 'system' | 'light' | 'dark',
  ledger: 'shown' as 'shown' | 'hidden',
  sidebar: 'open' as 'open' | 'closed',
  density: 'comfortable' as 'comfortable' | 'compact',
  motion: 'system' as 'system' | 'reduced',
  text: 'normal' as 'small' | 'normal' | 'large' | 'larger',
  model: '',
  wallet: '',
  enterSends: 'on' as 'on' | 'off',
  personaName: '',
  persona: '',
  /** Dollars; `''` for none. */
  capPerMessage: '',
  capPerDay: '',
  /** Nano-dollars, latest last, separated by spaces: known before the database is. */
  answerCosts: '',
  rpcView: 'pretty' as 'pretty' | 'raw' | 'decoded' | 'headers',
  rpcWrap: 'on' as 'on' | 'off',
  thoughts: 'folded' as 'folded' | 'open',
  snippet: '',
  docsLanguage: '',
  titles: 'model' as 'model' | 'words',
  suggestions: 'off' as 'on' | 'off',
  /** A model (`''` for the last one used), and settings as JSON. */
  newModel: '',
  newChat: '',
  notify: 'off' as 'on' | 'off',
  keys: '',
  letterKeys: 'on' as 'on' | 'off',
  backupAt: '',
  vaultIdle: '15' as '5' | '15' | '60' | 'never',
}

export type Preferences = typeof DEFAULT_PREFERENCES
type Name = keyof Preferences

const KEY_PREFIX = 'lagoon:'
const STYLED: Name[] = ['theme', 'ledger', 'sidebar', 'density', 'motion', 'text']

const usePreferences = create<Preferences>(() => DEFAULT_PREFERENCES)

if (typeof window !== 'undefined') {
  const names = Object.keys(DEFAULT_PREFERENCES) as Name[]
  usePreferences.setState(Object.fromEntries(names.map((name) => [name, readPreference(name)])))
  window.addEventListener('storage', ({ key, newValue }) => {
    // No key: all of it was cleared.
    const changed = names.filter((name) => key === null || key === KEY_PREFIX + name)
    for (const name of changed) show(name, newValue ?? DEFAULT_PREFERENCES[name])
  })
}

/** Returns a preference and its setter; other tabs follow. */
export function usePreference<N extends Name>(name: N): [Preferences[N], (value: Preferences[N]) => void] {
  const value = usePreferences((preferences) => preferences[name])
  return [value, (next) => writePreference(name, next)]
}

export function readPreference<N extends Name>(name: N): Preferences[N] {
  return (readStored(KEY_PREFIX + name) ?? DEFAULT_PREFERENCES[name]) as Preferences[N]
}

export function writePreference<N extends Name>(name: N, value: Preferences[N]): void {
  writeStored(KEY_PREFIX + name, value)
  show(name, value)
}

function show(name: Name, value: string): void {
  usePreferences.setState({ [name]: value })
  if (STYLED.includes(name)) document.documentElement.dataset[name] = value
}
