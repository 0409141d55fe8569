import { z } from 'zod'

const MAX_INPUTS = 2_048
/** Longer texts are refused before their tokens are counted. */
const MAX_INPUT_CHARACTERS = 262_144

const text = z
  .string({
    error: ({ input }) =>
      typeof input === 'number' || Array.isArray(input)
        ? 'must be text; token ids are not accepted: send the text that they stand for'
        : undefined,
  })
  .min(1, 'must not be empty')
  .max(MAX_INPUT_CHARACTERS)

/** Body of `POST /embeddings`. Closed. Source: API contract, embeddings.md. */
export const EmbeddingsRequest = z.strictObject({
  input: z
    .union([
      text,
      z.array(text).min(1, 'must hold at least one text').max(MAX_INPUTS, `must hold at most ${MAX_INPUTS} texts`),
    ])
    .meta({
      description: `One text, or up to ${MAX_INPUTS.toLocaleString('en')} of them. Token ids are refused: send the text.`,
    }),
  model: z
    .string()
    .min(1)
    .max(256)
    .meta({ description: 'An id of `GET /models`, a trait such as `default`, or a name that is mapped to one.' }),
  encoding_format: z
    .enum(['float', 'base64'])
    .default('float')
    .meta({ description: '`base64` is little-endian numbers of 32 bits.' }),
  dimensions: z
    .int()
    .min(1)
    .max(65_536)
    .optional()
    .meta({ description: 'Shorter vectors, on models that say `supportsCustomDimensions`.' }),
  user: z.string().optional().meta({ description: 'Whom you ask for, as you call them. Taken, and goes no further.' }),
})
export type EmbeddingsRequest = z.output<typeof EmbeddingsRequest>

export const EmbeddingsResponse = z.strictObject({
  object: z.literal('list'),
  model: z.string().meta({ description: 'The model that made them.' }),
  data: z
    .array(
      z.strictObject({
        object: z.literal('embedding'),
        index: z.int().min(0).meta({ description: 'Which text it is of, from 0.' }),
        embedding: z.union([z.array(z.number()), z.base64()]).meta({ description: 'The vector.' }),
      }),
    )
    .meta({ description: 'The vectors, in the order of the texts.' }),
  usage: z
    .strictObject({
      prompt_tokens: z.int().min(0).meta({ description: 'Of all that the model read.' }),
      total_tokens: z.int().min(0).meta({ description: 'The sum.' }),
    })
    .meta({ description: 'Tokens that were counted.' }),
})
