import 'server-only'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { characterFields } from '@/lib/contract/characters/character.schema'
import { config } from '@/lib/kernel/config'
import { faultPlace, fileFault, parseOperatorText, readOperatorFile, unreadable } from '@/lib/kernel/operator-file'
import { perProcess, resetPerProcess } from '@/lib/kernel/per-process'
import { isMotif, isPalette, type PortraitDesign } from '@/lib/services/characters/portrait'
import { idOfSlug } from '@/lib/services/characters/slug'

export type Shipped = {
  bySlug: ReadonlyMap<string, ShippedCharacter>
  byId: ReadonlyMap<string, ShippedCharacter>
  rows: string
}

/**
 * Returns the characters of CHARACTERS_FILE, or else those that come with the service. Read on first use; the start
 * reads them, so that a wrong file stops it.
 * @throws ConfigError when a file cannot be read or is wrong.
 */
export function shippedCharacters(): Promise<Shipped> {
  return perProcess(NAME, async () => {
    const { charactersFile, root } = config()
    const place = charactersFile ?? path.join(root, 'lib', 'services', 'characters', 'shipped')
    return readCharacters(place).then(index, (error: unknown) => {
      forgetShippedCharacters()
      throw error
    })
  })
}

const NAME = 'shipped-characters'

export const forgetShippedCharacters = (): void => resetPerProcess(NAME)

export async function findShipped(slug: string): Promise<ShippedCharacter | undefined> {
  const { bySlug, byId } = await shippedCharacters()
  return bySlug.get(slug) ?? byId.get(slug.toLowerCase())
}

function index(characters: ShippedCharacter[]): Shipped {
  return {
    bySlug: new Map(characters.map((character) => [character.slug, character])),
    byId: new Map(characters.map((character) => [character.id, character])),
    rows: JSON.stringify(characters.map(rowOf)),
  }
}

function rowOf(character: ShippedCharacter) {
  const { id, slug, name, description, tags, categories } = character
  return {
    id,
    slug,
    name,
    description,
    tags,
    categories,
    model_id: character.modelId,
    is_adult: character.adult,
    is_featured: character.featured,
    is_web_enabled: character.webEnabled,
    created_at: character.createdAt,
    updated_at: character.updatedAt,
  }
}

const MAX_FILE_BYTES = 2_000_000
const MAX_CHARACTERS = 500
const MAX_YAML_ALIASES = 100
const ENTRY = { list: 'characters', name: 'slug', maxChars: 60 }
const DEFAULT_CREATED_AT = '2026-09-01T00:00:00.000Z'

const date = z
  .union([z.iso.date(), z.iso.datetime()], 'must be a date such as 2026-09-01')
  .transform((text) => new Date(text).toISOString())

const Portrait = z.strictObject({
  motif: z.string().refine(isMotif, 'is no motif'),
  palette: z.string().refine(isPalette, 'is no palette'),
})

const FileCharacter = z.strictObject({
  ...characterFields,
  id: z.uuid().optional(),
  slug: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters, digits and single hyphens')
    .max(60),
  description: characterFields.description.default(null),
  greeting: characterFields.greeting.default(''),
  context: characterFields.context.default([]),
  tags: characterFields.tags.default([]),
  categories: characterFields.categories.default([]),
  modelId: characterFields.modelId.default(null),
  webEnabled: z.boolean().default(false),
  replacesServicePrompt: z.boolean().default(false),
  adult: z.boolean().default(false),
  featured: z.boolean().default(false),
  portrait: Portrait.optional(),
  createdAt: date.default(DEFAULT_CREATED_AT),
  updatedAt: date.optional(),
})

const CharactersFile = z.strictObject({
  characters: z
    .array(FileCharacter)
    .min(1, 'names no character')
    .max(MAX_CHARACTERS, `has more than ${MAX_CHARACTERS} characters`),
})

export type ShippedCharacter = Omit<z.output<typeof FileCharacter>, 'id' | 'portrait' | 'updatedAt'> & {
  id: string
  portrait?: PortraitDesign
  updatedAt: string
}

/**
 * Reads an operator's characters file, or every file of a folder of them.
 * @throws ConfigError naming the file and each fault with its place.
 */
export async function readCharacters(place: string): Promise<ShippedCharacter[]> {
  const isFolder = await stat(place).then(
    (found) => found.isDirectory(),
    (error: Error) => {
      throw unreadable('CHARACTERS_FILE', place, error)
    },
  )
  const names = isFolder ? (await readdir(place)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort() : []
  const files = isFolder ? names.map((name) => path.join(place, name)) : [place]
  const read = await Promise.all(
    files.map(async (file) => parseCharacters(await readOperatorFile('CHARACTERS_FILE', file, MAX_FILE_BYTES), file)),
  )
  const characters = read.flat()
  const faults = collisions(characters)
  if (faults.length > 0) throw fileFault(place, faults)
  return characters
}

export function parseCharacters(text: string, file: string): ShippedCharacter[] {
  const value = parseOperatorText(text, file, MAX_YAML_ALIASES)
  const parsed = CharactersFile.safeParse(value)
  if (!parsed.success) {
    const flat = parsed.error.issues.map((issue) => `${faultPlace(issue.path, value, ENTRY)}: ${issue.message}`)
    throw fileFault(file, flat)
  }
  return parsed.data.characters.map((character) => ({
    ...character,
    id: character.id ?? idOfSlug(character.slug),
    updatedAt: character.updatedAt ?? character.createdAt,
  }))
}

function collisions(characters: ShippedCharacter[]): string[] {
  const names = new Set<string>()
  return characters.flatMap(({ slug, id }) => {
    const duplicates = [slug, id].filter((name) => names.has(name))
    names.add(slug).add(id)
    return duplicates.map((name) => `${slug}: two characters have the ${name === slug ? 'slug' : 'id'} ${name}`)
  })
}
