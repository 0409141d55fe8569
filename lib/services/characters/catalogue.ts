import 'server-only'
import { resolveMacros } from '@/lib/contract/characters/character'
import type { Character, CharacterMessage, GalleryQuery } from '@/lib/contract/characters/character.schema'
import { isUuid } from '@/lib/contract/ids'
import { getDb } from '@/lib/db/client'
import { BoundedCache } from '@/lib/kernel/expiring-maps'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import { findShipped, type ShippedCharacter } from '@/lib/services/characters/shipped'
import { isSlug } from '@/lib/services/characters/slug'
import { AVERAGE, type Bind, selectCharacters } from '@/lib/services/characters/statement'
import { catalogue } from '@/lib/services/models/catalogue'

export type CharacterPrompt = {
  slug: string
  systemPrompt: string
  context: { role: 'user' | 'assistant'; content: string }[]
  replacesServicePrompt: boolean
}

const TTL_MS = 5_000
const MAX_CACHED = 500
const MIN_RATINGS = 2
const MIN_AVERAGE = 3

/**
 * Returns what a character adds to a chat of this account, by slug or id, and counts the account as a user of it. Its
 * maker may use drafts; for everybody else an unpublished character does not exist.
 */
export async function characterFor(slug: string, accountId: string): Promise<CharacterPrompt | undefined> {
  const found = await findFor(slug, accountId)
  if (!found) return undefined
  if (ownerOf(found) !== accountId) noteUse(found.id, accountId)
  return promptOf(found)
}

export async function openingOf(slug: string, accountId: string): Promise<string | undefined> {
  const found = await findFor(slug, accountId)
  return found && resolveMacros(found.greeting, found.name)
}

async function findFor(slug: string, accountId: string): Promise<ShippedCharacter | Made | undefined> {
  const found = (await findShipped(slug)) ?? (await findMade(slug))
  const isHidden = found && 'visibility' in found && found.visibility === 'draft' && found.accountId !== accountId
  return isHidden ? undefined : found
}

const ownerOf = (found: ShippedCharacter | Made) => ('accountId' in found ? found.accountId : undefined)

export async function findCharacter(slug: string, callerId: string): Promise<Character | undefined> {
  const [found] = await selectCharacters({ callerId, where: (bind) => [named(slug, bind)] })
  return found?.character
}

export async function listCharacters(query: GalleryQuery, callerId: string): Promise<Character[]> {
  const { sortBy, sortOrder, limit, offset } = query
  const { by, having } = SORTING[sortBy]
  const selected = await selectCharacters({
    callerId,
    where: (bind) => conditions(query, bind),
    having,
    order: [`${by} ${sortOrder}`, ...TIE_BREAKERS].join(', '),
    limit,
    offset,
  })
  return selected.map(({ character }) => character)
}

export function named(slug: string, bind: Bind): string {
  if (isUuid(slug)) return `id = ${bind(slug)}::uuid`
  return isSlug(slug) ? `slug = ${bind(slug)}` : 'false'
}

export function forgetCharacter(slug: string, id: string): void {
  cache().delete(slug)
  cache().delete(id)
}

const SORTING: Record<GalleryQuery['sortBy'], { by: string; having?: string }> = {
  featured: { by: 'imports', having: 'is_featured' },
  highestRating: { by: AVERAGE },
  highlyRated: { by: AVERAGE, having: `rating_count >= ${MIN_RATINGS}` },
  highlyRatedAndRecent: { by: 'created_at', having: `${AVERAGE} >= ${MIN_AVERAGE}` },
  imports: { by: 'imports' },
  mostRecent: { by: 'created_at' },
  ratingCount: { by: 'rating_count' },
}
/** The id decides last, so that pages never overlap. */
const TIE_BREAKERS = ['is_featured desc', 'imports desc', 'lower(name)']

function conditions(query: GalleryQuery, bind: Bind): string[] {
  const { categories, tags, modelId, isPro, isWebEnabled, slugs } = query
  // Whoever names characters knows what they are.
  const isAdult = query.isAdult ?? (slugs ? undefined : false)
  const all = searchConditions(query.search, bind)
  if (isAdult !== undefined) all.push(`is_adult = ${bind(isAdult)}::boolean`)
  if (slugs) all.push(`slug = any(${bind(slugs)}::text[])`)
  if (categories?.length) all.push(`categories && ${bind(categories)}::text[]`)
  if (tags?.length) all.push(`tags && ${bind(tags)}::text[]`)
  if (modelId?.length) all.push(`model = any(${bind(modelId)}::text[])`)
  if (isWebEnabled !== undefined) all.push(`is_web_enabled = ${bind(isWebEnabled)}::boolean`)
  if (isPro !== undefined) all.push(`(model = any(${bind(proModels())}::text[])) = ${bind(isPro)}::boolean`)
  return all
}

