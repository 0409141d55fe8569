import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { fetchJson } from '@/lib/browser/api'
import type { CharacterRef } from '@/lib/browser/storage/records'
import type { SORTS } from '@/lib/contract/characters/bounds'
import type { Character, CharacterProfile, CharacterReview } from '@/lib/contract/characters/schema'

/** The pages' own way to characters: what is published is shown without a session. */
export const CHARACTERS_PATH = '/api/characters'

const PAGE_SIZE = 100
const FRESH_MS = 60_000
/** The service takes as many names at once. */
const MAX_NAMED = 100

/** What the gallery shows. */
export type CharacterFilter = {
  search: string
  /** One of the gallery's categories, or a tag, or neither. */
  category: string
  tag: string
  sortBy: (typeof SORTS)[number]
  isAdult: boolean
}

/** The characters of a filter, a hundred at a time. */
export const galleryQuery = (filter: CharacterFilter) =>
  infiniteQueryOptions({
    queryKey: ['characters', 'gallery', filter],
    queryFn: ({ pageParam, signal }) => fetchCharacters(parametersOf(filter, pageParam), signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < PAGE_SIZE ? undefined : pages.length * PAGE_SIZE),
    staleTime: FRESH_MS,
    // Without a connection it fails at once and can be said so.
    networkMode: 'always',
  })

/** The characters of these slugs, in this order; those that are gone are left out. */
export const namedQuery = (slugs: string[]) =>
  queryOptions({
    queryKey: ['characters', 'named', slugs],
    queryFn: async ({ signal }): Promise<Character[]> => {
      const named = slugs.slice(0, MAX_NAMED)
      if (named.length === 0) return []
      const parameters = new URLSearchParams({ slugs: named.join(','), limit: String(MAX_NAMED) })
      const found = new Map((await fetchCharacters(parameters, signal)).map((character) => [character.slug, character]))
      return named.flatMap((slug) => found.get(slug) ?? [])
    },
    staleTime: FRESH_MS,
    networkMode: 'always',
  })

/** One character with what it says first. */
export const profileQuery = (slug: string) =>
  queryOptions({
    queryKey: ['characters', 'profile', slug],
    queryFn: async ({ signal }): Promise<CharacterProfile> =>
      (await fetchJson<{ data: CharacterProfile }>(`${pathOf(slug)}/profile`, { signal })).data,
    staleTime: FRESH_MS,
    networkMode: 'always',
    retry: false,
  })

export type ReviewList = { data: CharacterReview[]; total: number }

/** The latest ratings of a character. */
export const reviewsQuery = (slug: string) =>
  queryOptions({
    queryKey: ['characters', 'reviews', slug],
    queryFn: ({ signal }) => fetchJson<ReviewList>(`${pathOf(slug)}/review?pageSize=50`, { signal }),
    staleTime: FRESH_MS,
  })

export const pathOf = (slug: string): string => `${CHARACTERS_PATH}/${encodeURIComponent(slug)}`

/** The page of a public character. */
export const characterHref = (slug: string): string => `/characters/${encodeURIComponent(slug)}`

/**
 * Where the picture of a character is, on this very origin: whatever a reply says, no page of ours loads a picture from
 * anywhere else.
 */
export function portraitPath({ slug, photoUrl }: Pick<Character, 'slug' | 'photoUrl'>): string {
  const own = `${pathOf(slug)}/portrait`
  const version = photoUrl && URL.canParse(photoUrl) ? new URL(photoUrl).search : ''
  return own + version
}

/** What a chat keeps of a public character. */
export const refOf = ({ slug, name }: Pick<Character, 'slug' | 'name'>): CharacterRef => ({ id: slug, name })

function parametersOf({ search, category, tag, sortBy, isAdult }: CharacterFilter, offset: number): URLSearchParams {
  return new URLSearchParams({
    limit: String(PAGE_SIZE),
    offset: String(offset),
    sortBy,
    ...(search && { search }),
    ...(category && { categories: category }),
    ...(tag && { tags: tag }),
    ...(isAdult && { isAdult: 'true' }),
  })
}

async function fetchCharacters(parameters: URLSearchParams, signal: AbortSignal): Promise<Character[]> {
  return (await fetchJson<{ data: Character[] }>(`${CHARACTERS_PATH}?${parameters}`, { signal })).data
}
