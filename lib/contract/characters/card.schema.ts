import { z } from 'zod'

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
export type CardData = z.output<typeof CardData>

export const Card = z.union([
  z.object({ spec: z.enum(['chara_card_v2', 'chara_card_v3']), data: CardData }).transform(({ data }) => data),
  CardData.extend({ description: z.string(), first_mes: z.string(), spec: z.undefined().optional() }),
])
