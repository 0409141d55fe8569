import { beforeAll, describe, expect, test } from 'vitest'
import { NewCharacter } from '@/lib/contract/characters/character.schema'
import { uuid } from '@/lib/contract/ids'
import { testDatabase } from '@/lib/db/testing'
import { characterFor, usesSaved } from '@/lib/services/characters/catalogue'
import { changeCharacter, createCharacter, deleteCharacter } from '@/lib/services/characters/own'
import { shippedCharacters } from '@/lib/services/characters/shipped'
import { idOfSlug } from '@/lib/services/characters/slug'
import { testAccount } from '@/lib/services/identity/testing'
import { installModels, textModel } from '@/lib/services/models/testing/models'

const database = await testDatabase()
beforeAll(() => installModels([textModel({ id: 'plain-1', traits: ['default'] })]))

const make = (accountId: string, changes: object = {}) =>
  createCharacter(accountId, {
    ...NewCharacter.parse({ name: 'Ann $1', prompt: 'You are {{char}}.', ...changes }),
    picture: null,
  })
const uses = async (id: string) => {
  await usesSaved()
  return (await database.query('select 1 from character_use where character_id = $1', [id])).length
}

describe('a character in a chat', () => {
  test('brings its prompt and examples with the names filled in', async () => {
    const account = await testAccount()
    const { slug, id } = await make(account, {
      prompt: 'You are {{char}}; {{// a note}}<USER> asks {{ CHAR }}.{{comment: more}}',
      context: [{ role: 'user', content: 'I, {{user}}' }],
      replacesServicePrompt: true,
    })
    const expected = {
      slug,
      systemPrompt: 'You are Ann $1; User asks Ann $1.',
      context: [{ role: 'user', content: 'I, User' }],
      replacesServicePrompt: true,
    }
    expect(await characterFor(slug, account)).toEqual(expected)
    expect(await characterFor(id, account)).toEqual(expected)
  })

  test('is told who it is where its card only describes somebody', async () => {
    const account = await testAccount()
    const { slug } = await make(account, { prompt: 'A tall engineer.' })
    expect((await characterFor(slug, account))?.systemPrompt).toBe(
      'You are Ann $1. Answer as Ann $1.\n\nA tall engineer.',
    )
  })

  test('of a file is there for everybody, by slug and id', async () => {
    const account = await testAccount()
    for (const name of ['code-reviewer', idOfSlug('code-reviewer'), idOfSlug('code-reviewer').toUpperCase()]) {
      expect(await characterFor(name, account)).toMatchObject({ slug: 'code-reviewer' })
    }
    for (const { slug } of (await shippedCharacters()).bySlug.values()) {
      expect((await characterFor(slug, account))?.systemPrompt).not.toMatch(/\{\{|You are .*Answer as/)
    }
  })

  test('that is a draft is there for its maker, at once published and gone for others', async () => {
    const [maker, other] = [await testAccount(), await testAccount()]
    const { slug } = await make(maker)
    expect(await characterFor(slug, maker)).toBeDefined()
    expect(await characterFor(slug, other)).toBeUndefined()
    await changeCharacter(slug, maker, { visibility: 'published', prompt: 'You are new.' })
    expect((await characterFor(slug, other))?.systemPrompt).toBe('You are new.')
    await changeCharacter(slug, maker, { visibility: 'draft' })
    expect(await characterFor(slug, other)).toBeUndefined()
    await deleteCharacter(slug, maker)
    expect(await characterFor(slug, maker)).toBeUndefined()
  })

  test('that was asked for before it was there is found once it is', async () => {
    const account = await testAccount()
    expect(await characterFor('early-bird', account)).toBeUndefined()
    await make(account, { name: 'Early Bird' })
    expect(await characterFor('early-bird', account)).toBeDefined()
  })

  test.each(['nobody', '', '../x', '\u0000', 'A'.repeat(10_000), uuid()])('is not there for %.20j', async (slug) => {
    expect(await characterFor(slug, await testAccount())).toBeUndefined()
  })

  test('counts each account once, its maker never', async () => {
    const [maker, one, two] = [await testAccount(), await testAccount(), await testAccount()]
    const { slug, id } = await make(maker, { visibility: 'published' })
    for (const account of [maker, one, one, two]) await characterFor(slug, account)
    await characterFor(id, one)
    expect(await uses(id)).toBe(2)
    const shipped = idOfSlug('night-gardener')
    const before = await uses(shipped)
    for (const account of [one, one, two]) await characterFor('night-gardener', account)
    expect(await uses(shipped)).toBe(before + 2)
  })
})

test('shipped characters keep their ids: links and ratings depend on them', () => {
  expect(idOfSlug('night-gardener')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(idOfSlug('code-reviewer')).toBe('4a603b78-673c-5f27-a02c-91565bfe03c6')
})
