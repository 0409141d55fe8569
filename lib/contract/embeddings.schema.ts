import { z } from 'zod'
import { modelName } from '@/lib/contract/models.schema'

const MAX_INPUTS = 2_048
const MAX_INPUT_CHARACTERS = 262_144

const text = z
  .string({
    error: ({ input }) =>
      typeof input === 'number' || Array.isArray(input)
        ? 'must be text; token IDs are not supported: send the text instead'
        : undefined,
  })
  .min(1, 'must not be empty')
  .max(MAX_INPUT_CHARACTERS)

/** Body of `POST /embeddings`. Source: API contract, embeddings.md. */
export const EmbeddingsRequest = z.strictObject({
  input: z
    .union([
      text,
      z
        .array(text)
        .min(1, 'must contain at least one text')
        .max(MAX_INPUTS, `must contain at most ${MAX_INPUTS} texts`),
    ])
    .describe(
      `Text, or a list of up to ${MAX_INPUTS.toLocaleString('en')} texts. Token IDs are rejected: send the text instead.`,
    ),
  model: modelName,
  encoding_format: z
    .enum(['float', 'base64'])
    .default('float')
    .describe('Format of the vectors. `base64` contains little-endian 32-bit floats.'),
  dimensions: z
    .int()
    .min(1)
    .max(65_536)
    .optional()
    .describe('Number of dimensions, on models with `supportsCustomDimensions`.'),
  user: z.string().optional().describe('Your identifier of the end user. Accepted and ignored.'),
})
export type EmbeddingsRequest = z.output<typeof EmbeddingsRequest>

export const EmbeddingsResponse = z.strictObject({
  object: z.literal('list'),
  model: z.string().describe('ID of the model used.'),
  data: z
    .array(
      z.strictObject({
        object: z.literal('embedding'),
        index: z.int().min(0).describe('Index of the input text, from 0.'),
        embedding: z.union([z.array(z.number()), z.base64()]).describe('Embedding vector.'),
      }),
    )
    .describe('Embeddings, in the order of the input.'),
  usage: z
    .strictObject({
      prompt_tokens: z.int().min(0).describe('Number of tokens in the input.'),
      total_tokens: z.int().min(0).describe('Total number of tokens.'),
    })
    .describe('Token usage.'),
})
