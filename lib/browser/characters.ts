import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { fetchJson } from '@/lib/browser/api'
import { matching } from '@/lib/browser/palette-items'
import { readPreference } from '@/lib/browser/preferences'
import { queryClient } from '@/lib/browser/queries'
import type { CharacterRef, LocalCharacter } from '@/lib/browser/storage/records'
import { fillNames, type SORTS } from '@/lib/contract/characters/character'
import type {
  Character,
  CharacterList,
  CharacterProfile,
  CharacterReview,
} from '@/lib/contract/characters/character.schema'

const CHARACTERS_PATH = '/api/characters'

const PAGE_SIZE = 100
const FRESH_MS = 60_000
const MAX_NAMED = 100

export type CharacterFilter = {
  search: string
  category: string
  tag: string
  sortBy: (typeof SORTS)[number]
  isAdult: boolean
}

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

export const reviewsQuery = (slug: string) =>
  queryOptions({
    queryKey: ['characters', 'reviews', slug],
    queryFn: ({ signal }) => fetchJson<ReviewList>(`${pathOf(slug)}/review?pageSize=50`, { signal }),
    staleTime: FRESH_MS,
  })

export const pathOf = (slug: string): string => `${CHARACTERS_PATH}/${encodeURIComponent(slug)}`

export const characterHref = (slug: string): string => `/characters/${encodeURIComponent(slug)}`

/** Builds a portrait URL on this origin: whatever a reply says, no page loads an image from elsewhere. */
export function portraitPath({ slug, photoUrl }: Pick<Character, 'slug' | 'photoUrl'>): string {
  const own = `${pathOf(slug)}/portrait`
  const version = photoUrl && URL.canParse(photoUrl) ? new URL(photoUrl).search : ''
  return own + version
}

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
  return (await fetchJson<CharacterList>(`${CHARACTERS_PATH}?${parameters}`, { signal })).data
}

type FoundCharacter = { ref: CharacterRef; description: string }

/** Finds characters by a text: those of this browser first, and without a connection only these. */
export async function findCharacters(text: string, max: number, signal: AbortSignal): Promise<FoundCharacter[]> {
  const { listLocal } = await import('@/lib/browser/storage/own-characters')
  const parameters = new URLSearchParams({ limit: String(max), ...(text && { search: text }) })
  const [own, listed] = await Promise.all([listLocal(), fetchCharacters(parameters, signal).catch(() => [])])
  const local = matching(
    own.map(({ id, name, description }) => ({ id, name, note: description })),
    text,
    max,
  )
  return [
    ...local.map(({ id, name, note }) => ({ ref: { id, name, isLocal: true }, description: note })),
    ...listed.map((character) => ({ ref: refOf(character), description: character.description ?? '' })),
  ].slice(0, max)
}

type CharacterPrompt = { slug?: string; systemPrompt?: string; greeting?: string }

type Persona = { name: string; about: string }

export const PERSONA_LIMITS = { name: 80, about: 1_000 } as const

export const readPersona = (): Persona => ({
  name: readPreference('personaName').trim(),
  about: readPreference('persona').trim(),
})

/**
 * Returns what goes out with a message to a character: the slug of a public one; of a local one its prompt, which
 * leaves the device only now.
 * @throws ApiError CHARACTER_NOT_FOUND for a public one that is gone, when its greeting is wanted.
 */
export async function characterPrompt(ref: CharacterRef, { withGreeting = false } = {}): Promise<CharacterPrompt> {
  const persona = readPersona()
  if (!ref.isLocal) {
    const about = personaPrompt(persona)
    const greeting = withGreeting ? (await queryClient().ensureQueryData(profileQuery(ref.id))).greeting : undefined
    return { slug: ref.id, ...(about && { systemPrompt: about }), ...(greeting !== undefined && { greeting }) }
  }
  // The database is loaded when a local character is first asked, and not with the page.
  const { findLocal } = await import('@/lib/browser/storage/own-characters')
  const character = await findLocal(ref.id)
  return character ? localPrompt(character, persona) : {}
}

export function localPrompt(
  { name, systemPrompt, greeting }: Pick<LocalCharacter, 'name' | 'systemPrompt' | 'greeting'>,
  persona: Persona,
): CharacterPrompt {
  const text = fillNames(systemPrompt, name, persona.name)
  // Many cards only describe somebody; a model must be told that this is who it is.
  const role = /\byou are\b/i.test(text.slice(0, 400)) ? text : `You are ${name}. Answer as ${name}.\n\n${text}`.trim()
  const about = personaPrompt(persona)
  return { systemPrompt: about ? `${role}\n\n${about}` : role, greeting: fillNames(greeting, name, persona.name) }
}

function personaPrompt({ name, about }: Persona): string {
  const lines = [name && `The person you are talking to is called ${name}.`, about && `About them: ${about}`]
  return lines.filter(Boolean).join(' ')
}
