import 'server-only'
import type {
  CharacterPatch,
  FullCharacter,
  NewCharacter,
  OwnCharacter,
  Visibility,
} from '@/lib/contract/characters/character.schema'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { isUuid, uuid } from '@/lib/contract/ids'
import { getDb } from '@/lib/db/client'
import { forgetCharacter, named } from '@/lib/services/characters/catalogue'
import { shippedCharacters } from '@/lib/services/characters/shipped'
import { slugOf } from '@/lib/services/characters/slug'
import { selectCharacters } from '@/lib/services/characters/statement'
import { windowEnd, windowIsFull, windows } from '@/lib/services/limits/limits'
import { catalogue } from '@/lib/services/models/catalogue'

export const MAX_PER_ACCOUNT = 100
export const MAX_CREATED_PER_HOUR = 20
const HOUR_MS = 3_600_000
const SLUG_ATTEMPTS = 5

type Portrait = { picture?: Uint8Array | null }
export type CharacterToSave = Omit<NewCharacter, 'picture'> & Portrait
export type CharacterChange = Omit<CharacterPatch, 'picture'> & Portrait

export async function listOwn(accountId: string): Promise<OwnCharacter[]> {
  const selected = await selectCharacters({
    callerId: accountId,
    draftsOf: accountId,
    isOwnOnly: true,
    order: 'created_at desc',
    limit: MAX_PER_ACCOUNT,
  })
  return selected.map(({ character, visibility, hasPicture }) => ({ ...character, visibility, hasPicture }))
}

export async function findOwn(slug: string, accountId: string): Promise<FullCharacter | undefined> {
  const [found] = await selectCharacters({
    callerId: accountId,
    draftsOf: accountId,
    isOwnOnly: true,
    where: (bind) => [named(slug, bind)],
  })
  if (!found) return undefined
  const { character, visibility, hasPicture } = found
  const inner = await findInner(character.id)
  return inner && { ...character, visibility, hasPicture, ...inner }
}

export async function takeCreation(accountId: string, nowMs = Date.now()): Promise<void> {
  const endsAtMs = windowEnd(nowMs, HOUR_MS)
  const { isAllowed } = await windows().take(`characters:${accountId}`, MAX_CREATED_PER_HOUR, endsAtMs)
  if (isAllowed) return
  throw windowIsFull(`At most ${MAX_CREATED_PER_HOUR} characters can be made in an hour.`, endsAtMs, nowMs)
}

/**
 * Saves a new character under a slug made from its name.
 * @throws ApiError INVALID_REQUEST when the account has too many, or the model is not there.
 */
export async function createCharacter(accountId: string, given: CharacterToSave): Promise<FullCharacter> {
  assertModel(given.modelId)
  const { bySlug } = await shippedCharacters()
  for (let attempt = 0; attempt < SLUG_ATTEMPTS; attempt++) {
    const slug = slugOf(given.name, attempt > 0)
    if (bySlug.has(slug)) continue
    const outcome = await insert(accountId, slug, given)
    if (outcome === 'full') {
      throw new ApiError(
        'INVALID_REQUEST',
        `An account can have ${MAX_PER_ACCOUNT} characters. Delete one that you no longer need.`,
      )
    }
    const made = outcome === 'saved' ? await findOwn(slug, accountId) : undefined
    if (made) {
      forgetCharacter(made.slug, made.id)
      return made
    }
  }
  throw new ApiError('SERVICE_UNAVAILABLE', 'No free address was found for this name; try again.')
}

/** @returns the character as it is then; undefined when it is not the account's. */
export async function changeCharacter(
  slug: string,
  accountId: string,
  change: CharacterChange,
): Promise<FullCharacter | undefined> {
  if (change.modelId !== undefined) assertModel(change.modelId)
  const columns = columnsOf(change)
  const sets = Object.keys(columns).map((column, index) => `${column} = $${index + 4}`)
  const { query } = await getDb()
  const [changed] = await query<{ id: string; slug: string }>(
    `update "character" set ${[...sets, 'updated_at = now()'].join(', ')} where ${IS_NAMED} and account_id = $3
     returning id::text as id, slug`,
    [...namesOf(slug), accountId, ...Object.values(columns)],
  )
  if (!changed) return undefined
  forgetCharacter(changed.slug, changed.id)
  return findOwn(changed.slug, accountId)
}

export async function deleteCharacter(slug: string, accountId: string): Promise<boolean> {
  const { query } = await getDb()
  const [gone] = await query<{ id: string; slug: string }>(
    `with gone as (
       delete from "character" where ${IS_NAMED} and account_id = $3 returning id, slug
     ), reviews as (
       delete from character_review where character_id in (select id from gone)
     ), uses as (
       delete from character_use where character_id in (select id from gone)
     )
     select id::text as id, slug from gone`,
    [...namesOf(slug), accountId],
  )
  if (gone) forgetCharacter(gone.slug, gone.id)
  return gone !== undefined
}

const IS_NAMED = '(slug = $1 or id = $2::uuid)'
const namesOf = (slug: string) => [slug, isUuid(slug) ? slug : null]

async function insert(accountId: string, slug: string, given: CharacterToSave): Promise<'saved' | 'taken' | 'full'> {
  const columns = { id: uuid(), account_id: accountId, slug, ...columnsOf(given) }
  const values = Object.values(columns)
  const { query } = await getDb()
  const [outcome] = await query<{ count: number; saved: number }>(
    `with own as (
       select count(*)::int as count from "character" where account_id = $2
     ), saved as (
       insert into "character" (${Object.keys(columns).join(', ')})
       select ${values.map((_, index) => `$${index + 1}`).join(', ')} from own where own.count < ${MAX_PER_ACCOUNT}
       on conflict (slug) do nothing returning id
     )
     select own.count, (select count(*)::int from saved) as saved from own`,
    values,
  )
  if (outcome?.saved === 1) return 'saved'
  return outcome && outcome.count >= MAX_PER_ACCOUNT ? 'full' : 'taken'
}

function columnsOf(given: CharacterChange) {
  const all = {
    name: given.name,
    description: given.description,
    prompt: given.prompt,
    greeting: given.greeting,
    context: given.context && JSON.stringify(given.context),
    tags: given.tags,
    categories: given.categories,
    model_id: given.modelId,
    is_adult: given.adult,
    is_web_enabled: given.webEnabled,
    replaces_service_prompt: given.replacesServicePrompt,
    visibility: given.visibility,
    picture: given.picture,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

function assertModel(modelId: string | null): void {
  if (modelId === null || catalogue().byId.get(modelId)?.type === 'text') return
  throw invalidField(['modelId'], 'is no text model of this service')
}

type Inner = Pick<
  FullCharacter,
  'prompt' | 'greeting' | 'context' | 'categories' | 'replacesServicePrompt' | 'chosenModelId'
>

export async function findInner(id: string): Promise<Inner | undefined> {
  const { query } = await getDb()
  const [inner] = await query<Inner>(
    `select prompt, greeting, context, categories, replaces_service_prompt as "replacesServicePrompt",
            model_id as "chosenModelId"
     from "character" where id = $1`,
    [id],
  )
  return inner
}

type WithPortrait = {
  slug: string
  accountId: string
  visibility: Visibility
  picture: Uint8Array | null
}

export async function findOwnPortrait(slug: string): Promise<WithPortrait | undefined> {
  const { query } = await getDb()
  const [found] = await query<WithPortrait>(
    `select slug, account_id::text as "accountId", visibility, picture from "character" where ${IS_NAMED}`,
    namesOf(slug),
  )
  return found
}
