import { create } from 'zustand'

/** Small settings of this browser, and the values they start with. `public/theme.js` reads the first six too. */
const DEFAULTS = {
  theme: 'system' as 'system' | 'light' | 'dark',
  ledger: 'shown' as 'shown' | 'hidden',
  sidebar: 'open' as 'open' | 'closed',
  /** How close things stand, whether they move, and how large letters are. */
  density: 'comfortable' as 'comfortable' | 'compact',
  motion: 'system' as 'system' | 'reduced',
  text: 'normal' as 'small' | 'normal' | 'large' | 'larger',
  model: '',
  /** The wallet of last time: its family and what that family knows it by. */
  wallet: '',
  /** Enter sends a message and Shift+Enter makes a line, or Enter makes a line and Ctrl+Enter sends. */
  enterSends: 'on' as 'on' | 'off',
  /** Who the person is to characters: a name, and some words. */
  personaName: '',
  persona: '',
  /** Spending caps in dollars; `''` for none. */
  capPerMessage: '',
  capPerDay: '',
  /** What the last answers cost in nano-dollars, latest last, with spaces between: known before the database is. */
  answerCosts: '',
  /** How answers of blockchain networks are looked at, and whether their long lines go on below. */
  rpcView: 'pretty' as 'pretty' | 'raw' | 'decoded' | 'headers',
  rpcWrap: 'on' as 'on' | 'off',
  /** Whether thoughts are shown while a model thinks. */
  thoughts: 'folded' as 'folded' | 'open',
  /** The client whose snippet was looked at last. */
  snippet: '',
  /** The language in which the documentation shows programs. */
  docsLanguage: '',
  /** Who names a new chat: the model that answered, for a few tokens, or the first words of the question. */
  titles: 'model' as 'model' | 'words',
  /** Whether each answer is followed by questions to ask next, for a few tokens. */
  suggestions: 'off' as 'on' | 'off',
  /** What a new chat begins with: a model (`''` for the last one used), and settings as JSON. */
  newModel: '',
  newChat: '',
  /** Says when an answer ended while nobody looked. */
  notify: 'off' as 'on' | 'off',
  /** Keys that a person chose, by the command, as JSON; and whether single letters do anything. */
  keys: '',
  letterKeys: 'on' as 'on' | 'off',
  /** When all chats were last saved to a file, in Unix milliseconds. */
  backupAt: '',
  /** After how many minutes without use the vault locks. */
  vaultIdle: '15' as '5' | '15' | '60' | 'never',
}

type Preferences = typeof DEFAULTS
type Name = keyof Preferences

const KEY_PREFIX = 'lagoon:'
/** Those that the style sheet looks at, as `data-` attributes of the root element. */
const STYLED: Name[] = ['theme', 'ledger', 'sidebar', 'density', 'motion', 'text']

/** The server and the first render have the defaults. */
const usePreferences = create<Preferences>(() => DEFAULTS)

if (typeof window !== 'undefined') {
  const names = Object.keys(DEFAULTS) as Name[]
  usePreferences.setState(Object.fromEntries(names.map((name) => [name, readPreference(name)])))
  window.addEventListener('storage', ({ key, newValue }) => {
    // No key: all of it was cleared.
    const changed = names.filter((name) => key === null || key === KEY_PREFIX + name)
    for (const name of changed) show(name, newValue ?? DEFAULTS[name])
  })
}

/** A setting and its setter; other tabs follow. */
export function usePreference<N extends Name>(name: N): [Preferences[N], (value: Preferences[N]) => void] {
  const value = usePreferences((preferences) => preferences[name])
  return [value, (next) => writePreference(name, next)]
}

export function readPreference<N extends Name>(name: N): Preferences[N] {
  try {
    return (localStorage.getItem(KEY_PREFIX + name) ?? DEFAULTS[name]) as Preferences[N]
  } catch {
    // Storage may be switched off; the defaults serve.
    return DEFAULTS[name]
  }
}

export function writePreference<N extends Name>(name: N, value: Preferences[N]): void {
  try {
    localStorage.setItem(KEY_PREFIX + name, value)
  } catch {
    // Storage may be switched off or full: the choice then lasts as long as the page.
  }
  show(name, value)
}

function show(name: Name, value: string): void {
  usePreferences.setState({ [name]: value })
  if (STYLED.includes(name)) document.documentElement.dataset[name] = value
}
