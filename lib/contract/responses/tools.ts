import { z } from 'zod'
import { optional } from '@/lib/contract/chat.schema'

const MAX_TOOLS = 256
const MAX_NAME_CHARS = 256
const MAX_HANDLES = 10
const KNOWN = ['function', 'web_search', 'web_search_preview', 'x_search']

const name = z.string().min(1).max(MAX_NAME_CHARS)
const definition = {
  name,
  description: optional(z.string()),
  parameters: optional(z.record(z.string(), z.unknown())),
  strict: optional(z.boolean()),
}
const FlatFunction = z.object({ type: z.literal('function'), function: z.never().optional(), ...definition })
const NestedFunction = z.object({ type: z.literal('function'), function: z.object(definition) })

const place = optional(z.string())
const WebSearch = z.object({
  type: z.enum(['web_search', 'web_search_preview']),
  search_context_size: optional(z.enum(['low', 'medium', 'high'])),
  user_location: optional(
    z.object({ type: optional(z.literal('approximate')), city: place, country: place, region: place, timezone: place }),
  ),
})
const handles = optional(z.array(z.string().min(1)).max(MAX_HANDLES))
const day = optional(z.union([z.iso.date(), z.iso.datetime({ offset: true })]))
const XSearch = z.object({
  type: z.literal('x_search'),
  allowed_x_handles: handles,
  excluded_x_handles: handles,
  from_date: day,
  to_date: day,
  enable_image_understanding: optional(z.boolean()),
  enable_video_understanding: optional(z.boolean()),
})
/** Whatever else a vendor offers is taken, and dropped. */
const OtherTool = z.object({
  type: z.string().refine((type) => !KNOWN.includes(type), {
    abort: true,
    error: 'is known, and does not look like this',
  }),
})

const Tool = z.union([FlatFunction, NestedFunction, z.discriminatedUnion('type', [WebSearch, XSearch]), OtherTool])
export type ResponsesTool = z.output<typeof Tool>

/**
 * Functions in both forms, and searches. Of a search, that it is offered has an effect; how wide, from where and by whom is
 * checked and goes no further: no search behind this service takes it.
 */
export const Tools = z.array(Tool).max(MAX_TOOLS)

/** A function by its name: beside the type, as current clients write it, or inside as for a chat. */
export const Choice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.object({ type: z.literal('function'), function: z.never().optional(), name }),
  z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
])
