import { describe, expect, test } from 'vitest'
import { GET as opening } from '@/app/api/characters/[slug]/opening/route'
import { GET as profile } from '@/app/api/characters/[slug]/profile/route'
import { PUT as rate } from '@/app/api/characters/[slug]/review/route'
import { DELETE, GET, PATCH } from '@/app/api/characters/[slug]/route'
import { GET as mine } from '@/app/api/characters/mine/route'
import { GET as list } from '@/app/api/characters/route'
import { at, characterStage, codeOf, create, type Headers, made } from '@/app/api/characters/testing/stage'
import { GET as publicOne } from '@/app/api/v1/characters/[slug]/route'
import { characterFor } from '@/lib/services/characters/catalogue'
import { MAX_CREATED_PER_HOUR, MAX_PER_ACCOUNT } from '@/lib/services/characters/own'
import { call, client, guest } from '@/lib/services/characters/testing'

const database = await characterStage()

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('a character of one’s own', () => {
  test('is a draft with everything that was said, and its maker sees it all', async () => {
    const { headers } = await guest()
    const said = {
      name: '  Café   Löwe ',
      description: 'Two\r\nlines',
      prompt: 'You are {{char}}.',
      greeting: 'Hello {{user}}!',
      context: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Ho' },
      ],
      tags: ['#Big Cats', 'big cats', 'coffee'],
      categories: ['Life'],
      modelId: 'other-1',
      webEnabled: true,
      replacesServicePrompt: true,
    }
    const response = await create(headers, said)
    const { data } = await response.json()
    expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(data).toMatchObject({
      slug: 'cafe-lowe',
      name: 'Café Löwe',
      description: 'Two\nlines',
      prompt: said.prompt,
      greeting: said.greeting,
      context: said.context,
      tags: ['big cats', 'coffee'],
      categories: ['life'],
      modelId: 'other-1',
      chosenModelId: 'other-1',
      webEnabled: true,
      adult: false,
      featured: false,
      replacesServicePrompt: true,
      visibility: 'draft',
      hasPicture: false,
    })
    expect((await (await at(GET, data.slug, headers)).json()).data).toEqual(data)
    expect((await (await at(GET, data.id, headers)).json()).data).toEqual(data)
    expect((await (await call(mine, '/api/characters/mine', { headers })).json()).data).toEqual([
      expect.objectContaining({ slug: data.slug, visibility: 'draft' }),
    ])
  })

  test('changes where it is told to, and keeps its slug', async () => {
    const { headers } = await guest()
    const before = await made(headers, { greeting: 'Hi', tags: ['a'], description: 'D' })
    const response = await at(PATCH, before.slug, headers, 'PATCH', { name: 'New Name', description: null })
    expect((await response.json()).data).toEqual({
      ...before,
      name: 'New Name',
      description: null,
      updatedAt: expect.any(String),
    })
    const same = await at(PATCH, before.slug, headers, 'PATCH', {})
    expect((await same.json()).data.greeting).toBe('Hi')
  })

  test('is published and taken back', async () => {
    const { headers } = await guest()
    const reader = await client()
    const { slug } = await made(headers)
    const seen = async () => (await at(publicOne, slug, reader.headers)).status
    expect(await seen()).toBe(404)
    await at(PATCH, slug, headers, 'PATCH', { visibility: 'published' })
    expect(await seen()).toBe(200)
    expect(await characterFor(slug, reader.accountId)).toBeDefined()
    await at(PATCH, slug, headers, 'PATCH', { visibility: 'draft' })
    expect(await seen()).toBe(404)
    expect(await characterFor(slug, reader.accountId)).toBeUndefined()
  })

  test('goes with its ratings and users when it is deleted', async () => {
    const [{ headers }, other] = [await guest(), await guest()]
    const { slug, id } = await made(headers, { visibility: 'published' })
    await at(rate, slug, other.headers, 'PUT', { rating: 4 })
    await database.query('insert into character_use values ($1, $2)', [id, other.accountId])
    expect((await at(DELETE, slug, headers, 'DELETE')).status).toBe(200)
    expect(await codeOf(await at(GET, slug, headers))).toEqual([404, 'CHARACTER_NOT_FOUND'])
    for (const table of ['character_review', 'character_use']) {
      expect(await database.query(`select 1 from ${table} where character_id = $1`, [id])).toEqual([])
    }
  })

  test('is there for nobody else: not to read, change or delete, and not by its id', async () => {
    const [{ headers }, other] = [await guest(), await guest()]
    const { slug, id } = await made(headers, { visibility: 'published' })
    for (const name of [slug, id, 'code-reviewer']) {
      expect(await codeOf(await at(GET, name, other.headers))).toEqual([404, 'CHARACTER_NOT_FOUND'])
      expect(await codeOf(await at(PATCH, name, other.headers, 'PATCH', { name: 'Mine' }))).toEqual([
        404,
        'CHARACTER_NOT_FOUND',
      ])
      expect(await codeOf(await at(DELETE, name, other.headers, 'DELETE'))).toEqual([404, 'CHARACTER_NOT_FOUND'])
    }
    expect((await (await at(GET, slug, headers)).json()).data.name).toBe('Test Person')
  })

  test('is made on a page of this origin only', async () => {
    const { headers } = await guest()
    const { headers: keyed } = await client('ADMIN')
    const strangers: Headers[] = [{}, keyed, { ...headers, origin: 'https://evil.example' }]
    for (const stranger of strangers) {
      const body = { name: 'x', prompt: 'y' }
      expect(await codeOf(await create(stranger, body))).toEqual([401, 'AUTHENTICATION_FAILED'])
      expect(await codeOf(await call(mine, '/api/characters/mine', { headers: stranger }))).toEqual([
        401,
        'AUTHENTICATION_FAILED',
      ])
      expect(await codeOf(await at(rate, 'code-reviewer', stranger, 'PUT', { rating: 5 }))).toEqual([
        401,
        'AUTHENTICATION_FAILED',
      ])
    }
  })

  test('is not made by a blocked account', async () => {
    const { headers, accountId } = await guest()
    await database.query(`update account set status = 'disabled' where id = $1`, [accountId])
    const { resetPerProcess } = await import('@/lib/kernel/per-process')
    resetPerProcess('session-lookup')
    expect(await codeOf(await create(headers, { name: 'x', prompt: 'y' }))).toEqual([403, 'API_ACCESS_DISABLED'])
  })

  test.each([
    ['no name', { name: '' }, 'name'],
    ['a name of blanks and marks', { name: ' \u200e\u202e ' }, 'name'],
    ['a long name', { name: 'x'.repeat(81) }, 'name'],
    ['no prompt', { prompt: ' ' }, 'prompt'],
    ['a long prompt', { prompt: 'x'.repeat(20_001) }, 'prompt'],
    ['a long description', { description: 'x'.repeat(1_001) }, 'description'],
    ['a long greeting', { greeting: 'x'.repeat(4_001) }, 'greeting'],
    ['too many tags', { tags: Array.from({ length: 13 }, (_, n) => `t${n}`) }, 'tags'],
    ['a long tag', { tags: ['x'.repeat(41)] }, 'tags'],
    ['a tag with a comma', { tags: ['a,b'] }, 'tags'],
    ['too many messages', { context: Array.from({ length: 21 }, () => ({ role: 'user', content: 'x' })) }, 'context'],
    ['a system message', { context: [{ role: 'system', content: 'x' }] }, 'context'],
    ['an empty message', { context: [{ role: 'user', content: '' }] }, 'context'],
    ['an unknown model', { modelId: 'nothing' }, 'modelId'],
    ['an unknown visibility', { visibility: 'secret' }, 'visibility'],
    ['a picture by address', { picture: 'https://example.com/a.png' }, 'picture'],
    ['a picture that is text', { picture: 'data:text/html,<script>' }, 'picture'],
    ['a picture that is none', { picture: 'data:image/png;base64,AAAA' }, 'picture'],
    ['a picture of one pixel', { picture: PIXEL }, 'picture'],
  ])('with %s is refused by name', async (_, changes, field) => {
    const { headers } = await guest()
    const response = await create(headers, { name: 'Somebody', prompt: 'You.', ...changes })
    const body = await response.json()
    expect([response.status, body.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.issues[0].path[0]).toBe(field)
  })

  test('takes no field that it does not know', async () => {
    const { headers } = await guest()
    expect((await create(headers, { name: 'A', prompt: 'B', featured: true })).status).toBe(400)
    expect((await create(headers, { name: 'A', prompt: 'B', slug: 'code-reviewer' })).status).toBe(400)
  })

  test('gets a slug of its own beside those of others, of files and of pages', async () => {
    const [{ headers }, other] = [await guest(), await guest()]
    const names = [
      'Same Name',
      'Same Name',
      'Code Reviewer',
      'Mine',
      '猫',
      '<script>alert(1)</script>',
      '5b1e4c0a-8a57-4f3c-8a0d-6f0e2f1d9b11',
    ]
    const made1 = await Promise.all(names.map((name) => made(headers, { name })))
    const made2 = await made(other.headers, { name: 'Same Name' })
    const slugs = [...made1, made2].map(({ slug }) => slug)
    expect(new Set(slugs).size).toBe(slugs.length)
    expect(slugs.every((slug) => /^[a-z0-9-]{1,60}$/.test(slug))).toBe(true)
    expect(slugs).not.toContain('code-reviewer')
    expect(slugs).not.toContain('mine')
    expect(slugs[5]).toBe('script-alert-1-script')
    expect(slugs[6]).not.toBe(names[6])
  })

  test('is one of twenty in an hour and one of a hundred in all', async () => {
    const { headers, accountId } = await guest()
    for (let n = 0; n < MAX_CREATED_PER_HOUR; n++) await made(headers)
    const refused = await create(headers, { name: 'One more', prompt: 'x' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await codeOf(refused)).toEqual([429, 'RATE_LIMIT_EXCEEDED'])

    const full = await guest()
    await database.query(
      `insert into "character" (id, account_id, slug, name, prompt)
       select gen_random_uuid(), $1, 'full-' || n, 'Full', 'x' from generate_series(1, $2::int) n`,
      [full.accountId, MAX_PER_ACCOUNT],
    )
    const response = await create(full.headers, { name: 'One more', prompt: 'x' })
    expect([response.status, (await response.json()).error]).toEqual([400, expect.stringContaining('100 characters')])
    expect((await database.query('select 1 from "character" where account_id = $1', [accountId])).length).toBe(20)
  })
})

describe('the opening', () => {
  test('has the names filled in, and is hidden with its character', async () => {
    const [{ headers }, other] = [await guest(), await guest()]
    const { slug } = await made(headers, { greeting: 'I am {{char}}, dear {{ User }}. $& <BOT>' })
    expect(await (await at(opening, slug, headers)).json()).toEqual({
      opening: 'I am Test Person, dear User. $& Test Person',
    })
    expect((await at(opening, slug, other.headers)).status).toBe(404)
    expect((await (await at(opening, 'code-reviewer', other.headers)).json()).opening).toContain('Rook')
  })
})

describe('the gallery', () => {
  const gallery = async (query: string, headers: Headers = {}) =>
    (await (await call(list, `/api/characters?${query}`, { headers })).json()).data as {
      slug: string
      adult: boolean
    }[]

  test('is there for everybody, without a session, and without what is for adults', async () => {
    const { headers } = await guest()
    const adult = await made(headers, { name: 'Gallery Adult', adult: true, visibility: 'published' })
    const draft = await made(headers, { name: 'Gallery Draft' })
    const plain = await made(headers, { name: 'Gallery Plain', visibility: 'published' })
    expect((await gallery('search=gallery')).map(({ slug }) => slug)).toEqual([plain.slug])
    expect((await gallery('search=gallery&isAdult=true')).map(({ slug }) => slug)).toEqual([adult.slug])
    const named = await gallery(`slugs=${plain.slug},${adult.slug},${draft.slug},nobody,%3Cb%3E`)
    expect(named.map(({ slug }) => slug).sort()).toEqual([adult.slug, plain.slug].sort())
    expect(await gallery('slugs=')).toEqual([])
  })
})

describe('the profile', () => {
  test('shows what a character says first and what to begin with, and not its prompt', async () => {
    const maker = await guest()
    const { slug } = await made(maker.headers, {
      name: 'Profiled',
      prompt: 'secret prompt',
      greeting: 'I am {{char}}, {{user}}.',
      context: [
        { role: 'user', content: 'Who are you, {{char}}?' },
        { role: 'assistant', content: 'secret answer' },
        { role: 'user', content: 'x'.repeat(300) },
      ],
      modelId: 'other-1',
      visibility: 'published',
    })
    const response = await at(profile, slug, {})
    const text = await response.text()
    expect(text).not.toContain('secret')
    expect(JSON.parse(text).data).toMatchObject({
      slug,
      greeting: 'I am Profiled, User.',
      openers: ['Who are you, Profiled?'],
      presetModelId: 'other-1',
      promptBytes: 13 + 'Who are you, {{char}}?'.length + 13 + 300,
      isOwn: false,
    })
    expect((await (await at(profile, slug, maker.headers)).json()).data.isOwn).toBe(true)
    expect((await (await at(profile, 'code-reviewer', {})).json()).data).toMatchObject({
      presetModelId: null,
      greeting: expect.stringContaining('Rook'),
    })
    expect(await codeOf(await at(profile, 'nobody-at-all', {}))).toEqual([404, 'CHARACTER_NOT_FOUND'])
  })
})
