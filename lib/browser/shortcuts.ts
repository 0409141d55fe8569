import { msg } from '@/lib/i18n/t'
/** Everything that a key can do. Whoever can do it registers under the same id (`lib/browser/commands.ts`). */
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
  /** As it stands in the list of keys and in the palette. */
  name: string
  group: ShortcutGroup
  /** How it is pressed at first, in the notation of `lib/browser/shortcut-keys.ts`. */
  keys: string
  /**
   * Where it works: `everywhere`; `page`, where nothing lies over the page; `empty`, only while the field for a question
   * has the focus and is empty.
   */
  scope: 'everywhere' | 'page' | 'empty'
  /** Means the same in every program, so that nobody may change it. */
  isFixed?: true
}

/** The one table of keys. */
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
