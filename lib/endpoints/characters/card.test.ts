import { crc32, deflateSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { cardOf, type Exported, exampleMessages, exampleText } from '@/lib/contract/characters/card'
import type { CardError } from '@/lib/contract/characters/card-png'
import { cardInPng, withTexts } from '@/lib/contract/characters/card-png'
import { NewCharacter } from '@/lib/contract/characters/character.schema'
import { parseCard, readCard } from '@/lib/endpoints/characters/card'
import { shippedCharacters } from '@/lib/services/characters/shipped'
import { installModels, textModel } from '@/lib/services/models/testing/models'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

function chunk(type: string, data: Buffer, checksum?: number): Buffer {
  const frame = Buffer.alloc(12 + data.length)
  frame.writeUInt32BE(data.length, 0)
  frame.write(type, 4, 'latin1')
  data.copy(frame, 8)
  frame.writeUInt32BE(checksum ?? crc32(frame.subarray(4, 8 + data.length)), 8 + data.length)
  return frame
}
/** A PNG of one pixel with these chunks before its pixels. */
function png(...chunks: Buffer[]): Buffer {
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])
  const pixels = deflateSync(Buffer.from([0, 0]))
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    ...chunks,
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
const base64 = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64')
const tEXt = (keyword: string, text: string) => chunk('tEXt', Buffer.from(`${keyword}\0${text}`, 'latin1'))
const zTXt = (keyword: string, packed: Buffer) => chunk('zTXt', Buffer.concat([Buffer.from(`${keyword}\0\0`), packed]))

const V2 = (data: object) => ({ spec: 'chara_card_v2', spec_version: '2.0', data: { name: 'Ada', ...data } })
const V3 = (data: object) => ({ spec: 'chara_card_v3', spec_version: '3.0', data: { name: 'Ada', ...data } })

const refusal = async (read: Promise<unknown> | (() => unknown)): Promise<CardError['reason']> => {
  const error = await (typeof read === 'function' ? Promise.resolve().then(read) : read).then(
    () => undefined,
    (caught: unknown) => caught,
  )
  expect(error).toMatchObject({ name: 'CardError' })
  return (error as CardError).reason
}

const COMPLETE: Exported = {
  name: 'Zoë & Co. "<b>"',
  description: 'Line one\nline two',
  author: 'ab1c2',
  prompt: 'You are {{char}}.\n\nBe kind to {{user}}. 🎈',
  greeting: 'Hello, {{user}}!',
  context: [
    { role: 'user', content: 'first\n{{char}}: a trap on its own line' },
    { role: 'assistant', content: 'second\n<START>\nthird' },
  ],
  tags: ['a b', 'ü'],
  categories: ['life'],
  modelId: 'plain-1',
  webEnabled: true,
  adult: true,
  replacesServicePrompt: false,
  createdAt: '2026-09-01T00:00:00.000Z',
  updatedAt: '2026-09-02T00:00:00.000Z',
}
const { author, createdAt, updatedAt, ...said } = COMPLETE
const EXPECTED = NewCharacter.parse(said)

beforeAll(() => installModels([textModel({ id: 'plain-1', traits: ['default'] })]))

