import { z } from 'zod'

const MAX_INPUTS = 2_048
/** Nobody's text of so many tokens is longer: what is, is not even counted. */
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
  input: z.union([
    text,
    z.array(text).min(1, 'must hold at least one text').max(MAX_INPUTS, `must hold at most ${MAX_INPUTS} texts`),
  ]),
  model: z.string().min(1).max(256),
  encoding_format: z.enum(['float', 'base64']).default('float'),
  dimensions: z.int().min(1).max(65_536).optional(),
  user: z.string().optional(),
})
export type EmbeddingsRequest = z.output<typeof EmbeddingsRequest>

/** Reply of `POST /embeddings`. */
export const EmbeddingsResponse = z.strictObject({
  object: z.literal('list'),
  model: z.string(),
  data: z.array(
    z.strictObject({
      object: z.literal('embedding'),
      index: z.int().min(0),
      embedding: z.union([z.array(z.number()), z.base64()]),
    }),
  ),
  usage: z.strictObject({ prompt_tokens: z.int().min(0), total_tokens: z.int().min(0) }),
})
