import { profileQuery } from '@/lib/browser/character-queries'
import { readPreference } from '@/lib/browser/preferences'
import { queryClient } from '@/lib/browser/queries'
import type { CharacterRef, LocalCharacter } from '@/lib/browser/storage/records'
import { fillNames } from '@/lib/contract/characters/macros'

/** What a character brings into a request. */
export type CharacterWords = {
  /** Of a public one: the service adds its prompt by this name. */
  slug?: string
  /** Goes before the chat's own system prompt: a local character's, and who the person is. */
  systemPrompt?: string
  /** What it says first in a new chat. */
  greeting?: string
}

/** Who a person is to characters: a name for `{{user}}`, and some words about them. Kept in this browser. */
export type Persona = { name: string; about: string }

/** What a person may say of themselves. */
export const PERSONA_LIMITS = { name: 80, about: 1_000 } as const

export const readPersona = (): Persona => ({
  name: readPreference('personaName').trim(),
  about: readPreference('persona').trim(),
})

/**
 * What goes out with a question to a character. A public one is asked by its slug; one of this browser by its words, which
 * leave the device with the question and not before.
 *
 * @throws ApiError CHARACTER_NOT_FOUND for a public one that is gone, when its greeting is wanted.
 */
export async function characterPrompt(ref: CharacterRef, { withGreeting = false } = {}): Promise<CharacterWords> {
  const persona = readPersona()
  if (!ref.isLocal) {
    const about = personaPrompt(persona)
    const greeting = withGreeting ? (await queryClient().ensureQueryData(profileQuery(ref.id))).greeting : undefined
    return { slug: ref.id, ...(about && { systemPrompt: about }), ...(greeting !== undefined && { greeting }) }
  }
  // The database is loaded when a local character is first asked, and not with the page.
  const { findLocal } = await import('@/lib/browser/storage/own-characters')
  const character = await findLocal(ref.id)
  return character ? localWords(character, persona) : {}
}

/** The words of a character of this browser, with the names filled in. */
export function localWords(
  { name, systemPrompt, greeting }: Pick<LocalCharacter, 'name' | 'systemPrompt' | 'greeting'>,
  persona: Persona,
): CharacterWords {
  const text = fillNames(systemPrompt, name, persona.name)
  // Many cards only describe somebody; a model must be told that this is who it is.
  const role = /\byou are\b/i.test(text.slice(0, 400)) ? text : `You are ${name}. Answer as ${name}.\n\n${text}`.trim()
  const about = personaPrompt(persona)
  return {
    systemPrompt: about ? `${role}\n\n${about}` : role,
    greeting: fillNames(greeting, name, persona.name),
  }
}

function personaPrompt({ name, about }: Persona): string {
  const lines = [name && `The person you are talking to is called ${name}.`, about && `About them: ${about}`]
  return lines.filter(Boolean).join(' ')
}
