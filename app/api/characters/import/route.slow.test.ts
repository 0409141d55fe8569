import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { GET as download } from '@/app/api/characters/[slug]/export/route'
import { GET as portrait } from '@/app/api/characters/[slug]/portrait/route'
import { POST } from '@/app/api/characters/import/route'
import { POST as create } from '@/app/api/characters/route'
import { characterStage, type Headers } from '@/app/api/characters/testing/stage'
import { cardInPng, withTexts } from '@/lib/contract/characters/card-png'
import type { FullCharacter } from '@/lib/contract/characters/character.schema'
import { call, guest } from '@/lib/services/characters/testing'

await characterStage()

const send = (headers: Headers, body: unknown, type?: string) =>
  call(POST, '/api/characters/import', {
    method: 'POST',
    headers: { ...headers, ...(type && { 'content-type': type }) },
    body,
  })
const load = (slug: string, query: string, headers: Headers) =>
  call(download, `/api/characters/${slug}/export${query}`, { headers, params: { slug } })
const card = (name: string) => ({
  spec: 'chara_card_v2',
  spec_version: '2.0',
  data: { name, description: `You are ${name}.` },
})
const part = (attributes: string, value: string) =>
  `--x\r\ncontent-disposition: form-data; ${attributes}\r\n\r\n${value}\r\n`
async function image(size = 128): Promise<Buffer> {
  return sharp({ create: { width: size, height: size, channels: 3, background: '#a05020' } })
    .png()
    .toBuffer()
}

/** What a round trip must keep. */
const content = ({
  name,
  description,
  prompt,
  greeting,
  context,
  tags,
  categories,
  webEnabled,
  adult,
  replacesServicePrompt,
  chosenModelId,
}: FullCharacter) => ({
  name,
  description,
  prompt,
  greeting,
  context,
  tags,
  categories,
  webEnabled,
  adult,
  replacesServicePrompt,
  chosenModelId,
})

describe('an import', () => {
  test('takes JSON, a picture, and a form with either, and makes drafts', async () => {
    const { headers } = await guest()
    const file = withTexts(await image(), { chara: JSON.stringify(card('Pia')) })
    const form = new FormData()
    form.set('file', new Blob([JSON.stringify(card('Fay'))]), 'fay.json')
    const answers = [
      await send(headers, card('Jon')),
      await send(headers, file, 'image/png'),
      await send(headers, form),
    ]
    const made = await Promise.all(answers.map(async (answer) => [answer.status, (await answer.json()).data]))
    expect(made).toMatchObject([
      [201, { name: 'Jon', visibility: 'draft', hasPicture: false }],
      [201, { name: 'Pia', visibility: 'draft', hasPicture: true }],
      [201, { name: 'Fay', visibility: 'draft', hasPicture: false }],
    ])
    const shown = await call(portrait, '/', { headers, params: { slug: 'pia' } })
    expect(shown.headers.get('content-type')).toBe('image/webp')
  })

  test('leaves a picture out that cannot be shown, and says so', async () => {
    const { headers } = await guest()
    const file = withTexts(await image(8), { chara: JSON.stringify(card('Tiny')) })
    const body = await (await send(headers, file, 'image/png')).json()
    expect(body).toMatchObject({
      data: { name: 'Tiny', hasPicture: false },
      warnings: [expect.stringContaining('The image could not be read')],
    })
  })

  test.each([
    ['a broken picture', 'image/png', Buffer.from('89504e470d0a1a0a00', 'hex'), 400, 'INVALID_REQUEST'],
    ['no card', 'application/json', '{"hello":1}', 400, 'INVALID_REQUEST'],
    ['broken JSON', 'application/json', '{"hello"', 400, 'INVALID_REQUEST'],
    ['deep JSON', 'application/json', '['.repeat(100_000), 400, 'INVALID_REQUEST'],
    [
      'a form without a file',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n',
      400,
      'INVALID_REQUEST',
    ],
    ['a form that is none', 'multipart/form-data; boundary=x', 'nonsense', 400, 'INVALID_REQUEST'],
    [
      'a form of many parts',
      'multipart/form-data; boundary=x',
      `${part('name="file"; filename="a.json"', JSON.stringify(card('Many')))}${part('name="a"', '1').repeat(64)}--x--\r\n`,
      400,
      'INVALID_REQUEST',
    ],
    ['nothing', 'application/json', '', 400, 'INVALID_REQUEST'],
    ['another type', 'text/plain', 'x', 415, 'INVALID_CONTENT_TYPE'],
    ['too much JSON', 'application/json', `"${'x'.repeat(2_000_001)}"`, 413, 'PAYLOAD_TOO_LARGE'],
    ['too large a picture', 'image/png', new Uint8Array(10_000_001), 413, 'PAYLOAD_TOO_LARGE'],
  ])('refuses %s', async (_, type, body, status, code) => {
    const { headers } = await guest()
    const response = await send(headers, body, type)
    expect([response.status, (await response.json()).code]).toEqual([status, code])
  })

  test('is for pages of this origin', async () => {
    const { headers } = await guest()
    const strangers: Headers[] = [{}, { ...headers, origin: 'https://evil.example' }]
    for (const stranger of strangers) {
      expect((await send(stranger, card('X'))).status).toBe(401)
      expect((await load('code-reviewer', '', stranger)).status).toBe(401)
    }
  })
})

