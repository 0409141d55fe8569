import { queryOptions } from '@tanstack/react-query'
import { fetchJson } from '@/lib/browser/api'
import { CHARACTERS_PATH, refOf } from '@/lib/browser/character-queries'
import type { CharacterRef } from '@/lib/browser/storage/records'
import type { Character } from '@/lib/contract/characters/schema'

const FRESH_MS = 60_000
const MOST = 6

export type MentionedCharacter = { ref: CharacterRef; description: string }

/** The characters whose name holds a word: those of this browser first, then those of the service. */
export const charactersNamed = (query: string) =>
  queryOptions({
    queryKey: ['characters', 'mentioned', query],
    queryFn: async ({ signal }): Promise<MentionedCharacter[]> => {
      const [own, others] = await Promise.all([
        ownCharacters(query),
        // Without a connection there are still those of this browser.
        serviceCharacters(query, signal).catch(() => []),
      ])
      return [...own, ...others]
    },
    staleTime: FRESH_MS,
  })

async function ownCharacters(query: string): Promise<MentionedCharacter[]> {
  const { db } = await import('@/lib/browser/storage/database')
  const wanted = query.toLowerCase()
  const all = await db.characters
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .limit(MOST)
    .toArray()
  return all.map(({ id, name, description }) => ({ ref: { id, name, isLocal: true }, description }))
}

async function serviceCharacters(query: string, signal: AbortSignal): Promise<MentionedCharacter[]> {
  const search = new URLSearchParams({ limit: String(MOST), ...(query && { search: query }) })
  const { data } = await fetchJson<{ data: Character[] }>(`${CHARACTERS_PATH}?${search}`, { signal })
  return data.map((character) => ({ ref: refOf(character), description: character.description ?? '' }))
}
