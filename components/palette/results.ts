import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { announce } from '@/components/ui/announcer'
import { showToast } from '@/components/ui/toast'
import { findCharacters } from '@/lib/browser/characters'
import { canRun, goTo, runCommand } from '@/lib/browser/commands'
import { openHistorySheet, openTopUp, openWallet } from '@/lib/browser/dialogs'
import { formatPrice } from '@/lib/browser/format/cost'
import type { ModelCard } from '@/lib/browser/models'
import { chatHref, messageHref } from '@/lib/browser/navigation'
import { type Item, includesKind, matching, type NetworkSearch, type PaletteQuery } from '@/lib/browser/palette-items'
import { readPreference, writePreference } from '@/lib/browser/preferences'
import { modelsQuery } from '@/lib/browser/queries'
import { SECTIONS, SETTINGS, settingHref } from '@/lib/browser/settings-entries'
import { type CommandId, chosenKeys, keysOf, SHORTCUTS } from '@/lib/browser/shortcuts'
import type { CharacterRef } from '@/lib/browser/storage/records'
import { isLocked, isVaultOn } from '@/lib/browser/vault/flag'
import { pickModel } from '@/lib/browser/wanted-model'
import { msg, t } from '@/lib/i18n/t'

export type FoundGroup = { name: string; items: Item[] }

const MAX_CHATS = 8
const MAX_ACTIONS = 12
const MAX_MODELS = 8
const MAX_CHARACTERS = 8
const MAX_SETTINGS = 6
const CHARACTERS_FRESH_MS = 60_000

export function useResults(
  query: PaletteQuery,
  searchNetworks: NetworkSearch,
): { groups: FoundGroup[]; isLooking: boolean; hasFailed: boolean } {
  const text = useDeferredValue(query.text)
  const isNarrow = query.kinds !== undefined
  const chats = useQuery({
    queryKey: ['palette', 'chats', text],
    queryFn: () => chatItems(text),
    enabled: includesKind(query, 'chat'),
    networkMode: 'always',
    staleTime: 0,
    gcTime: 0,
    placeholderData: (before) => before,
  })
  const characters = useQuery({
    queryKey: ['palette', 'characters', text],
    queryFn: ({ signal }) => characterItems(text, signal),
    enabled: includesKind(query, 'character') && (text !== '' || isNarrow),
    networkMode: 'always',
    staleTime: CHARACTERS_FRESH_MS,
    retry: false,
    placeholderData: (before) => before,
  })
  const models = useQuery({ ...modelsQuery(), enabled: includesKind(query, 'model') })
  const isEmpty = text === ''
  // Chats stand first: what Enter takes would move away under a person's hands if they came later.
  if (isEmpty && includesKind(query, 'chat') && chats.isPending)
    return { groups: [], isLooking: true, hasFailed: false }
  const group = (name: string, items: Item[] | undefined): FoundGroup => ({ name, items: items ?? [] })
  const groups = [
    group(isEmpty ? t('Recent chats') : t('Chats'), includesKind(query, 'chat') ? chats.data : []),
    group(
      t('Actions'),
      includesKind(query, 'action') ? matching(actionItems(), text, isNarrow ? 40 : MAX_ACTIONS) : [],
    ),
    group(t('Pages'), includesKind(query, 'screen') ? matching(screenItems(), text, MAX_ACTIONS) : []),
    group(
      t('Models'),
      includesKind(query, 'model') && !isEmpty ? matching((models.data ?? []).map(modelItem), text, MAX_MODELS) : [],
    ),
    group(t('Characters'), includesKind(query, 'character') && (!isEmpty || isNarrow) ? characters.data : []),
    ...(includesKind(query, 'network') && (!isEmpty || isNarrow) ? networkGroups(searchNetworks(text)) : []),
    group(
      t('Settings'),
      includesKind(query, 'setting') && !isEmpty ? matching(settingItems(), text, MAX_SETTINGS) : [],
    ),
  ]
  return {
    groups: groups.filter(({ items }) => items.length > 0),
    isLooking: text !== query.text || chats.isFetching || characters.isFetching,
    hasFailed: includesKind(query, 'chat') && chats.isError,
  }
}

export async function readAll(): Promise<void> {
  await Promise.all([chatItems(''), chatItems('a'), import('@/lib/browser/storage/own-characters')])
}

function networkGroups(items: Item[]): FoundGroup[] {
  return [
    { name: t('Networks'), items: items.filter(({ kind }) => kind === 'network') },
    { name: t('Methods'), items: items.filter(({ kind }) => kind === 'method') },
  ]
}

async function chatItems(text: string): Promise<Item[]> {
  if (text === '') {
    const { listConversations } = await import('@/lib/browser/storage/chats')
    const latest = (await listConversations()).slice(0, MAX_CHATS)
    return latest.map(({ id, title }) => ({
      id: `chat-${id}`,
      kind: 'chat',
      name: title || t('Untitled'),
      run: () => goTo(chatHref(id)),
    }))
  }
  const { searchChats } = await import('@/lib/browser/search/search')
  const hits = await searchChats(text)
  return hits.slice(0, MAX_CHATS).map(({ conversationId, title, messageId, snippet }) => ({
    id: `chat-${conversationId}-${messageId ?? ''}`,
    kind: 'chat',
    name: title || t('Untitled'),
    ...(snippet && { note: snippet.map((piece) => piece.text).join('') }),
    run: () => goTo(messageId ? messageHref(conversationId, messageId) : chatHref(conversationId)),
  }))
}

async function characterItems(text: string, signal: AbortSignal): Promise<Item[]> {
  const found = await findCharacters(text, MAX_CHARACTERS, signal)
  return found.map(({ ref, description }) => ({
    id: `character-${ref.id}`,
    kind: 'character',
    name: ref.name,
    note: description,
    run: () => void startWith(ref),
  }))
}

async function startWith(ref: CharacterRef): Promise<void> {
  try {
    const { startWithCharacter } = await import('@/lib/browser/start-character-chat')
    await startWithCharacter(ref)
  } catch {
    showToast({ text: t('Could not start a chat with {name}. Try again.', { name: ref.name }) })
  }
}

const modelItem = (model: ModelCard): Item => ({
  id: `model-${model.id}`,
  kind: 'model',
  name: model.name,
  note: model.price ? t('{price} out', { price: formatPrice(model.price.output) }) : t('free'),
  searchTerms: `${model.id} ${model.badges.join(' ')} ${model.privacy} model`,
  run: () => {
    pickModel(model.id)
    announce(t('Your next message goes to {model}', { model: model.name }))
  },
})

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

function actionItems(): Item[] {
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

const screenItems = (): Item[] => [
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

const settingItems = (): Item[] => [
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