describe('an export', () => {
  const said = {
    name: 'Round Trip',
    description: 'About.',
    prompt: 'You are {{char}}.',
    greeting: 'Hi {{user}}',
    context: [
      { role: 'user', content: 'a\n{{char}}: b' },
      { role: 'assistant', content: 'c' },
    ],
    tags: ['one', 'two'],
    categories: ['life'],
    modelId: 'plain-1',
    webEnabled: true,
    replacesServicePrompt: true,
  }

  test.each(['?format=json&spec=v2', '?format=json&spec=v3', '', '?format=png'])(
    'of %s imports as the same character',
    async (query) => {
      const { headers } = await guest()
      const before = await (await call(create, '/api/characters', { method: 'POST', headers, body: said })).json()
      const file = await load('round-trip', query, headers).then((first) =>
        first.status === 200 ? first : load(before.data.slug, query, headers),
      )
      const type = file.headers.get('content-type') ?? ''
      expect(type).toBe(query.includes('png') ? 'image/png' : 'application/json')
      expect(file.headers.get('content-disposition')).toMatch(
        /^attachment; filename="round-trip[a-z0-9-]*\.(json|png)"$/,
      )
      const after = await (await send(headers, new Uint8Array(await file.arrayBuffer()), type)).json()
      expect(after.warnings).toEqual([])
      expect(content(after.data)).toEqual(content(before.data))
      expect(after.data.hasPicture).toBe(query.includes('png'))
    },
  )

  test('as a picture is a portrait of 512 pixels that holds both versions', async () => {
    const { headers } = await guest()
    const file = await load('code-reviewer', '?format=png', headers)
    const bytes = Buffer.from(await file.arrayBuffer())
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 512, height: 512 })
    expect(JSON.parse(await cardInPng(bytes))).toMatchObject({ spec: 'chara_card_v3', data: { name: 'Rook' } })
    expect(bytes.length).toBeLessThan(300_000)
    expect(bytes.toString('latin1')).toContain('chara\0')
  })

  test('is for the maker while it is a draft, and for everybody once it is published', async () => {
    const [{ headers }, other] = [await guest(), await guest()]
    const draft = await (
      await call(create, '/', { method: 'POST', headers, body: { name: 'Draft One', prompt: 'x' } })
    ).json()
    expect((await load(draft.data.slug, '', headers)).status).toBe(200)
    expect((await load(draft.data.slug, '', other.headers)).status).toBe(404)
    const open = { name: 'Open One', prompt: 'x', visibility: 'published' }
    const published = await (await call(create, '/', { method: 'POST', headers, body: open })).json()
    expect((await load(published.data.slug, '?spec=v2', other.headers)).status).toBe(200)
  })

  test.each(['format=pdf', 'spec=v1', 'spec=V3'])('refuses %s', async (query) => {
    const { headers } = await guest()
    expect((await load('code-reviewer', `?${query}`, headers)).status).toBe(400)
  })
})
