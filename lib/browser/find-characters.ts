import { fetchCharacters, refOf } from '@/lib/browser/characters'
import { matching } from '@/lib/browser/palette-items'
import type { CharacterRef } from '@/lib/browser/storage/records'

type FoundCharacter = { ref: CharacterRef; description: string }

/** Finds characters by a text: those of this browser first, and without a connection only these. */
export async function findCharacters(text: string, max: number, signal: AbortSignal): Promise<FoundCharacter[]> {
  const { listLocal } = await import('@/lib/browser/storage/own-characters')
  const parameters = new URLSearchParams({ limit: String(max), ...(text && { search: text }) })
  const [own, listed] = await Promise.all([listLocal(), fetchCharacters(parameters, signal).catch(() => [])])
  const local = matching(
    own.map(({ id, name, description }) => ({ id, name, note: description })),
    text,
    max,
  )
  return [
    ...local.map(({ id, name, note }) => ({ ref: { id, name, isLocal: true }, description: note })),
    ...listed.map((character) => ({ ref: refOf(character), description: character.description ?? '' })),
  ].slice(0, max)
}