describe('a card of ours', () => {
  test.each(['v2', 'v3'] as const)('of version %s comes back as it was, as JSON and in a picture', async (spec) => {
    for (const replacesServicePrompt of [false, true]) {
      const card = cardOf({ ...COMPLETE, replacesServicePrompt }, spec)
      const expected = { character: { ...EXPECTED, replacesServicePrompt }, warnings: [] }
      const json = JSON.stringify(card)
      expect(parseCard(JSON.parse(json))).toEqual(expected)
      expect(await readCard(Buffer.from(json))).toEqual(expected)
      expect(await readCard(withTexts(png(), { [spec === 'v2' ? 'chara' : 'ccv3']: json }))).toEqual(expected)
    }
  })

  test('has what frontends look for', () => {
    const v2 = cardOf(COMPLETE, 'v2')
    expect(v2).toMatchObject({
      spec: 'chara_card_v2',
      spec_version: '2.0',
      data: {
        name: COMPLETE.name,
        description: COMPLETE.prompt,
        system_prompt: '',
        first_mes: COMPLETE.greeting,
        creator_notes: COMPLETE.description,
        alternate_greetings: [],
        tags: COMPLETE.tags,
      },
    })
    expect(cardOf({ ...COMPLETE, replacesServicePrompt: true }, 'v3')).toMatchObject({
      spec: 'chara_card_v3',
      data: { description: '', system_prompt: COMPLETE.prompt, group_only_greetings: [], creation_date: 1_788_220_800 },
    })
  })

  test('whose examples were edited elsewhere has the edited ones', () => {
    const card = JSON.parse(JSON.stringify(cardOf(COMPLETE, 'v3')))
    card.data.mes_example = '<START>\n{{user}}: New\n{{char}}: Words'
    expect(parseCard(card).character.context).toEqual([
      { role: 'user', content: 'New' },
      { role: 'assistant', content: 'Words' },
    ])
  })

  test('every shipped character goes out and comes back', async () => {
    for (const shipped of (await shippedCharacters()).bySlug.values()) {
      const { character, warnings } = parseCard(JSON.parse(JSON.stringify(cardOf({ ...shipped, author: 'x' }, 'v2'))))
      const { prompt, greeting, context, tags, categories, webEnabled, replacesServicePrompt } = shipped
      expect(warnings).toEqual([])
      expect(character).toMatchObject({
        prompt,
        greeting,
        context,
        tags,
        categories,
        webEnabled,
        replacesServicePrompt,
      })
    }
  })
})

