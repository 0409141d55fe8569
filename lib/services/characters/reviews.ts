import 'server-only'
import type { Character, CharacterReview, NewReview, ReviewQuery } from '@/lib/contract/characters/character.schema'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { getDb } from '@/lib/db/client'
import { findCharacter } from '@/lib/services/characters/catalogue'
import { authorOf } from '@/lib/services/characters/slug'
import { averageOf } from '@/lib/services/characters/statement'

export type ReviewPage = {
  reviews: CharacterReview[]
  total: number
  averageRating: number
}

type Row = {
  id: string
  accountId: string
  rating: number
  message: string | null
  createdAtMs: number
}

export async function listReviews(characterId: string, page: ReviewQuery, callerId: string): Promise<ReviewPage> {
  const { query } = await getDb()
  const [[summary], rows] = await Promise.all([
    query<{ total: number; sum: number }>(
      'select count(*)::int as total, coalesce(sum(rating), 0)::int as sum from character_review where character_id = $1',
      [characterId],
    ),
    query<Row>(
      `select id::text as id, account_id::text as "accountId", rating::int as rating, message,
              (extract(epoch from created_at) * 1000)::float8 as "createdAtMs"
       from character_review where character_id = $1
       order by created_at desc, id desc limit $2::bigint offset $3::bigint`,
      [characterId, page.pageSize, (page.page - 1) * page.pageSize],
    ),
  ])
  const { total, sum } = summary ?? { total: 0, sum: 0 }
  const reviews = rows.map(({ id, accountId, rating, message, createdAtMs }) => ({
    id,
    characterId,
    rating,
    message,
    locale: null,
    username: authorOf(accountId),
    userAvatarUrl: null,
    isOwner: accountId === callerId,
    createdAt: new Date(createdAtMs).toISOString(),
  }))
  return { reviews, total, averageRating: averageOf(sum, total) }
}

/**
 * @returns the character with its new numbers; undefined when it is not there for the caller.
 * @throws ApiError UNAUTHORIZED for one's own.
 */
export async function saveReview(slug: string, accountId: string, review: NewReview): Promise<Character | undefined> {
  const character = await findCharacter(slug, accountId)
  if (!character) return undefined
  const { query } = await getDb()
  const saved = await query(
    `insert into character_review (id, character_id, account_id, rating, message)
     select $1::uuid, $2::uuid, $3::uuid, $4::int, $5::text
     where not exists (select 1 from "character" where id = $2::uuid and account_id = $3::uuid)
     on conflict (character_id, account_id) do update set rating = excluded.rating, message = excluded.message
     returning id`,
    [uuid(), character.id, accountId, review.rating, review.message],
  )
  if (saved.length === 0) throw new ApiError('UNAUTHORIZED', 'You cannot rate your own character.')
  return findCharacter(character.id, accountId)
}

export async function deleteReview(slug: string, accountId: string): Promise<Character | undefined> {
  const character = await findCharacter(slug, accountId)
  if (!character) return undefined
  const { query } = await getDb()
  await query('delete from character_review where character_id = $1 and account_id = $2', [character.id, accountId])
  return findCharacter(character.id, accountId)
}
