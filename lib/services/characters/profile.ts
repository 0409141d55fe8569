import 'server-only'
import { resolveMacros } from '@/lib/contract/characters/character'
import type { CharacterMessage, CharacterProfile } from '@/lib/contract/characters/character.schema'
import { findCharacter } from '@/lib/services/characters/catalogue'
import { findInner, findOwnPortrait } from '@/lib/services/characters/own'
import { findShipped } from '@/lib/services/characters/shipped'
import { catalogue } from '@/lib/services/models/catalogue'

const MAX_OPENERS = 3
const MAX_OPENER_CHARACTERS = 240

export async function findProfile(slug: string, callerId: string): Promise<CharacterProfile | undefined> {
  const character = await findCharacter(slug, callerId)
  if (!character) return undefined
  const inner = await innerOf(character.id)
  const isOwn = !inner?.isShipped && (await findOwnPortrait(character.id))?.accountId === callerId
  return {
    ...character,
    greeting: resolveMacros(inner?.greeting ?? '', character.name),
    openers: openersOf(inner?.context ?? [], character.name),
    presetModelId: servedModel(inner?.modelId),
    promptBytes: inner ? textBytes([inner.prompt, ...inner.context.map(({ content }) => content)]) : 0,
    isOwn,
    isShipped: inner?.isShipped ?? false,
  }
}

const textBytes = (texts: string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

type Inner = {
  prompt: string
  greeting: string
  context: CharacterMessage[]
  modelId: string | null
  isShipped: boolean
}

async function innerOf(id: string): Promise<Inner | undefined> {
  const shipped = await findShipped(id)
  if (shipped) return { ...shipped, isShipped: true }
  const made = await findInner(id)
  return made && { ...made, modelId: made.chosenModelId, isShipped: false }
}

function openersOf(context: CharacterMessage[], name: string): string[] {
  const asked = context.filter(({ role }) => role === 'user').map(({ content }) => resolveMacros(content, name))
  return asked.filter((text) => text.length <= MAX_OPENER_CHARACTERS).slice(0, MAX_OPENERS)
}

const servedModel = (id: string | null | undefined): string | null =>
  id && catalogue().byId.get(id)?.type === 'text' ? id : null
