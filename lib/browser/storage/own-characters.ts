import { keepBlob, loadBlob } from '@/lib/browser/storage/blobs'
import { db } from '@/lib/browser/storage/database'
import type { LocalCharacter } from '@/lib/browser/storage/records'
import { cleanLabel, cleanLine, cleanText, cut, LIMITS } from '@/lib/contract/characters/character'
import { uuid } from '@/lib/contract/ids'
import { t } from '@/lib/i18n/t'

export type CharacterDraft = Pick<
  LocalCharacter,
  'name' | 'description' | 'systemPrompt' | 'greeting' | 'tags' | 'portrait'
>

export type Removed = { character: LocalCharacter; portrait?: Blob }

export const MAX_LOCAL_CHARACTERS = 1_000

export const EMPTY_DRAFT: CharacterDraft = { name: '', description: '', systemPrompt: '', greeting: '', tags: [] }

export const listLocal = (): Promise<LocalCharacter[]> => db.characters.orderBy('updatedAt').reverse().toArray()

export const findLocal = (id: string): Promise<LocalCharacter | undefined> => db.characters.get(id)

/** Stores a character within the bounds of public ones. @throws RangeError when there are too many. */
export async function saveLocal(draft: CharacterDraft, id?: string): Promise<LocalCharacter> {
  return db.transaction('rw', db.characters, async () => {
    const known = id === undefined ? undefined : await db.characters.get(id)
    if (!known && (await db.characters.count()) >= MAX_LOCAL_CHARACTERS) throw new RangeError('Too many characters')
    const now = Date.now()
    const character = { ...bounded(draft), id: id ?? uuid(), createdAt: known?.createdAt ?? now, updatedAt: now }
    await db.characters.put(character)
    return character
  })
}

export async function deleteLocal(id: string): Promise<Removed | undefined> {
  const character = await db.characters.get(id)
  if (!character) return undefined
  const image = character.portrait ? await loadBlob(character.portrait) : undefined
  await db.characters.delete(id)
  return { character, ...(image && { portrait: image }) }
}

export async function restoreLocal({ character, portrait: image }: Removed): Promise<void> {
  if (image) await keepBlob('', image)
  await db.characters.put(character)
}

function bounded(draft: CharacterDraft): CharacterDraft {
  const { name, description, systemPrompt, greeting, tags, portrait } = draft
  return {
    name: cut(cleanLine(name), LIMITS.name).trim() || t('Unnamed'),
    description: cut(cleanText(description), LIMITS.description),
    systemPrompt: cut(cleanText(systemPrompt), LIMITS.prompt),
    greeting: cut(cleanText(greeting), LIMITS.greeting),
    tags: [...new Set(tags.map((tag) => cut(cleanLabel(tag), LIMITS.label)).filter(Boolean))].slice(0, LIMITS.tags),
    ...(portrait && { portrait }),
  }
}
