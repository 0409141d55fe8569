import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { fetchJson } from '@/lib/browser/api'
import { readPreference } from '@/lib/browser/preferences'
import { queryClient } from '@/lib/browser/queries'
import type { CharacterRef, LocalCharacter } from '@/lib/browser/storage/records'
import type { SORTS } from '@/lib/contract/characters/character'
import { fillNames } from '@/lib/contract/characters/character'
import type { Character, CharacterProfile, CharacterReview } from '@/lib/contract/characters/character.schema'

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

/** What a character brings into a request. */
type CharacterWords = {
  /** Of a public one: the service adds its prompt by this name. */
  slug?: string
  /** Goes before the chat's own system prompt: a local character's, and who the person is. */
  systemPrompt?: string
  /** What it says first in a new chat. */
  greeting?: string
}

/** Who a person is to characters: a name for `{{user}}`, and some words about them. Kept in this browser. */
type Persona = { name: string; about: string }

/** What a person may say of themselves. */
export const PERSONA_LIMITS = { name: 80, about: 1_000 } as const

export const readPersona = (): Persona => ({
  name: readPreference('personaName').trim(),
  about: readPreference('persona').trim(),
})

/**
 * What goes out with a question to a character. A public one is asked by its slug; one of this browser by its words, which
 * leave the device with the question and not before.
 *
 * @throws ApiError CHARACTER_NOT_FOUND for a public one that is gone, when its greeting is wanted.
 */
export async function characterPrompt(ref: CharacterRef, { withGreeting = false } = {}): Promise<CharacterWords> {
  const persona = readPersona()
  if (!ref.isLocal) {
    const about = personaPrompt(persona)
    const greeting = withGreeting ? (await queryClient().ensureQueryData(profileQuery(ref.id))).greeting : undefined
    return { slug: ref.id, ...(about && { systemPrompt: about }), ...(greeting !== undefined && { greeting }) }
  }
  // The database is loaded when a local character is first asked, and not with the page.
  const { findLocal } = await import('@/lib/browser/storage/own-characters')
  const character = await findLocal(ref.id)
  return character ? localWords(character, persona) : {}
}

/** The words of a character of this browser, with the names filled in. */
export function localWords(
  { name, systemPrompt, greeting }: Pick<LocalCharacter, 'name' | 'systemPrompt' | 'greeting'>,
  persona: Persona,
): CharacterWords {
  const text = fillNames(systemPrompt, name, persona.name)
  // Many cards only describe somebody; a model must be told that this is who it is.
  const role = /\byou are\b/i.test(text.slice(0, 400)) ? text : `You are ${name}. Answer as ${name}.\n\n${text}`.trim()
  const about = personaPrompt(persona)
  return {
    systemPrompt: about ? `${role}\n\n${about}` : role,
    greeting: fillNames(greeting, name, persona.name),
  }
}

function personaPrompt({ name, about }: Persona): string {
  const lines = [name && `The person you are talking to is called ${name}.`, about && `About them: ${about}`]
  return lines.filter(Boolean).join(' ')
}
