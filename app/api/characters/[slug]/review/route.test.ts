import { describe, expect, test } from 'vitest'
import { PUT as rate, GET as ratings, DELETE as unrate } from '@/app/api/characters/[slug]/review/route'
import { at, characterStage, codeOf, type Headers, made } from '@/app/api/characters/testing/stage'
import { GET as reviews } from '@/app/api/v1/characters/[slug]/reviews/route'
import type { CharacterReview } from '@/lib/contract/characters/character.schema'
import { uuid } from '@/lib/contract/ids'
import { call, client, guest } from '@/lib/services/characters/testing'

const database = await characterStage()

describe('reviews', () => {
  const list = (slug: string, query: string, headers: Headers) =>
    call(reviews, `/api/v1/characters/${slug}/reviews${query}`, { headers, params: { slug } })

  test('are one for each account, which may change it and take it back', async () => {
    const [{ headers }, other] = [await guest(), await guest()]
    const { slug } = await made(headers, { visibility: 'published' })
    const first = await (await at(rate, slug, other.headers, 'PUT', { rating: 2, message: ' Meh\u0000 ' })).json()
    expect(first.data.stats).toEqual({ averageRating: 2, imports: 0, ratingCount: 1, ratingSum: 2, userRating: 2 })
    const second = await (await at(rate, slug, other.headers, 'PUT', { rating: 5 })).json()
    expect(second.data.stats).toMatchObject({ ratingCount: 1, ratingSum: 5, userRating: 5 })
    const listed = await (await list(slug, '', other.headers)).json()
    expect(listed.data).toEqual([
      {
        id: expect.any(String),
        characterId: second.data.id,
        rating: 5,
        message: null,
        locale: null,
        username: expect.stringMatching(/^[a-z0-9]{5}$/),
        userAvatarUrl: null,
        isOwner: true,
        createdAt: expect.stringMatching(/Z$/),
      },
    ])
    const gone = await (await at(unrate, slug, other.headers, 'DELETE')).json()
    expect(gone.data.stats).toMatchObject({ ratingCount: 0, averageRating: 0, userRating: null })
    expect((await at(unrate, slug, other.headers, 'DELETE')).status).toBe(200)
  })

  test('are refused for one’s own, for drafts and for nobody', async () => {
    const [{ headers }, other] = [await guest(), await guest()]
    const { slug } = await made(headers, { visibility: 'published' })
    const draft = await made(headers)
    expect(await codeOf(await at(rate, slug, headers, 'PUT', { rating: 5 }))).toEqual([403, 'UNAUTHORIZED'])
    for (const name of [draft.slug, 'nobody', uuid()]) {
      expect(await codeOf(await at(rate, name, other.headers, 'PUT', { rating: 5 }))).toEqual([
        404,
        'CHARACTER_NOT_FOUND',
      ])
      expect(await codeOf(await list(name, '', other.headers))).toEqual([404, 'CHARACTER_NOT_FOUND'])
    }
  })

  test.each([
    { rating: 0 },
    { rating: 6 },
    { rating: 4.5 },
    { rating: '5' },
    {},
    { rating: 5, message: 'x'.repeat(1_001) },
    { rating: 5, more: 1 },
  ])('are refused when they are none: %j', async (review) => {
    const { headers } = await guest()
    expect(await codeOf(await at(rate, 'code-reviewer', headers, 'PUT', review))).toEqual([400, 'INVALID_REQUEST'])
  })

  test('come newest first in pages, with what the pages need', async () => {
    const { headers } = await guest()
    const reader = await client()
    const { slug, id } = await made(headers, { visibility: 'published' })
    for (let n = 1; n <= 5; n++) {
      const { accountId } = await client()
      await database.query(
        `insert into character_review (id, character_id, account_id, rating, message, created_at)
         values ($1, $2, $3, $4, $5, now() - make_interval(mins => $6))`,
        [uuid(), id, accountId, n, `number ${n}`, n],
      )
    }
    const response = await list(slug, '?page=2&pageSize=2', reader.headers)
    const body = await response.json()
    expect(body).toMatchObject({
      object: 'list',
      pagination: { page: 2, pageSize: 2, total: 5, totalPages: 3 },
      summary: { averageRating: 3, totalReviews: 5 },
    })
    expect(body.data.map(({ message }: CharacterReview) => message)).toEqual(['number 3', 'number 4'])
    expect(body.data.some(({ isOwner }: CharacterReview) => isOwner)).toBe(false)
    expect(
      ['limit', 'page', 'total', 'total-pages'].map((name) => response.headers.get(`x-pagination-${name}`)),
    ).toEqual(['2', '2', '5', '3'])
    expect((await (await list(slug, '', reader.headers)).json()).pagination).toEqual({
      page: 1,
      pageSize: 20,
      total: 5,
      totalPages: 1,
    })
    expect((await (await list(id, '?page=999999999&pageSize=100', reader.headers)).json()).data).toEqual([])
  })

  test('of a character that nobody has rated are an empty page', async () => {
    const reader = await client()
    expect(await (await list('night-gardener', '', reader.headers)).json()).toEqual({
      object: 'list',
      data: [],
      pagination: { page: 1, pageSize: 20, total: 0, totalPages: 0 },
      summary: { averageRating: 0, totalReviews: 0 },
    })
  })

  test.each(['page=0', 'page=x', 'page=-1', 'pageSize=0', 'pageSize=101', 'pageSize=2.5'])(
    'refuse %s',
    async (query) => {
      const reader = await client()
      expect(await codeOf(await list('night-gardener', `?${query}`, reader.headers))).toEqual([400, 'INVALID_REQUEST'])
    },
  )

  test('need credentials', async () => {
    expect(await codeOf(await list('night-gardener', '', {}))).toEqual([401, 'AUTHENTICATION_FAILED'])
  })

  test('shows ratings to everybody, and a person which one is theirs', async () => {
    const { slug } = await made((await guest()).headers, { name: 'Judged', visibility: 'published' })
    const fan = await guest()
    await at(rate, slug, fan.headers, 'PUT', { rating: 4, message: 'Fine.' })
    const seen = async (headers: Headers) =>
      (await (await at(ratings, slug, headers)).json()) as { data: CharacterReview[] }
    expect((await seen({})).data).toMatchObject([{ rating: 4, message: 'Fine.', isOwner: false }])
    expect((await seen(fan.headers)).data).toMatchObject([{ isOwner: true }])
    expect(await codeOf(await at(ratings, 'nobody-at-all', {}))).toEqual([404, 'CHARACTER_NOT_FOUND'])
  })
})
