import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { actionItems, screenItems, settingItems } from '@/components/palette/actions'
import { announce } from '@/components/ui/announcer'
import { showToast } from '@/components/ui/toast'
import { goTo } from '@/lib/browser/commands'
import { formatPrice } from '@/lib/browser/format/cost'
import type { ModelCard } from '@/lib/browser/models'
import { chatHref, messageHref } from '@/lib/browser/navigation'
import type { NetworkSearch } from '@/lib/browser/network-search'
import { type Asked, asksFor, type Item, matching } from '@/lib/browser/palette-items'
import { modelsQuery } from '@/lib/browser/queries'
import type { CharacterRef } from '@/lib/browser/storage/records'
import { pickModel } from '@/lib/browser/wanted-model'
import type { CharacterList } from '@/lib/contract/characters/character.schema'
import { t } from '@/lib/i18n/t'

export type FoundGroup = { name: string; items: Item[] }

const MAX_CHATS = 8
const MAX_ACTIONS = 12
const MAX_MODELS = 8
const MAX_CHARACTERS = 8
const MAX_SETTINGS = 6
const CHARACTERS_FRESH_MS = 60_000

export function useFound(
  asked: Asked,
  searchNetworks: NetworkSearch,
): { groups: FoundGroup[]; isLooking: boolean; hasFailed: boolean } {
  const text = useDeferredValue(asked.text)
  const isNarrow = asked.kinds !== undefined
  const chats = useQuery({
    queryKey: ['palette', 'chats', text],
    queryFn: () => chatItems(text),
    enabled: asksFor(asked, 'chat'),
    networkMode: 'always',
    staleTime: 0,
    gcTime: 0,
    placeholderData: (before) => before,
  })
  const characters = useQuery({
    queryKey: ['palette', 'characters', text],
    queryFn: ({ signal }) => characterItems(text, signal),
    enabled: asksFor(asked, 'character') && (text !== '' || isNarrow),
    networkMode: 'always',
    staleTime: CHARACTERS_FRESH_MS,
    retry: false,
    placeholderData: (before) => before,
  })
  const models = useQuery({ ...modelsQuery(), enabled: asksFor(asked, 'model') })
  const isEmpty = text === ''
  // Chats stand first: what Enter takes would move away under a person's hands if they came later.
  if (isEmpty && asksFor(asked, 'chat') && chats.isPending) return { groups: [], isLooking: true, hasFailed: false }
  const group = (name: string, items: Item[] | undefined): FoundGroup => ({ name, items: items ?? [] })
  const groups = [
    group(isEmpty ? t('Recent chats') : t('Chats'), asksFor(asked, 'chat') ? chats.data : []),
    group(t('Actions'), asksFor(asked, 'action') ? matching(actionItems(), text, isNarrow ? 40 : MAX_ACTIONS) : []),
    group(t('Pages'), asksFor(asked, 'screen') ? matching(screenItems(), text, MAX_ACTIONS) : []),
    group(
      t('Models'),
      asksFor(asked, 'model') && !isEmpty ? matching((models.data ?? []).map(modelItem), text, MAX_MODELS) : [],
    ),
    group(t('Characters'), asksFor(asked, 'character') && (!isEmpty || isNarrow) ? characters.data : []),
    ...(asksFor(asked, 'network') && (!isEmpty || isNarrow) ? networkGroups(searchNetworks(text)) : []),
    group(t('Settings'), asksFor(asked, 'setting') && !isEmpty ? matching(settingItems(), text, MAX_SETTINGS) : []),
  ]
  return {
    groups: groups.filter(({ items }) => items.length > 0),
    isLooking: text !== asked.text || chats.isFetching || characters.isFetching,
    hasFailed: asksFor(asked, 'chat') && chats.isError,
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
  const [{ listLocal }, { fetchJson }] = await Promise.all([
    import('@/lib/browser/storage/own-characters'),
    import('@/lib/browser/api'),
  ])
  const parameters = new URLSearchParams({ limit: String(MAX_CHARACTERS), ...(text && { search: text }) })
  const [own, listed] = await Promise.all([
    listLocal(),
    fetchJson<CharacterList>(`/api/characters?${parameters}`, { signal }).catch(() => ({ data: [] })),
  ])
  const local = own.map((one) => characterItem({ id: one.id, name: one.name, isLocal: true }, one.description))
  const found = listed.data.map((one) => characterItem({ id: one.slug, name: one.name }, one.description ?? ''))
  return [...matching(local, text, MAX_CHARACTERS), ...found].slice(0, MAX_CHARACTERS)
}

const characterItem = (ref: CharacterRef, about: string): Item => ({
  id: `character-${ref.id}`,
  kind: 'character',
  name: ref.name,
  note: about,
  run: () => void startWith(ref),
})

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
