import 'server-only'
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { asc, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import {
  MAX_GENERATED_SECONDS,
  MAX_UPSTREAM_MODEL_CHARS,
  PROVIDER_CAPABILITIES,
  PROVIDER_MODEL_TYPES,
} from '@/lib/contract/providers'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { installationSecret } from '@/lib/db/installation-secret'
import { providers } from '@/lib/db/schema/providers'
import { log } from '@/lib/kernel/log'
import { bumpCatalogueVersion } from '@/lib/services/models/catalogue-version'
import { inputNames } from '@/lib/services/models/entry'
import { type EngineDefinition, EngineSettings } from '@/lib/services/models/models-file'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const SHOWN_KEY_CHARS = 4
/** Of a shorter key the end would be too much of it. */
const MIN_SHOWN_KEY_CHARS = 12

const usd = z.number().min(0)
const StoredPrices = z.strictObject({
  input: usd.optional(),
  output: usd.optional(),
  cacheInput: usd.optional(),
  cacheWrite: usd.optional(),
  image: usd.optional(),
  second: usd.optional(),
})
const choices = z.array(z.string().min(1).max(20)).max(50)
const StoredVideo = z.strictObject({
  modelType: z.enum(['text-to-video', 'image-to-video']).optional(),
  seconds: z.array(z.int().min(1).max(MAX_GENERATED_SECONDS)).min(1).max(MAX_GENERATED_SECONDS).optional(),
  aspectRatios: choices.optional(),
  resolutions: choices.optional(),
  audio: z.enum(['always', 'optional']).optional(),
  inputNames: inputNames.optional(),
})
export const StoredModel = z.strictObject({
  upstreamModel: z.string().min(1).max(MAX_UPSTREAM_MODEL_CHARS),
  name: z.string().min(1).max(100).optional(),
  type: z.enum(PROVIDER_MODEL_TYPES),
  contextTokens: z.int().min(1).optional(),
  maxCompletionTokens: z.int().min(1).optional(),
  capabilities: z.partialRecord(z.enum(PROVIDER_CAPABILITIES), z.boolean()).optional(),
  video: StoredVideo.optional(),
  created: z.int().min(0).optional(),
  cost: StoredPrices.nullable().optional(),
  prices: StoredPrices.nullable(),
})
export type StoredModel = z.output<typeof StoredModel>

export type StoredProvider = {
  name: string
  preset: string | null
  definition: Omit<EngineDefinition, 'apiKey'>
  key: string | undefined
  keyLast4: string | null
  models: StoredModel[]
  marginPercent: number
  isPaused: boolean
  createdAt: Date
  /** Its key or its models cannot be read. */
  isBroken: boolean
}

export type ProviderFields = Pick<
  StoredProvider,
  'name' | 'preset' | 'definition' | 'key' | 'models' | 'marginPercent' | 'isPaused'
>

export async function readProviders(): Promise<StoredProvider[]> {
  const { drizzle } = await getDb()
  const rows = await drizzle.select().from(providers).orderBy(asc(providers.createdAt), asc(providers.name))
  return Promise.all(rows.map(readRow))
}

type Row = typeof providers.$inferSelect

async function readRow({ definition, models, key: sealed, ...row }: Row): Promise<StoredProvider> {
  const settings = EngineSettings.safeParse(definition)
  const known = z.array(StoredModel).safeParse(models)
  const key = sealed === null ? undefined : await opened(row.name, sealed)
  const isBroken = !settings.success || !known.success || (sealed !== null && key === undefined)
  if (isBroken) log().error({ provider: row.name }, 'a connected provider cannot be read; connect it again')
  return {
    ...row,
    definition: settings.data ?? { kind: 'openai' as const, baseUrls: [] },
    models: known.data ?? [],
    key,
    isBroken,
  }
}

/** Inserts a provider. Returns false when the name is taken. */
export async function insertProvider(fields: ProviderFields): Promise<boolean> {
  const row = { ...fields, ...(await sealedFields(fields)) }
  return changing(async (transaction) => {
    const added = await transaction.insert(providers).values(row).onConflictDoNothing().returning(NAME)
    return added.length > 0
  })
}

/** Changes a provider. A missing `key` leaves the one that is there. Returns false when there is none of this name. */
export async function updateProvider(name: string, changes: Partial<Omit<ProviderFields, 'name'>>): Promise<boolean> {
  const { key, ...fields } = changes
  const row = { ...fields, ...(key !== undefined && (await sealedFields({ name, key }))), updatedAt: sql`now()` }
  return changing(async (transaction) => {
    const changed = await transaction.update(providers).set(row).where(eq(providers.name, name)).returning(NAME)
    return changed.length > 0
  })
}

export async function deleteProvider(name: string): Promise<boolean> {
  return changing(async (transaction) => {
    const gone = await transaction.delete(providers).where(eq(providers.name, name)).returning(NAME)
    return gone.length > 0
  })
}

const NAME = { name: providers.name }

type Drizzle = Database['drizzle']
type Transaction = Parameters<Parameters<Drizzle['transaction']>[0]>[0]

async function changing(change: (transaction: Transaction) => Promise<boolean>): Promise<boolean> {
  const { drizzle } = await getDb()
  return drizzle.transaction(async (transaction) => {
    const hasChanged = await change(transaction)
    if (hasChanged) await bumpCatalogueVersion(transaction)
    return hasChanged
  })
}

async function sealedFields({ name, key }: Pick<ProviderFields, 'name' | 'key'>) {
  if (key === undefined) return { key: null, keyLast4: null }
  const keyLast4 = key.length < MIN_SHOWN_KEY_CHARS ? '' : key.slice(-SHOWN_KEY_CHARS)
  return { key: await sealed(name, key), keyLast4 }
}

/** Initialisation vector, tag and text, bound to the provider's name: a key copied to another row cannot be read. */
async function sealed(name: string, key: string): Promise<Buffer> {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, await cipherKey(), iv).setAAD(Buffer.from(name))
  const text = Buffer.concat([cipher.update(key, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), text])
}

async function opened(name: string, bytes: Uint8Array): Promise<string | undefined> {
  try {
    const whole = Buffer.from(bytes)
    const tag = whole.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)
    const decipher = createDecipheriv(CIPHER, await cipherKey(), whole.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(Buffer.from(name)).setAuthTag(tag)
    return decipher.update(whole.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}

const cipherKey = async (): Promise<Buffer> =>
  Buffer.from(hkdfSync('sha256', await installationSecret('providers'), '', 'keys of connected providers', KEY_BYTES))
