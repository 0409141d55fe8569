import { afterAll, beforeAll, expect, test } from 'vitest'
import { CharacterQuery, NewCharacter } from '@/lib/contract/characters/character.schema'
import { installDatabase } from '@/lib/db/client'
import { realDatabase } from '@/lib/db/testing'
import { characterFor, findCharacter, listCharacters, usesSaved } from '@/lib/services/characters/catalogue'
import {
  changeCharacter,
  createCharacter,
  deleteCharacter,
  findOwn,
  findOwnPortrait,
  listOwn,
  MAX_PER_ACCOUNT,
} from '@/lib/services/characters/own'
import { listReviews, saveReview } from '@/lib/services/characters/reviews'
import { testAccount } from '@/lib/services/identity/testing'
import { installModels, textModel } from '@/lib/services/models/testing/models'

const server = await realDatabase()
const database = await server.open(20)
installDatabase(database)
afterAll(() => installDatabase(undefined))
beforeAll(() => installModels([textModel({ id: 'plain-1', traits: ['default'] })]))

const make = (accountId: string, changes: object = {}) =>
  createCharacter(accountId, {
    ...NewCharacter.parse({ name: 'Same Name', prompt: 'You are {{char}}.', visibility: 'published', ...changes }),
    picture: Buffer.from([0, 1, 2, 255]),
  })

test('twenty that make a character of one name at once get twenty slugs', async () => {
  const accounts = await Promise.all(Array.from({ length: 20 }, () => testAccount()))
  const made = await Promise.all(accounts.map((account) => make(account)))
  expect(new Set(made.map(({ slug }) => slug)).size).toBe(20)
  expect(made.filter(({ slug }) => slug === 'same-name')).toHaveLength(1)
})

test('ten ratings of one account at once are one rating', async () => {
  const { id, slug } = await make(await testAccount())
  const account = await testAccount()
  await Promise.all(
    Array.from({ length: 10 }, (_, n) => saveReview(slug, account, { rating: (n % 5) + 1, message: null })),
  )
  expect((await listReviews(id, { page: 1, pageSize: 20 }, account)).total).toBe(1)
})

test('ten chats of one account at once make one user', async () => {
  const { slug } = await make(await testAccount())
  const account = await testAccount()
  await Promise.all(Array.from({ length: 10 }, () => characterFor(slug, account)))
  await usesSaved()
  expect((await findCharacter(slug, account))?.stats.imports).toBe(1)
})

test('whoever is at the limit stays at it', async () => {
  const account = await testAccount()
  await database.query(
    `insert into "character" (id, account_id, slug, name, prompt)
     select gen_random_uuid(), $1, 'full-' || n, 'Full', 'x' from generate_series(1, $2::int) n`,
    [account, MAX_PER_ACCOUNT],
  )
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => make(account)))
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
})

test('everything is kept on PostgreSQL as it was said', async () => {
  const account = await testAccount()
  const context = [{ role: 'user', content: 'ü "quoted" \\ {a,b}' }] as const
  const made = await make(account, {
    name: 'Kept',
    tags: ['a"b', 'c\\d {x}'],
    categories: ['life'],
    context: [...context],
  })
  expect(made).toMatchObject({ tags: ['a"b', 'c\\d {x}'], categories: ['life'], context, hasPicture: true })
  expect(Buffer.from((await findOwnPortrait(made.slug))?.picture ?? [])).toEqual(Buffer.from([0, 1, 2, 255]))
  expect(await findOwn(made.id, account)).toEqual(made)
  expect((await listOwn(account)).map(({ slug }) => slug)).toEqual([made.slug])
  const changed = await changeCharacter(made.slug, account, { description: 'new', tags: [], picture: null })
  expect(changed).toMatchObject({ description: 'new', tags: [], hasPicture: false, greeting: made.greeting })
  const query = CharacterQuery.parse({ search: 'kept new', isPro: 'false', modelId: 'plain-1', categories: 'life' })
  expect((await listCharacters(query, account)).map(({ id }) => id)).toEqual([made.id])
  expect(await deleteCharacter(made.slug, account)).toBe(true)
})
