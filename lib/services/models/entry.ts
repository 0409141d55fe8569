import { z } from 'zod'
import { MAX_CONTEXT_TOKENS, MAX_MODEL_PRICE_USD, MEDIA_ROLES } from '@/lib/contract/models'
import { Capabilities, FIELDS_BY_TYPE, pricingByType, TextConstraints } from '@/lib/contract/models.schema'
import { perMillion, perUnit } from '@/lib/contract/money'

const amount = (fits: (dollars: number) => unknown, sign: 'positive' | 'zero') =>
  z
    .number('must be a number of dollars')
    .max(MAX_MODEL_PRICE_USD, `is more than ${MAX_MODEL_PRICE_USD} USD`)
    .refine((dollars) => (sign === 'zero' ? dollars >= 0 : dollars > 0), {
      error: sign === 'zero' ? 'cannot be negative' : 'must be more than 0; a free model has no `pricing` at all',
      abort: true,
    })
    .refine((dollars) => isExact(() => fits(dollars)), { error: 'is finer than money is counted here' })

function isExact(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

const filePrice = (fits: (dollars: number) => unknown, sign: 'positive' | 'zero') =>
  z
    .strictObject({ usd: amount(fits, sign), diem: z.number().optional() })
    .refine(({ usd, diem }) => diem === undefined || diem === usd, {
      error: 'must equal `usd`, or be left out',
      path: ['diem'],
    })

const FILE = {
  million: filePrice(perMillion, 'zero'),
  sold: filePrice(perMillion, 'positive'),
  one: filePrice(perUnit, 'zero'),
}
/** Pricing as a models file gives it, by type: `diem` may be left out. Video has none; its price is quoted. */
const FILE_PRICING = pricingByType(FILE)

export type TextPricing = z.output<typeof FILE_PRICING.text>

/** Adds the DIEM price, which is the dollar price, wherever there is one. */
export function withDiem(pricing: unknown): unknown {
  if (typeof pricing !== 'object' || pricing === null) return pricing
  const fields = Object.entries(pricing).map(([name, value]) => [name, withDiem(value)])
  return 'usd' in pricing ? { ...Object.fromEntries(fields), diem: pricing.usd } : Object.fromEntries(fields)
}

/** What may stand in a URL path, a header and a suffix without escaping; `=` would make a suffix of it. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$/
const MAX_NAMES = 50

const id = z.string().regex(ID, 'must be 1 to 128 letters, digits or . _ : / @ + - and start with a letter or digit')
const ids = z.array(id).max(MAX_NAMES)
const tokens = z.int().min(1).max(MAX_CONTEXT_TOKENS)
const text = (limit: number) =>
  z
    .string()
    .max(limit)
    .refine((value) => !/\p{Cc}/u.test(value), 'must not hold control characters')

const moment = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/, 'must be a date such as 2027-01-31')
  .transform((value, context) => {
    const date = new Date(value)
    if (!Number.isNaN(date.getTime())) return date
    context.addIssue({ code: 'custom', message: 'is no date of the calendar' })
    return z.NEVER
  })

const FileDeprecation = z
  .strictObject({
    date: moment.optional(),
    removesAt: moment.optional(),
    startsAt: moment.optional(),
    replacement: id.optional(),
    replacementModelId: id.optional(),
    autoRemap: z.boolean().default(false),
  })
  .transform(
    ({ date, removesAt = date, startsAt, autoRemap, replacement, replacementModelId = replacement }, context) => {
      const fault = (path: string, message: string) => {
        context.addIssue({ code: 'custom', path: [path], message })
        return z.NEVER
      }
      if (removesAt === undefined) return fault('date', 'is missing: when is the model gone?')
      if (date !== undefined && date.getTime() !== removesAt.getTime()) return fault('removesAt', 'must equal `date`')
      if (startsAt !== undefined && startsAt > removesAt) return fault('startsAt', 'must not be after `date`')
      if (autoRemap && replacementModelId === undefined)
        return fault('replacement', 'is missing, and `autoRemap` needs it')
      return { removesAt, startsAt, replacementModelId, autoRemap }
    },
  )

const common = {
  id,
  name: text(100).min(1).optional(),
  engine: z.string().min(1),
  upstreamModel: z.string().min(1).max(500).optional(),
  tier: z.enum(['XS', 'S', 'M', 'L']).default('M'),
  access: z.enum(['everyone', 'pro']).default('everyone'),
  traits: ids.default([]),
  aliases: ids.default([]),
  fallbacks: ids.default([]),
  deprecation: FileDeprecation.optional(),
  created: z.int().min(0).max(9_999_999_999).optional(),
  description: text(2_000).optional(),
  modelSource: z.union([z.url({ protocol: /^https?$/ }), z.literal('')]).optional(),
  privacy: z.enum(['private', 'anonymized']).optional(),
  offline: z.boolean().default(false),
  beta: z.boolean().optional(),
  betaModel: z.boolean().optional(),
  uncensored: z.literal(true).optional(),
  demo: z.literal(true).optional(),
  regionRestrictions: z
    .array(z.string().regex(/^[A-Z]{2}$/, 'must be a country code such as US'))
    .min(1)
    .optional(),
}

const textEntry = {
  contextTokens: tokens.optional(),
  imageTokens: tokens.optional(),
  capabilities: Capabilities.extend({
    // Neither is built: contract, chat.md 12.
    supportsTeeAttestation: z.literal(false),
    supportsE2EE: z.literal(false),
  })
    .partial()
    .default({}),
  constraints: TextConstraints.partial().default({}),
  servicePrompt: z.string().max(4_000).optional(),
  assist: z.strictObject({ vision: id.optional(), audio: id.optional() }).optional(),
  videoSites: z
    .array(z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be a host name such as youtube.com'))
    .max(50)
    .optional(),
  documentTypes: z.array(z.literal('application/pdf', 'must be application/pdf')).max(1).optional(),
  thinkTags: z
    .strictObject({ open: z.string().min(1), close: z.string().min(1), startsOpen: z.boolean().optional() })
    .optional(),
}

const MAX_POLICY_CHARACTERS = 20_000
const dollars = z
  .number()
  .positive()
  .max(MAX_MODEL_PRICE_USD)
  .refine((price) => isExact(() => perUnit(price)), 'is finer than money is counted here')

export const inputNames = z
  .record(z.string().min(1).max(64), z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'is no name of a field'))
  .refine((names) => Object.keys(names).length <= MAX_NAMES)

const JOB_FIELDS = { inputNames: inputNames.optional() }

const consent = z.strictObject({
  flow: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'is no name: letters, digits, _ and -'),
  version: z.string().min(1).max(64),
  text: z.string().min(1).max(MAX_POLICY_CHARACTERS),
  url: z.url({ protocol: /^https?$/ }),
  roles: z
    .array(z.enum(MEDIA_ROLES))
    .min(1)
    .default([...MEDIA_ROLES]),
})

const VIDEO_FIELDS = {
  ...JOB_FIELDS,
  price: z
    .strictObject({
      perSecond: dollars.optional(),
      perGeneration: dollars.optional(),
      resolutions: z.record(z.string().min(1).max(20), dollars).optional(),
      perReferenceSecond: dollars.optional(),
    })
    .refine(
      (price) => price.perSecond ?? price.perGeneration ?? Object.keys(price.resolutions ?? {})[0],
      'needs `perSecond`, `perGeneration` or `resolutions`; a free model has no `price` at all',
    )
    .optional(),
  consent: consent.optional(),
  hasDownloadUrl: z.boolean().default(false),
}

const pricedEntry = <Type extends string, Pricing extends z.ZodType, Fields extends z.ZodRawShape>(
  type: Type,
  pricing: Pricing,
  fields: Fields,
) => z.strictObject({ ...common, type: z.literal(type), ...fields, pricing: z.optional(pricing) })

/** One entry of a models file's `models`. Source: docs/operators.md, "Models file", and API contract, models.md. */
export const ModelEntry = z.discriminatedUnion(
  'type',
  [
    pricedEntry('text', FILE_PRICING.text, { ...FIELDS_BY_TYPE.text, ...textEntry }),
    pricedEntry('embedding', FILE_PRICING.embedding, FIELDS_BY_TYPE.embedding),
    pricedEntry('image', FILE_PRICING.image, FIELDS_BY_TYPE.image),
    pricedEntry('inpaint', FILE_PRICING.inpaint, FIELDS_BY_TYPE.inpaint),
    pricedEntry('upscale', FILE_PRICING.upscale, {}),
    pricedEntry('tts', FILE_PRICING.tts, FIELDS_BY_TYPE.tts),
    pricedEntry('asr', FILE_PRICING.asr, {}),
    pricedEntry('music', FILE_PRICING.music, { ...FIELDS_BY_TYPE.music, ...JOB_FIELDS }),
    z.strictObject({ ...common, type: z.literal('video'), ...FIELDS_BY_TYPE.video, ...VIDEO_FIELDS }),
  ],
  { error: 'must be one of text embedding image tts asr video music upscale inpaint' },
)
export type ModelEntry = z.output<typeof ModelEntry>
export type ModelEntryInput = z.input<typeof ModelEntry>
export type TextEntry = Extract<ModelEntry, { type: 'text' }>

/** Names the model of an upstream: one that is served from a file by the file's name, without folders and `.gguf`. */
export function upstreamModelName(upstreamModel: string): string {
  const isFile = upstreamModel.startsWith('/') || /\.gguf$/i.test(upstreamModel)
  return (isFile ? upstreamModel.split(/[/\\]/).at(-1)! : upstreamModel).replace(/\.gguf$/i, '').slice(0, 100)
}

/** Names the model of an upstream as a part of an id. */
export const upstreamModelId = (upstreamModel: string): string =>
  upstreamModelName(upstreamModel)
    .replace(/[^A-Za-z0-9._:/@+-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
