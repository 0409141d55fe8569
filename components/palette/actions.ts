import { canRun, goTo, runCommand } from '@/lib/browser/commands'
import { openHistorySheet, openTopUp, openWallet } from '@/lib/browser/dialogs'
import type { Item } from '@/lib/browser/palette-items'
import { readPreference, writePreference } from '@/lib/browser/preferences'
import { SECTIONS, SETTINGS, settingHref } from '@/lib/browser/settings-entries'
import { type CommandId, chosenKeys, keysOf, SHORTCUTS } from '@/lib/browser/shortcuts'
import { isLocked, isVaultOn } from '@/lib/browser/vault/flag'
import { msg, t } from '@/lib/i18n/t'

const LEFT_OUT: readonly CommandId[] = [
  'palette',
  'stop',
  'edit-last',
  'settings',
  'go-chat',
  'go-characters',
  'go-studio',
  'go-rpc',
  'go-wallet',
]

export function actionItems(): Item[] {
  const chosen = chosenKeys()
  const byKeys = SHORTCUTS.filter(({ id }) => !LEFT_OUT.includes(id) && canRun(id)).map(
    (shortcut): Item => ({
      id: `action-${shortcut.id}`,
      kind: 'action',
      name: t(shortcut.name),
      searchTerms: shortcut.name,
      keys: keysOf(shortcut, chosen),
      run: () => void runCommand(shortcut.id),
    }),
  )
  const isOpen = isVaultOn() && !isLocked()
  return [...byKeys, ...others(), ...(isOpen ? [lock()] : [])]
}

const action = (id: string, name: string, searchTerms: string, run: () => unknown): Item => ({
  id: `action-${id}`,
  kind: 'action',
  name: t(name),
  searchTerms: `${name} ${searchTerms}`,
  run: () => void run(),
})

const lock = (): Item =>
  action('lock', msg('Lock all chats'), 'vault encrypt passphrase', async () =>
    (await import('@/lib/browser/vault/vault')).lock(),
  )

const others = (): Item[] => [
  action('top-up', msg('Add credit'), 'top up pay usdc money balance', () => openTopUp()),
  action('wallet', msg('Sign in or change wallet'), 'connect wallet account session', () => openWallet()),
  action('light', msg('Use light theme'), 'appearance day', () => writePreference('theme', 'light')),
  action('dark', msg('Use dark theme'), 'appearance night', () => writePreference('theme', 'dark')),
  action('system', msg('Use device theme'), 'appearance system', () => writePreference('theme', 'system')),
  action('density', msg('Change density'), 'compact comfortable spacing', () =>
    writePreference('density', readPreference('density') === 'compact' ? 'comfortable' : 'compact'),
  ),
  action('archive', msg('Import and export chats'), 'backup restore save json markdown chatgpt claude', () =>
    openHistorySheet({ kind: 'archive' }),
  ),
  action('shares', msg('Shared links'), 'share link revoke', () => openHistorySheet({ kind: 'shares' })),
  action('leaves', msg('Data leaving this device'), 'privacy data sent', () => goTo('/settings/privacy#leaves')),
  action(
    'language',
    msg('Change language'),
    'translation locale deutsch español français português العربية 日本語 中文',
    () => goTo('/settings/general#language'),
  ),
  action('caps', msg('Set spending caps'), 'limit budget money', () => goTo('/settings/money#caps')),
]

const screen = (href: string, name: string, searchTerms: string, keys?: CommandId): Item => {
  const shortcut = SHORTCUTS.find(({ id }) => id === keys)
  return {
    id: `screen-${href}`,
    kind: 'screen',
    name: t(name),
    searchTerms: `${name} ${searchTerms}`,
    ...(shortcut && { keys: keysOf(shortcut, chosenKeys()) }),
    run: () => goTo(href),
  }
}

export const screenItems = (): Item[] => [
  screen('/', msg('Chat'), 'home new ask', 'go-chat'),
  screen('/characters', msg('Characters'), 'gallery persona', 'go-characters'),
  screen('/studio', msg('Studio'), 'images pictures generate edit upscale enlarge', 'go-studio'),
  screen('/studio/audio', msg('Studio: audio'), 'speech voice read aloud transcribe music sound', undefined),
  screen('/studio/video', msg('Studio: video'), 'film clip animate', undefined),
  screen('/rpc', 'RPC', 'playground networks json blockchain', 'go-rpc'),
  screen('/rpc/matrix', msg('RPC matrix'), 'all networks at once compare', undefined),
  screen('/wallet', msg('Wallet'), 'balance receipts transactions sessions', 'go-wallet'),
  screen('/usage', msg('Usage'), 'spent charges costs billing csv day model', 'go-usage'),
  screen('/keys', msg('API keys'), 'secret token program limit revoke', 'go-keys'),
  screen('/docs', msg('Docs'), 'documentation reference guides api help openapi', undefined),
  screen('/docs/search', msg('Search docs'), 'documentation find fields errors', undefined),
  screen('/settings', msg('Settings'), 'preferences options', 'settings'),
]

export const settingItems = (): Item[] => [
  ...SECTIONS.map(
    ({ id, name, about }): Item => ({
      id: `section-${id}`,
      kind: 'setting',
      name: t('{section} settings', { section: t(name) }),
      note: t(about),
      searchTerms: `${name} settings ${about}`,
      run: () => goTo(`/settings/${id}`),
    }),
  ),
  ...SETTINGS.map(
    (entry): Item => ({
      id: `setting-${entry.id}`,
      kind: 'setting',
      name: t(entry.name),
      note: t('Setting'),
      searchTerms: [entry.name, entry.about, entry.searchTerms]
        .map((searchTerms) => `${searchTerms} ${t(searchTerms)}`)
        .join(' '),
      run: () => goTo(settingHref(entry)),
    }),
  ),
]
