import { z } from 'zod'
import { LIMITS } from '@/components/history/archive/limits'
import type { Failure } from '@/lib/browser/failure'
import {
  type ContentFacts,
  type CreationFile,
  type CreationJob,
  type Generation,
  KINDS,
  STATES,
  TASKS,
} from '@/lib/browser/storage/generations'
import {
  type Attachment,
  type Conversation,
  type DaySpending,
  type DraftFiles,
  type Favourite,
  type Folder,
  isTemporary,
  type LocalCharacter,
  type Message,
  type Part,
  type Receipt,
  type StoredShare,
  type Unfinished,
} from '@/lib/browser/storage/records'
import { nano, type Usd } from '@/lib/contract/money'

/** Shapes of the records that a file may bring: unknown fields are dropped, wrong ones refused. */

const id = z
  .string()
  .regex(/^[\w-]{1,64}$/)
  .refine((given) => !isTemporary(given))
const hash = z.string().regex(/^[0-9a-f]{64}$/)
const parent = z.union([id, z.literal('')])
const name = z.string().max(1_000)
const longText = z.string().max(LIMITS.text)
const time = z.number().min(0).max(8.64e15)
const count = z.number().min(0).max(Number.MAX_SAFE_INTEGER)
const money = z
  .bigint()
  .min(0n)
  .max(10n ** 18n)
  .transform((amount): Usd => nano(amount))
const flag = z.boolean()
const bounded = <T extends z.ZodType>(item: T, max: number) => z.array(item).max(max)

/** Every field of a record has to be named, so that none is lost when one is added. */
type Fields<T> = { [Name in keyof Required<T>]: z.ZodType }
const record =
  <T>() =>
  <F extends Fields<T>>(fields: F) =>
    z.object(fields)

const character = z.object({ id: z.string().max(200), name, isLocal: flag.optional() })

const settings = z.object({
  systemPrompt: longText.optional(),
  isServicePromptOff: flag.optional(),
  temperature: z.number().optional(),
  topP: z.number().optional(),
  maxOutputTokens: count.optional(),
  effort: z.enum(['minimal', 'low', 'medium', 'high']).optional(),
  isThinkingOff: flag.optional(),
  sources: z
    .object({ web: z.enum(['auto', 'on']).optional(), readsLinks: flag.optional(), searchesX: flag.optional() })
    .optional(),
})

const failure = record<Failure>()({
  code: z.string().max(60),
  message: z.string().max(4_000),
  requestId: name.optional(),
  retryAt: z.number().optional(),
  at: z.number().optional(),
  credit: z.object({ balance: z.bigint(), minimum: z.bigint() }).optional(),
})

const attachment = record<Attachment>()({
  id: z.string().max(64),
  kind: z.enum(['image', 'audio', 'video', 'document']),
  name,
  mediaType: z.string().max(200),
  size: count,
  hash,
  width: count.optional(),
  height: count.optional(),
  durationMs: count.optional(),
  pages: count.optional(),
  tokens: count.optional(),
})

const citations = bounded(
  z.object({
    title: z.string().max(2_000),
    url: z.string().max(8_000),
    content: longText.optional(),
    date: name.optional(),
  }),
  500,
)

const steps = bounded(
  z.union([
    z.object({
      type: z.literal('search'),
      sources: count,
      outcome: z.enum(['found', 'nothing_found', 'failed', 'not_needed']).optional(),
    }),
    z.object({ type: z.literal('assist'), reads: z.enum(['image_url', 'input_audio', 'video_url']), model: name }),
    z.object({ type: z.literal('tool'), name, input: longText }),
  ]),
  500,
)

/** Its id becomes part of an address that is fetched. */
const unpriced = z.object({
  id,
  model: name,
  at: time,
  payer: name.optional(),
  durationMs: count.optional(),
  ray: name.optional(),
  purpose: z.enum(['title', 'suggestions']).optional(),
})

export const ConversationShape = record<Conversation>()({
  id,
  title: name,
  isNamed: flag,
  createdAt: time,
  updatedAt: time,
  modelId: name,
  deletedAt: time.optional(),
  branches: z.record(parent, id),
  settings: settings.optional(),
  character: character.optional(),
  folderId: id.optional(),
  isPinned: flag.optional(),
  isArchived: flag.optional(),
  tags: bounded(z.string().max(100), 100).optional(),
  isUnread: flag.optional(),
  unpriced: bounded(unpriced, 100).optional(),
})

export const MessageShape = record<Message>()({
  id,
  conversationId: id,
  parentId: parent,
  role: z.enum(['user', 'assistant']),
  status: z.enum(['streaming', 'done', 'stopped', 'failed', 'interrupted']),
  createdAt: time,
  modelId: name.optional(),
  finishReason: name.optional(),
  thinkingMs: count.optional(),
  failure: failure.optional(),
  notice: z.string().max(4_000).optional(),
  attachments: bounded(attachment, 200).optional(),
  character: character.optional(),
  settings: settings.optional(),
  citations: citations.optional(),
  steps: steps.optional(),
  comparison: name.optional(),
  wasLeft: z.literal(true).optional(),
  unpriced: bounded(unpriced, 100).optional(),
})

