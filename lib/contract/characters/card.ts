import { z } from 'zod'
import { CardError, cardInPng, isPng } from '@/lib/contract/characters/card-png'
import { cleanLabel, cleanLine, cleanText, cut, LIMITS } from '@/lib/contract/characters/character'
import { type CharacterMessage, type FullCharacter, NewCharacter } from '@/lib/contract/characters/character.schema'

export const MAX_CARD_BYTES = LIMITS.pictureBytes
const MAX_JSON_CHARACTERS = 2_000_000
const BREAK = '\n\n'

export type ReadCard = { character: NewCharacter; warnings: string[] }

/**
 * Reads a character card of version 1, 2 or 3: JSON, or a PNG with JSON inside. The suggested model may not exist on
 * this service. @throws CardError when the file is no card, or broken.
 */
export async function readCard(file: Uint8Array): Promise<ReadCard> {
  return parseCard(parseJson(isPng(file) ? await cardInPng(file) : decodeUtf8(file)))
}

export function parseCard(value: unknown): ReadCard {
  const parsed = Card.safeParse(value)
  if (!parsed.success) {
    throw new CardError('unsupported', 'This is not a character card of version 2 or 3: required fields are missing.')
  }
  return characterOf(parsed.data)
}

function decodeUtf8(file: Uint8Array): string {
  if (file.byteLength > MAX_CARD_BYTES)
    throw new CardError('too-large', `The card is larger than ${MAX_CARD_BYTES / 1e6} MB.`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file)
  } catch (cause) {
    throw new CardError('unsupported', 'This file is neither a PNG image nor JSON.', { cause })
  }
}

function parseJson(json: string): unknown {
  if (json.length > MAX_JSON_CHARACTERS)
    throw new CardError('too-large', `The card is larger than ${MAX_JSON_CHARACTERS / 1e6} MB.`)
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new CardError('corrupt', 'The card is not valid JSON.', { cause })
  }
}

function characterOf(card: CardData): ReadCard {
  const warnings: string[] = []
  const bound = (text: string, most: number, what: string): string => {
    const clean = cleanText(text)
    if (clean.length > most) warnings.push(`${what} was longer than ${most} characters and was cut.`)
    return cut(clean, most).trim()
  }
  const name = cut(cleanLine(card.name), LIMITS.name).trim()
  if (name === '') throw new CardError('unsupported', 'The card has no name.')
  const nickname = cleanLine(card.nickname)
  const named = (text: string) => (nickname === '' ? text : text.replace(/\{\{\s*char\s*\}\}/gi, () => nickname))
  const extension = card.extensions?.service
  const prompt = bound(named(promptOf(card)), LIMITS.prompt, 'The prompt')
  const all = contextOf(card, (text) => named(cleanText(text)))
  if (all.length > LIMITS.contextMessages) {
    warnings.push(`Only the first ${LIMITS.contextMessages} of ${all.length} example messages were imported.`)
  }
  const character: NewCharacter = {
    name,
    description: bound(card.creator_notes, LIMITS.description, 'The description') || null,
    prompt: prompt || `You are ${name}.`,
    greeting: bound(named(card.first_mes), LIMITS.greeting, 'The opening message'),
    context: all.slice(0, LIMITS.contextMessages).map(({ role, content }) => ({
      role,
      content: bound(content, LIMITS.contextMessage, 'An example message'),
    })),
    tags: labels(card.tags, LIMITS.tags),
    categories: labels(extension?.categories ?? [], LIMITS.categories),
    modelId: extension?.modelId ?? null,
    webEnabled: extension?.webEnabled ?? false,
    adult: extension?.adult ?? card.tags.some((tag) => /^nsfw$/i.test(tag.trim())),
    replacesServicePrompt: replacesServicePrompt(card),
    visibility: 'draft',
    picture: null,
  }
  return { character: NewCharacter.parse(character), warnings: [...new Set(warnings)] }
}

function replacesServicePrompt({ system_prompt: own }: CardData): boolean {
  return own.trim() !== '' && !ORIGINAL.test(own)
}

const ORIGINAL = /\{\{\s*original\s*\}\}/i
const ALL_ORIGINALS = new RegExp(ORIGINAL, 'gi')

function promptOf(card: CardData): string {
  const entries = (card.character_book?.entries ?? [])
    .filter(({ constant, enabled, content }) => constant === true && enabled !== false && content.trim() !== '')
    .sort((a, b) => (a.insertion_order ?? 0) - (b.insertion_order ?? 0))
  return [
    card.system_prompt.replace(ALL_ORIGINALS, ''),
    card.description,
    card.personality.trim() && `Personality: ${card.personality.trim()}`,
    card.scenario.trim() && `Scenario: ${card.scenario.trim()}`,
    ...entries.map(({ content }) => content),
    card.post_history_instructions.replace(ALL_ORIGINALS, ''),
  ]
    .map((part) => part.trim())
    .filter(Boolean)
    .join(BREAK)
}

function contextOf(card: CardData, clean: (text: string) => string): CharacterMessage[] {
  const stored = card.extensions?.service?.context
  const messages = stored && stored.text === card.mes_example ? stored.messages : exampleMessages(card.mes_example)
  return messages
    .map(({ role, content }) => ({ role, content: clean(content) }))
    .filter(({ content }) => content !== '')
}

