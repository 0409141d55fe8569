import { z } from 'zod'
import { AudioFormat, optional } from '@/lib/contract/chat.schema'

const MAX_ITEMS = 4000
const MAX_PARTS = 4000
const MAX_NAME_CHARS = 256

const address = z.string().min(1)
const id = optional(z.string())
const noType = z.null().optional()

const textTypes = z.enum(['input_text', 'output_text', 'text'])
const text = z.string().min(1)
const TextPart = z.object({ type: textTypes, text })
const imageUrl = z.union([address, z.object({ url: address })])
const ImagePart = z.object({ type: z.enum(['input_image', 'image_url']), image_url: imageUrl })
/** A part that is known by its field. */
const BarePart = z
  .object({ type: noType, text: text.optional(), image_url: imageUrl.optional() })
  .refine((part) => part.text !== undefined || part.image_url !== undefined, { error: 'needs a type' })
const FilePart = z
  .object({
    type: z.literal('input_file'),
    file_data: optional(address),
    file_url: optional(address),
    filename: optional(z.string()),
  })
  .refine(({ file_data, file_url }) => file_data !== undefined || file_url !== undefined, {
    error: 'needs file_data or file_url',
  })
const AudioPart = z.object({
  type: z.literal('input_audio'),
  input_audio: z.object({ data: address, format: AudioFormat.default('wav') }),
})
const UserPart = z.discriminatedUnion('type', [TextPart, ImagePart, FilePart, AudioPart, BarePart])
export type ResponsesPart = z.output<typeof UserPart>

const PlainPart = z.object({ type: textTypes.nullish(), text })
/** What was answered comes back as it was sent, also where it said nothing. */
const AnswerPart = PlainPart.extend({ text: z.string() })
const userContent = z.union([z.string(), z.array(UserPart).min(1).max(MAX_PARTS)])
const textContent = z.union([z.string(), z.array(PlainPart).min(1).max(MAX_PARTS)])
const answerContent = z.union([z.string(), z.array(AnswerPart).max(MAX_PARTS)])

const said = { id, status: id }
const type = z.literal('message').nullish()
const Message = z.discriminatedUnion('role', [
  z.object({ type, role: z.literal('user'), content: userContent, ...said }),
  z.object({ type, role: z.literal('assistant'), content: answerContent, ...said }),
  z.object({ type, role: z.enum(['system', 'developer']), content: textContent, ...said }),
])

const call = { ...said, call_id: z.string().min(1) }
const Item = z.discriminatedUnion('type', [
  Message,
  z.object({
    type: z.literal('function_call'),
    ...call,
    name: z.string().min(1).max(MAX_NAME_CHARS),
    arguments: z.string(),
  }),
  z.object({ type: z.literal('function_call_output'), ...call, output: textContent }),
  // Taken and without effect: nothing is kept between requests, and thoughts are not read back.
  z.object({ type: z.enum(['reasoning', 'item_reference', 'web_search_call']) }),
])
export type ResponsesItem = z.output<typeof Item>

/** What a request says: one question, or the conversation so far as its items. */
export const Input = z.union([z.string().min(1), z.array(Item).min(1).max(MAX_ITEMS)], {
  error: ({ input }) =>
    typeof input === 'string' || Array.isArray(input) ? undefined : 'must be a text or a list of items',
})