export const PartShape = record<Part>()({
  messageId: id,
  conversationId: id,
  i: z.number().int().min(0).max(1_000_000),
  type: z.enum(['reasoning', 'text']),
  payload: longText,
})

const tokens = z.object({ input: count, output: count, cached: count, reasoning: count })

export const ReceiptShape = record<Receipt>()({
  id: name,
  conversationId: id,
  messageId: parent,
  requestId: name.optional(),
  model: name,
  tokens,
  sources: count.optional(),
  sourcesCost: money.optional(),
  readingCost: money.optional(),
  purpose: z.enum(['title', 'suggestions']).optional(),
  character: name.optional(),
  cost: money.optional(),
  durationMs: count,
  at: time,
})

const creationFile = record<CreationFile>()({
  id: z.string().max(64),
  // What a full browser had no room for has no hash, and no bytes.
  hash: z.string().regex(/^([0-9a-f]{64}|unkept-[\w-]{1,64})$/),
  name,
  mediaType: z.string().max(200),
  size: count,
  width: count.optional(),
  height: count.optional(),
  durationMs: count.optional(),
})

const CreationShape = record<Generation>()({
  id,
  kind: z.enum(KINDS),
  task: z.enum(TASKS),
  modelId: name,
  modelName: name,
  prompt: longText,
  settings: z.record(z.string().max(100), z.union([longText, z.number(), flag])),
  inputs: bounded(creationFile, 100),
  state: z.enum(STATES),
  createdAt: time,
  startedAt: time.optional(),
  endedAt: time.optional(),
  job: record<CreationJob>()({
    id,
    typicalMs: count.optional(),
    ranMs: count.optional(),
    seenAt: time,
    price: money.optional(),
    payer: name.optional(),
  }).optional(),
  request: unpriced.optional(),
  results: bounded(creationFile, 100),
  text: longText.optional(),
  isCut: z.literal(true).optional(),
  content: record<ContentFacts>()({
    isBlurred: flag.optional(),
    isViolation: flag.optional(),
    isAdultViolation: flag.optional(),
    hasMinor: flag.optional(),
    enhancedPrompt: longText.optional(),
  }).optional(),
  cost: money.optional(),
  failure: failure.optional(),
  deletedAt: time.optional(),
})

export const SHAPES = {
  conversations: ConversationShape,
  messages: MessageShape,
  parts: PartShape,
  receipts: ReceiptShape,
  unfinished: record<Unfinished>()({
    messageId: id,
    text: longText,
    reasoning: longText,
    thinkingMs: count.optional(),
    citations: citations.optional(),
    steps: steps.optional(),
    savedAt: time,
  }),
  spending: record<DaySpending>()({ day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/), spent: money }),
  folders: record<Folder>()({ id, name, position: z.number() }),
  draftFiles: record<DraftFiles>()({
    chatId: z
      .string()
      .max(200)
      .refine((given) => !isTemporary(given)),
    attachments: bounded(attachment, 200),
  }),
  characters: record<LocalCharacter>()({
    id,
    name,
    description: longText,
    systemPrompt: longText,
    greeting: longText,
    tags: bounded(z.string().max(100), 100),
    portrait: hash.optional(),
    createdAt: time,
    updatedAt: time,
  }),
  favourites: record<Favourite>()({ key: name, kind: z.enum(['character', 'model']), id: name, at: z.number() }),
  shares: record<StoredShare>()({
    id,
    conversationId: id,
    title: name,
    key: z.string().max(100),
    secret: z.string().max(100),
    createdAt: time,
    expiresAt: time,
  }),
  creations: CreationShape,
}

export type PlainTable = keyof typeof SHAPES
export const PLAIN_TABLES = Object.keys(SHAPES) as PlainTable[]

/** Money is whole numbers beyond what JSON can say. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, field: unknown) => (typeof field === 'bigint' ? { $bigint: String(field) } : field))

/** @throws SyntaxError. */
export const fromJson = (text: string): unknown => JSON.parse(text, (_, field: unknown) => revived(field))

export function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive)
  if (typeof value !== 'object' || value === null) return value
  const big = revived(value)
  if (big !== value) return big
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, revive(field)]))
}

function revived(field: unknown): unknown {
  if (typeof field !== 'object' || field === null || !Object.hasOwn(field, '$bigint')) return field
  const { $bigint: digits } = field as { $bigint: unknown }
  return typeof digits === 'string' && /^-?\d{1,30}$/.test(digits) ? BigInt(digits) : field
}