function labels(given: string[], most: number): string[] {
  const clean = given.map((item) => cleanLabel(item.replaceAll(',', ' '))).filter(Boolean)
  return [...new Set(clean.map((item) => cut(item, LIMITS.label).trim()))].slice(0, most)
}

const MAX_ENTRIES = 500

const text = z
  .string()
  .nullish()
  .transform((given) => given ?? '')
const texts = z
  .array(z.unknown())
  .nullish()
  .transform((given) => (given ?? []).filter((item) => typeof item === 'string'))

const BookEntry = z
  .object({
    content: text,
    enabled: z.boolean().nullish(),
    constant: z.boolean().nullish(),
    insertion_order: z.number().nullish(),
  })
  .catch({ content: '', enabled: false, constant: false, insertion_order: 0 })

const Extension = z
  .object({
    categories: texts,
    modelId: z.string().nullish(),
    webEnabled: z.boolean().nullish(),
    adult: z.boolean().nullish(),
    context: z
      .object({
        text: z.string(),
        messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content: z.string() })).max(100),
      })
      .nullish(),
  })
  .optional()
  .catch(undefined)

/**
 * Fields of a character card that are read, of version 2 and 3. Source:
 * https://github.com/malfoyslastname/character-card-spec-v2, https://github.com/kwaroran/character-card-spec-v3.
 */
const CardData = z.object({
  name: z.string(),
  nickname: text,
  description: text,
  personality: text,
  scenario: text,
  first_mes: text,
  mes_example: text,
  creator_notes: text,
  system_prompt: text,
  post_history_instructions: text,
  tags: texts,
  character_book: z
    .object({ entries: z.array(BookEntry).max(MAX_ENTRIES) })
    .nullish()
    .catch(undefined),
  extensions: z.object({ service: Extension }).nullish().catch(undefined),
})
type CardData = z.output<typeof CardData>

const Card = z.union([
  z.object({ spec: z.enum(['chara_card_v2', 'chara_card_v3']), data: CardData }).transform(({ data }) => data),
  CardData.extend({ description: z.string(), first_mes: z.string(), spec: z.undefined().optional() }),
])

export type Exported = Pick<
  FullCharacter,
  | 'name'
  | 'description'
  | 'author'
  | 'prompt'
  | 'greeting'
  | 'context'
  | 'tags'
  | 'categories'
  | 'webEnabled'
  | 'adult'
  | 'replacesServicePrompt'
  | 'createdAt'
  | 'updatedAt'
> & { modelId: string | null }

/** Builds a card of version 2 or 3, which `parseCard` reads back unchanged. */
export function cardOf(character: Exported, spec: 'v2' | 'v3'): object {
  const data = { ...common(character), ...(spec === 'v3' && onlyInV3(character)) }
  return spec === 'v2'
    ? { spec: 'chara_card_v2', spec_version: '2.0', data }
    : { spec: 'chara_card_v3', spec_version: '3.0', data }
}

function common(character: Exported) {
  const { name, description, author, prompt, greeting, context, tags, replacesServicePrompt } = character
  const { categories, modelId, webEnabled, adult } = character
  const examples = exampleText(context)
  return {
    name,
    // A system prompt of a card stands in place of the frontend's own; a description is added to it.
    description: replacesServicePrompt ? '' : prompt,
    system_prompt: replacesServicePrompt ? prompt : '',
    personality: '',
    scenario: '',
    first_mes: greeting,
    mes_example: examples,
    creator_notes: description ?? '',
    post_history_instructions: '',
    alternate_greetings: [],
    tags,
    creator: author,
    character_version: '1',
    extensions: {
      service: { categories, modelId, webEnabled, adult, context: { text: examples, messages: context } },
    },
  }
}

function onlyInV3({ createdAt, updatedAt }: Exported) {
  return {
    group_only_greetings: [],
    creation_date: Math.floor(Date.parse(createdAt) / 1_000),
    modification_date: Math.floor(Date.parse(updatedAt) / 1_000),
    assets: [{ type: 'icon', uri: 'ccdefault:', name: 'main', ext: 'png' }],
  }
}

const SPEAKER = /^[ \t]*(\{\{\s*char\s*\}\}|\{\{\s*user\s*\}\}|<bot>|<user>)[ \t]*:/gim

export function exampleMessages(text: string): CharacterMessage[] {
  return text.split(/<START>/i).flatMap((conversation) => {
    const starts = [...conversation.matchAll(SPEAKER)]
    return starts.map((start, index): CharacterMessage => {
      const content = conversation.slice(start.index + start[0].length, starts[index + 1]?.index).trim()
      return { role: /user/i.test(start[1] ?? '') ? 'user' : 'assistant', content }
    })
  })
}

export function exampleText(messages: CharacterMessage[]): string {
  if (messages.length === 0) return ''
  const lines = messages.map(({ role, content }) => `{{${role === 'user' ? 'user' : 'char'}}}: ${content}`)
  return ['<START>', ...lines].join('\n')
}
