import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CATEGORIES } from '@/lib/contract/characters/character'
import {
  forgetShippedCharacters,
  parseCharacters,
  readCharacters,
  shippedCharacters,
} from '@/lib/services/characters/shipped'
import { idOfSlug } from '@/lib/services/characters/slug'
import { withEnvironment } from '@/lib/services/identity/testing'

const SHIPPED = path.join(process.cwd(), 'lib', 'services', 'characters', 'shipped')

describe('a characters file', () => {
  test('may be short, and is filled up', () => {
    expect(parseCharacters('characters: [{ slug: ann, name: Ann, prompt: You are Ann. }]', 'c.yaml')).toEqual([
      {
        id: idOfSlug('ann'),
        slug: 'ann',
        name: 'Ann',
        description: null,
        prompt: 'You are Ann.',
        greeting: '',
        context: [],
        tags: [],
        categories: [],
        modelId: null,
        webEnabled: false,
        replacesServicePrompt: false,
        adult: false,
        featured: false,
        createdAt: '2026-09-01T00:00:00.000Z',
        updatedAt: '2026-09-01T00:00:00.000Z',
      },
    ])
  })

  test('may be JSON', () => {
    const json = JSON.stringify({ characters: [{ slug: 'ann', name: 'Ann', prompt: 'x', createdAt: '2026-10-01' }] })
    expect(parseCharacters(json, 'c.json')[0]).toMatchObject({ createdAt: '2026-10-01T00:00:00.000Z' })
  })

  test.each([
    ['nothing', '', /the file: /],
    ['no character', 'characters: []', /characters: names no character/],
    ['what is not YAML', 'characters: [', /neither YAML nor JSON \(line 1\)/],
    [
      'an unknown field',
      'characters: [{ slug: a, name: A, prompt: x, colour: blue }]',
      /characters\.0 \(a\): .*colour/,
    ],
    [
      'a bad slug',
      'characters: [{ slug: "A B", name: A, prompt: x }]',
      /characters\.0\.slug \(A B\): must be lower-case/,
    ],
    ['no prompt', 'characters: [{ slug: a, name: A }]', /characters\.0\.prompt \(a\)/],
    [
      'an unknown motif',
      'characters: [{ slug: a, name: A, prompt: x, portrait: { motif: unicorn, palette: dawn } }]',
      /portrait\.motif \(a\): is no motif/,
    ],
    [
      'an unknown date',
      'characters: [{ slug: a, name: A, prompt: x, createdAt: yesterday }]',
      /createdAt \(a\): must be a date/,
    ],
  ])('with %s is refused with its place', (_, text, message) => {
    expect(() => parseCharacters(text, 'c.yaml')).toThrow(
      expect.objectContaining({ name: 'ConfigError', message: expect.stringMatching(message) }),
    )
    expect(() => parseCharacters(text, 'c.yaml')).toThrow(/^c\.yaml:/)
  })

  test('tells twenty faults and how many more there are', () => {
    const many = `characters: [${Array.from({ length: 30 }, () => '{ slug: a }').join(',')}]`
    expect(() => parseCharacters(many, 'c.yaml')).toThrow(/and \d+ more/)
  })
})

describe('CHARACTERS_FILE', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'characters-'))
    forgetShippedCharacters()
  })
  afterEach(async () => {
    forgetShippedCharacters()
    await rm(folder, { recursive: true })
  })
  const withFile = (name: string, run: () => Promise<void>) =>
    withEnvironment({ CHARACTERS_FILE: path.join(folder, name), LOG_LEVEL: 'silent' }, run)

  test('stands in place of the characters that ship', () =>
    withFile('own.yaml', async () => {
      await writeFile(path.join(folder, 'own.yaml'), 'characters: [{ slug: only-one, name: One, prompt: x }]')
      expect([...(await shippedCharacters()).bySlug.keys()]).toEqual(['only-one'])
    }))

  test('that is missing or wrong is an error of the configuration, until it is put right', () =>
    withFile('late.yaml', async () => {
      const file = path.join(folder, 'late.yaml')
      await expect(shippedCharacters()).rejects.toThrow(
        expect.objectContaining({ name: 'ConfigError', message: expect.stringContaining('cannot be read') }),
      )
      await writeFile(file, 'characters: [{ slug: a, name: A, prompt: x }, { slug: a, name: B, prompt: y }]')
      await expect(shippedCharacters()).rejects.toThrow(/two characters have the slug a/)
      await writeFile(file, 'characters: [{ slug: a, name: A, prompt: x }]')
      expect((await shippedCharacters()).bySlug.size).toBe(1)
    }))
})

test('the characters that ship are many, written out, and for everybody', async () => {
  const shipped = await readCharacters(SHIPPED)
  expect(shipped.length).toBeGreaterThanOrEqual(30)
  expect(new Set(shipped.map(({ name }) => name)).size).toBe(shipped.length)
  for (const { slug, prompt, greeting, context, description, categories, tags, adult } of shipped) {
    const words = prompt.split(/\s+/).length
    expect(words, slug).toBeGreaterThanOrEqual(120)
    expect(words, slug).toBeLessThanOrEqual(300)
    expect(context.length, slug).toBeGreaterThanOrEqual(2)
    expect(context.map(({ role }) => role).slice(0, 2), slug).toEqual(['user', 'assistant'])
    expect(greeting.length, slug).toBeGreaterThan(40)
    expect(description?.length, slug).toBeGreaterThan(40)
    expect(tags.length, slug).toBeGreaterThanOrEqual(3)
    expect(categories.length && categories.every((name) => CATEGORIES.some((known) => known === name)), slug).toBe(true)
    expect(adult, slug).toBe(false)
  }
  for (const category of CATEGORIES) {
    expect(shipped.filter(({ categories }) => categories.includes(category)).length, category).toBeGreaterThanOrEqual(3)
  }
})
