import { z } from 'zod'
import { MODEL_TYPES, type ModelType } from '@/lib/contract/models'
import { Capabilities, FIELDS_BY_TYPE, TextConstraints, WIRE_PRICING } from '@/lib/services/models/fields'

/** Query of `GET /models`. Unknown parameters are ignored. */
export const ModelListQuery = z.object({ type: z.enum([...MODEL_TYPES, 'all', 'code']).default('text') })
export type ModelListQuery = z.output<typeof ModelListQuery>

/** Query of `GET /models/traits` and `/models/compatibility_mapping`. */
export const ModelTypeQuery = z.object({ type: z.enum(MODEL_TYPES).default('text') })

const time = z.iso.datetime()

const CommonSpec = {
  name: z.string().optional(),
  description: z.string().optional(),
  modelSource: z.string().optional(),
  privacy: z.enum(['private', 'anonymized']),
  traits: z.array(z.string()).optional(),
  offline: z.boolean().optional(),
  acceptsTestCredit: z.literal(false).optional(),
  beta: z.boolean().optional(),
  betaModel: z.boolean().optional(),
  uncensored: z.literal(true).optional(),
  demo: z.literal(true).optional(),
  regionRestrictions: z.array(z.string()).optional(),
  deprecation: z
    .object({
      autoRemap: z.boolean(),
      date: time,
      removesAt: time,
      startsAt: time.optional(),
      replacementModelId: z.string().optional(),
    })
    .optional(),
}

const recordOf = <T extends ModelType, Spec extends z.ZodRawShape>(type: T, spec: Spec) =>
  z.object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.literal('service'),
    type: z.literal(type),
    context_length: z.int().optional(),
    model_spec: z.object({ ...CommonSpec, ...spec }),
  })

/** One model as `/models` shows it. */
export const ModelRecord = z.discriminatedUnion('type', [
  recordOf('text', {
    ...FIELDS_BY_TYPE.text,
    capabilities: Capabilities,
    constraints: TextConstraints,
    pricing: WIRE_PRICING.text.optional(),
  }),
  recordOf('embedding', { ...FIELDS_BY_TYPE.embedding, pricing: WIRE_PRICING.embedding.optional() }),
  recordOf('image', { ...FIELDS_BY_TYPE.image, pricing: WIRE_PRICING.image.optional() }),
  recordOf('inpaint', { ...FIELDS_BY_TYPE.inpaint, pricing: WIRE_PRICING.inpaint.optional() }),
  recordOf('upscale', { pricing: WIRE_PRICING.upscale.optional() }),
  recordOf('tts', { ...FIELDS_BY_TYPE.tts, pricing: WIRE_PRICING.tts.optional() }),
  recordOf('asr', { pricing: WIRE_PRICING.asr.optional() }),
  recordOf('music', { ...FIELDS_BY_TYPE.music, pricing: WIRE_PRICING.music.optional() }),
  recordOf('video', FIELDS_BY_TYPE.video),
])
export type ModelRecord = z.output<typeof ModelRecord>

/** Reply of `GET /models`. */
export const ModelList = z.object({
  object: z.literal('list'),
  type: ModelListQuery.shape.type.unwrap(),
  data: z.array(ModelRecord),
})
export type ModelList = z.output<typeof ModelList>

/** Reply of `GET /models/traits` and `/models/compatibility_mapping`: a name → the id of the model it stands for. */
export const ModelNames = z.object({
  object: z.literal('list'),
  type: z.enum(MODEL_TYPES),
  data: z.record(z.string(), z.string()),
})
export type ModelNames = z.output<typeof ModelNames>