function searchConditions(search: string, bind: Bind): string[] {
  const terms = search.split(/\s+/).filter(Boolean)
  const tags = terms.filter((word) => word.startsWith('#')).map((word) => word.replace(/^#+/, '').toLowerCase())
  const plain = terms.filter((word) => !word.startsWith('#'))
  const all: string[] = []
  if (plain.length > 0) {
    const text = `name || E'\\n' || coalesce(description, '') || E'\\n' || array_to_string(tags, E'\\n')`
    all.push(`(${text}) ilike all(${bind(plain.map((word) => `%${escapeLike(word)}%`))}::text[])`)
  }
  for (const tag of tags.filter(Boolean)) {
    all.push(`exists (select 1 from unnest(tags) as t(tag) where tag like ${bind(`${escapeLike(tag)}%`)})`)
  }
  return all
}

const escapeLike = (word: string): string => word.replace(/[\\%_]/g, '\\$&')

const proModels = (): string[] =>
  catalogue()
    .list('text', Date.now())
    .filter(({ access }) => access === 'pro')
    .map(({ id }) => id)

type Made = {
  id: string
  slug: string
  accountId: string
  name: string
  prompt: string
  greeting: string
  context: CharacterMessage[]
  visibility: 'draft' | 'published'
  replacesServicePrompt: boolean
}

const cache = () => perProcess('made-characters', () => new BoundedCache<string, Made | 'none'>(MAX_CACHED, TTL_MS))

async function findMade(slug: string): Promise<Made | undefined> {
  if (!isSlug(slug)) return undefined
  const known = cache().get(slug, Date.now())
  if (known !== undefined) return known === 'none' ? undefined : known
  const { query } = await getDb()
  const [found] = await query<Made>(
    `select id::text as id, slug, account_id::text as "accountId", name, prompt, greeting, context, visibility,
            replaces_service_prompt as "replacesServicePrompt"
     from "character" where ${isUuid(slug) ? 'id = $1::uuid' : 'slug = $1'}`,
    [slug],
  )
  cache().set(slug, found ?? 'none', Date.now())
  return found
}

type Speaking = Pick<Made, 'slug' | 'name' | 'prompt' | 'context' | 'replacesServicePrompt'>

function promptOf({ slug, name, prompt, context, replacesServicePrompt }: Speaking): CharacterPrompt {
  const text = resolveMacros(prompt, name)
  return {
    slug,
    // Many cards only describe somebody; a model must be told that this is who it is.
    systemPrompt: /\byou are\b/i.test(text.slice(0, 400)) ? text : `You are ${name}. Answer as ${name}.\n\n${text}`,
    context: context.map(({ role, content }) => ({ role, content: resolveMacros(content, name) })),
    replacesServicePrompt,
  }
}

const MAX_KNOWN = 20_000
const MAX_WRITING = 50

type Uses = { known: Set<string>; writing: Set<Promise<void>> }

const uses = (): Uses => perProcess('character-uses', () => ({ known: new Set(), writing: new Set() }))

function noteUse(characterId: string, accountId: string): void {
  const { known, writing } = uses()
  const pair = `${characterId} ${accountId}`
  if (known.has(pair) || writing.size >= MAX_WRITING) return
  known.add(pair)
  if (known.size > MAX_KNOWN) known.delete(known.values().next().value as string)
  const write = save(characterId, accountId)
    .catch((error: unknown) => {
      known.delete(pair)
      log().warn({ err: error }, 'the use of a character could not be saved')
    })
    .finally(() => writing.delete(write))
  writing.add(write)
}

export async function usesSaved(): Promise<void> {
  await Promise.all(uses().writing)
}

async function save(characterId: string, accountId: string): Promise<void> {
  const { query } = await getDb()
  await query(
    'insert into character_use (character_id, account_id) values ($1, $2) on conflict (character_id, account_id) do nothing',
    [characterId, accountId],
  )
}
