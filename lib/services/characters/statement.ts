import 'server-only'
import type { Character } from '@/lib/contract/characters/character.schema'
import { getDb } from '@/lib/db/client'
import { config } from '@/lib/kernel/config'
import { shippedCharacters } from '@/lib/services/characters/shipped'
import { authorOf } from '@/lib/services/characters/slug'
import { catalogue } from '@/lib/services/models/catalogue'

export type Selection = {
  draftsOf?: string
  isOwnOnly?: boolean
  callerId: string
  where?: (bind: Bind) => string[]
  having?: string
  order?: string
  limit?: number
  offset?: number
}

export type Bind = (value: unknown) => string

type Row = {
  id: string
  slug: string
  name: string
  description: string | null
  tags: string[]
  accountId: string | null
  modelId: string
  isAdult: boolean
  isFeatured: boolean
  isWebEnabled: boolean
  visibility: 'draft' | 'published'
  hasPicture: boolean
  ratingCount: number
  ratingSum: number
  imports: number
  userRating: number | null
  createdAtMs: number
  updatedAtMs: number
}

export type Selected = {
  character: Character
  accountId: string | null
  visibility: Row['visibility']
  hasPicture: boolean
}

export const AVERAGE = '(case when rating_count = 0 then 0 else rating_sum::float8 / rating_count end)'

/** Selects characters of files and people in one statement: filtered first, and only what is left is counted. */
export async function selectCharacters(selection: Selection): Promise<Selected[]> {
  const { callerId, draftsOf, isOwnOnly, where, having, order, limit = 1, offset = 0 } = selection
  const [{ rows: shipped }, { query }] = await Promise.all([shippedCharacters(), getDb()])
  const parameters: unknown[] = []
  const bind: Bind = (value) => `$${parameters.push(value)}`
  const models = catalogue().list('text', Date.now())
  const suggested = catalogue().traits('text', Date.now()).get('default')?.id ?? ''
  const files = bind(shipped)
  const known = bind(models.map(({ id }) => id))
  const model = `case when model_id = any(${known}::text[]) then model_id else ${bind(suggested)}::text end`
  const seen = draftsOf === undefined ? `visibility = 'published'` : `account_id = ${bind(draftsOf)}::uuid`
  const conditions = where?.(bind) ?? []
  const rows = await query<Row>(
    `with shipped as (
       select * from jsonb_to_recordset(${files}::text::jsonb) as s(
         id uuid, slug text, name text, description text, tags text[], categories text[], model_id text,
         is_adult boolean, is_featured boolean, is_web_enabled boolean, created_at timestamptz, updated_at timestamptz)
     ), candidate as (
       select *, null::uuid as account_id, 'published' as visibility, false as has_picture from shipped
       where ${isOwnOnly ? 'false' : 'true'}
       union all
       select id, slug, name, description, tags, categories, model_id, is_adult, false, is_web_enabled, created_at,
              updated_at, account_id, visibility, picture is not null
       from "character" c
       where ${seen} and not exists (select 1 from shipped s where s.slug = c.slug or s.id = c.id)
     ), modelled as (
       select *, ${model} as model from candidate
     ), picked as (
       select * from modelled ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
     ), counted as (
       select m.*, r.rating_count, r.rating_sum, u.imports, o.rating as user_rating
       from picked m
       cross join lateral (select count(*)::int as rating_count, coalesce(sum(rating), 0)::int as rating_sum
                           from character_review where character_id = m.id) r
       cross join lateral (select count(*)::int as imports from character_use where character_id = m.id) u
       left join character_review o on o.character_id = m.id and o.account_id = ${bind(callerId)}::uuid
     )
     select id::text as id, slug, name, description, tags, account_id::text as "accountId", model as "modelId",
            is_adult as "isAdult", is_featured as "isFeatured", is_web_enabled as "isWebEnabled", visibility,
            has_picture as "hasPicture", rating_count as "ratingCount", rating_sum as "ratingSum", imports,
            user_rating::int as "userRating",
            (extract(epoch from created_at) * 1000)::float8 as "createdAtMs",
            (extract(epoch from updated_at) * 1000)::float8 as "updatedAtMs"
     from counted
     where ${having ?? 'true'}
     order by ${order ? `${order}, ` : ''}id
     limit ${bind(limit)}::bigint offset ${bind(offset)}::bigint`,
    parameters,
  )
  return rows.map((row) => ({
    character: characterOf(row),
    accountId: row.accountId,
    visibility: row.visibility,
    hasPicture: row.hasPicture,
  }))
}

function characterOf(row: Row): Character {
  const { id, slug, name, description, tags, modelId, ratingCount, ratingSum, imports, userRating } = row
  const { origin } = config()
  return {
    id,
    slug,
    name,
    description,
    author: authorOf(row.accountId),
    adult: row.isAdult,
    featured: row.isFeatured,
    webEnabled: row.isWebEnabled,
    modelId,
    // A changed picture is another address, so that no cache shows the old one.
    photoUrl: `${origin}/api/characters/${slug}/portrait${row.hasPicture ? `?v=${Math.floor(row.updatedAtMs).toString(36)}` : ''}`,
    shareUrl: `${origin}/characters/${slug}`,
    tags,
    stats: { averageRating: averageOf(ratingSum, ratingCount), imports, ratingCount, ratingSum, userRating },
    createdAt: new Date(row.createdAtMs).toISOString(),
    updatedAt: new Date(row.updatedAtMs).toISOString(),
  }
}

export const averageOf = (sum: number, count: number): number =>
  count === 0 ? 0 : Math.round((sum / count) * 100) / 100
