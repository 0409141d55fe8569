import 'server-only'
import path from 'node:path'
import { config } from '@/lib/kernel/config'
import { perProcess, resetPerProcess } from '@/lib/kernel/per-process'
import { readCharacters, type ShippedCharacter } from '@/lib/services/characters/characters-file'

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