describe('a card from elsewhere', () => {
  test('becomes one prompt: instructions, who it is, what always holds of its book', () => {
    const { character } = parseCard(
      V2({
        system_prompt: '{{original}} Write as {{char}}.',
        description: '{{char}} is an engineer.',
        personality: 'exact',
        scenario: 'A long train ride.',
        first_mes: 'All aboard, {{user}}.',
        mes_example: '<START>\n{{user}}: Hi\n{{char}}: Ho\nand ho\n<start>\n<USER>: Bye\n<BOT>: Farewell',
        creator_notes: 'For people who like trains.',
        post_history_instructions: 'Stay short.',
        tags: ['Trains', 'trains', 7, '#Steam'],
        character_book: {
          entries: [
            { keys: [], content: 'Second fact.', constant: true, enabled: true, insertion_order: 2 },
            { keys: ['x'], content: 'Only sometimes.', enabled: true, insertion_order: 0 },
            { keys: [], content: 'Switched off.', constant: true, enabled: false, insertion_order: 0 },
            { keys: [], content: 'First fact.', constant: true, enabled: true, insertion_order: 1 },
            'nonsense',
          ],
        },
        extensions: { other: { tool: true } },
      }),
    )
    expect(character).toMatchObject({
      name: 'Ada',
      description: 'For people who like trains.',
      prompt: [
        'Write as {{char}}.',
        '{{char}} is an engineer.',
        'Personality: exact',
        'Scenario: A long train ride.',
        'First fact.',
        'Second fact.',
        'Stay short.',
      ].join('\n\n'),
      greeting: 'All aboard, {{user}}.',
      context: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Ho\nand ho' },
        { role: 'user', content: 'Bye' },
        { role: 'assistant', content: 'Farewell' },
      ],
      tags: ['trains', 'steam'],
      replacesServicePrompt: false,
      visibility: 'draft',
      adult: false,
      modelId: null,
    })
  })

  test('keeps its system prompt in place of the service’s when it does not ask for that one', () => {
    expect(parseCard(V3({ system_prompt: 'Mine.', description: 'x' })).character.replacesServicePrompt).toBe(true)
    expect(parseCard(V3({ system_prompt: ' ', description: 'x' })).character.replacesServicePrompt).toBe(false)
  })

  test('of version 3 speaks under its nickname', () => {
    expect(parseCard(V3({ nickname: 'Addie $&', first_mes: 'I am {{Char}}.' })).character.greeting).toBe(
      'I am Addie $&.',
    )
  })

  test('of version 1 is read, too', () => {
    const card = { name: 'Old', description: 'D', personality: '', scenario: '', first_mes: 'F', mes_example: '' }
    expect(parseCard(card).character).toMatchObject({ name: 'Old', prompt: 'D', greeting: 'F' })
  })

  test('may leave out or empty nearly everything', () => {
    expect(
      parseCard(V2({ description: null, tags: null, character_book: null, extensions: null })).character,
    ).toMatchObject({
      prompt: 'You are Ada.',
      greeting: '',
      tags: [],
    })
    expect(parseCard(V2({ character_book: 'x', extensions: [], tags: ['nsfw'] })).character.adult).toBe(true)
  })

  test('is cut where it is too long, and says so', () => {
    const long = `${'x'.repeat(19_999)}😀${'y'.repeat(100_000)}`
    const { character, warnings } = parseCard(
      V2({
        name: 'n'.repeat(200),
        description: long,
        first_mes: long,
        creator_notes: long,
        mes_example: Array.from({ length: 30 }, (_, n) => `{{user}}: ${n}`).join('\n'),
        tags: Array.from({ length: 50 }, (_, n) => `${'t'.repeat(60)}${n},`),
      }),
    )
    expect(character.name).toHaveLength(80)
    expect(character.prompt).toBe('x'.repeat(19_999))
    expect(character.greeting).toHaveLength(4_000)
    expect(character.context).toHaveLength(20)
    expect(warnings).toHaveLength(4)
  })

  test('loses what is invisible and turns text around, and keeps scripts of every kind as text', () => {
    const { character } = parseCard(
      V2({
        name: '\u202eAda\u0000 <img src=x onerror=alert(1)>\u2067',
        description: 'שלום עולם\r\n\ud800مرحبا 👩‍🚀',
      }),
    )
    expect(character.name).toBe('Ada <img src=x onerror=alert(1)>')
    expect(character.prompt).toBe('שלום עולם\n\ufffdمرحبا 👩‍🚀')
  })

  test.each([
    ['null', null],
    ['a list', []],
    ['an empty object', {}],
    ['a text', 'card'],
    ['another spec', { spec: 'chara_card_v9', spec_version: '9', data: { name: 'x' } }],
    ['no data', { spec: 'chara_card_v2', spec_version: '2.0' }],
    ['a name that is no text', { spec: 'chara_card_v2', data: { name: { a: 1 } } }],
    ['a name that is empty', V2({ name: ' \u200e ' })],
    ['a prompt that is no text', V2({ description: ['x'] })],
    ['version 1 without what it needs', { name: 'x' }],
  ])('with %s is none', async (_, card) => {
    expect(await refusal(() => parseCard(card))).toBe('unsupported')
  })

  test('with a poisoned prototype changes nothing', () => {
    const json =
      '{"spec":"chara_card_v2","data":{"name":"A","__proto__":{"polluted":true},"extensions":{"__proto__":{"service":{"adult":true}}}}}'
    expect(parseCard(JSON.parse(json)).character.name).toBe('A')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('a picture', () => {
  const card = V2({ description: 'In a picture' })
  const prompt = async (file: Buffer) => (await readCard(file)).character.prompt

  test('may hold its card in any of the three kinds of text', async () => {
    const text = base64(card)
    const packed = deflateSync(Buffer.from(text))
    const international = (flag: number, body: Buffer) =>
      chunk('iTXt', Buffer.concat([Buffer.from('Chara\0'), Buffer.from([flag, 0]), Buffer.from('en\0Karte\0'), body]))
    for (const part of [
      tEXt('chara', text),
      zTXt('chara', packed),
      international(0, Buffer.from(text)),
      international(1, packed),
      tEXt('chara', JSON.stringify(card)),
    ]) {
      expect(await prompt(png(tEXt('Comment', 'hello'), part))).toBe('In a picture')
    }
  })

  test('counts by version 3 first, and by the first of each', async () => {
    const other = base64(V3({ description: 'Third' }))
    expect(await prompt(png(tEXt('chara', base64(card)), tEXt('ccv3', other)))).toBe('Third')
    expect(await prompt(png(tEXt('chara', base64(card)), tEXt('chara', other)))).toBe('In a picture')
  })

  test('is written with both cards, in place of those that it had', async () => {
    const written = withTexts(png(tEXt('chara', 'old'), tEXt('Comment', 'stays')), {
      chara: '{"a":1}',
      ccv3: '{"b":"ü"}',
    })
    expect(await cardInPng(written)).toBe('{"b":"ü"}')
    expect(Buffer.from(written).toString('latin1')).toContain('stays')
    expect(Buffer.from(written).toString('latin1').match(/chara/g)).toHaveLength(1)
  })

  const good = png(tEXt('chara', base64(card)))
  const giant = Buffer.from(good)
  giant.writeUInt32BE(0x7fff_ffff, SIGNATURE.length + 25)
  test.each([
    ['without a card', png(), 'no-card'],
    ['that is cut off', good.subarray(0, good.length - 6), 'corrupt'],
    ['that is its signature alone', SIGNATURE, 'corrupt'],
    ['with a chunk of 2 GB', giant, 'corrupt'],
    ['with a wrong checksum', png(chunk('tEXt', Buffer.from(`chara\0${base64(card)}`), 1)), 'corrupt'],
    [
      'that begins with a text',
      Buffer.concat([SIGNATURE, tEXt('chara', base64(card)), good.subarray(SIGNATURE.length)]),
      'corrupt',
    ],
    ['with 30,000 chunks', png(...Array.from({ length: 30_000 }, () => tEXt('x', ''))), 'corrupt'],
    ['with a bomb', png(zTXt('chara', deflateSync(Buffer.alloc(100_000_000)))), 'too-large'],
    ['with a packed text that is none', png(zTXt('chara', Buffer.from('nonsense'))), 'corrupt'],
    [
      'packed in an unknown way',
      png(chunk('zTXt', Buffer.concat([Buffer.from('chara\0\x07'), deflateSync(Buffer.from('x'))]))),
      'corrupt',
    ],
    ['with a broken international text', png(chunk('iTXt', Buffer.from('chara\0'))), 'corrupt'],
    ['with a giant text', png(tEXt('chara', 'A'.repeat(2_500_000))), 'too-large'],
    ['with text that is no base64', png(tEXt('chara', '!!!!')), 'corrupt'],
    ['with JSON that is broken', png(tEXt('chara', Buffer.from('{"spec":').toString('base64'))), 'corrupt'],
    ['with JSON that is no card', png(tEXt('chara', base64({ hello: 1 }))), 'unsupported'],
    [
      'with JSON 100,000 levels deep',
      png(tEXt('chara', Buffer.from('['.repeat(100_000)).toString('base64'))),
      'corrupt',
    ],
    ['that is a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), 'unsupported'],
    ['that is nothing', Buffer.alloc(0), 'corrupt'],
  ] as const)('%s is refused', async (_, file, reason) => {
    expect(await refusal(readCard(file))).toBe(reason)
  })
})

test('examples are read as they are written', () => {
  const messages = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b\nc' },
  ] as const
  expect(exampleMessages(exampleText([...messages]))).toEqual(messages)
  expect(exampleMessages('')).toEqual([])
  expect(exampleMessages('only prose, no speaker')).toEqual([])
  expect(exampleText([])).toBe('')
})
