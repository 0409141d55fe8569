import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import {
  type ConnectedProvider,
  MAX_PROVIDER_KEY_CHARS,
  MAX_PROVIDER_MODELS,
  MAX_PROVIDERS,
} from '@/lib/contract/providers'
import { catalogue, isCatalogueLoaded, reloadConnected } from '@/lib/services/models/catalogue'
import { refusesTestCredit } from '@/lib/services/models/models-file'
import { engineNameOf, modelFault, modelIdOf, sourceOf } from '@/lib/services/models/providers/entries'
import { type Target, targetOf } from '@/lib/services/models/providers/list-models'
import { presetOf, speaksVideo } from '@/lib/services/models/providers/presets'
import {
  deleteProvider,
  insertProvider,
  readProviders,
  type StoredModel,
  type StoredProvider,
  updateProvider,
} from '@/lib/services/models/providers/store'

const MAX_SHOWN_FAULTS = 3
const MAX_NAME_CHARS = 40
const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/
/** Parts of the page's own addresses. */
const RESERVED: ReadonlySet<string> = new Set(['found', 'models', 'word', 'embedded'])

export type Connection = {
  name?: string | undefined
  preset?: string | undefined
  address?: string | undefined
  key?: string | undefined
  models: StoredModel[]
  marginPercent: number
  acceptsTestCredit?: boolean | undefined
}

/**
 * Connects a server: its models are offered in this process when it resolves, and in others within two seconds.
 * @throws ApiError INVALID_REQUEST with a sentence, ProbeError for an address that cannot be one.
 */
export async function connectProvider(connection: Connection): Promise<ConnectedProvider> {
  const { models, marginPercent, acceptsTestCredit } = connection
  const target = targetOf({ ...connection, key: plainKey(connection.key) })
  const known = await readProviders()
  if (known.length >= MAX_PROVIDERS) throw refuse(`There can be ${MAX_PROVIDERS} providers. Remove one first.`)
  const name = connection.name === undefined ? freeName(target, known) : ownName(connection.name)
  assertModels({ name, preset: target.preset?.id ?? null }, models)
  const { apiKey: _, ...definition } = target.definition
  const isAdded = await insertProvider({
    name,
    preset: target.preset?.id ?? null,
    definition: { ...definition, ...(acceptsTestCredit !== undefined && { acceptsTestCredit }) },
    key: target.key,
    models,
    marginPercent,
    isPaused: false,
  })
  if (!isAdded) throw refuse(`There is a provider named ${name} already. Choose another name, or change that one.`)
  return inForce(name)
}

export type ProviderChange = {
  key?: string | undefined
  models?: StoredModel[] | undefined
  marginPercent?: number | undefined
  isPaused?: boolean | undefined
  acceptsTestCredit?: boolean | undefined
}

/** Changes prices, models, key or state of a provider. @throws ApiError NOT_FOUND or INVALID_REQUEST. */
export async function changeProvider(name: string, change: ProviderChange): Promise<ConnectedProvider> {
  const { acceptsTestCredit, key, models, ...rest } = change
  const provider = await storedProvider(name)
  if (models !== undefined) assertModels(provider, models)
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  const isChanged = await updateProvider(name, {
    ...given,
    ...(models !== undefined && { models }),
    ...(key !== undefined && { key: plainKey(key) }),
    ...(acceptsTestCredit !== undefined && { definition: { ...provider.definition, acceptsTestCredit } }),
  })
  if (!isChanged) throw unknown(name)
  return inForce(name)
}

/** Removes a provider and its key. Answers under way end normally. @throws ApiError NOT_FOUND. */
export async function removeProvider(name: string): Promise<void> {
  if (!(await deleteProvider(name))) throw unknown(name)
  await reloadConnected()
}

export async function listProviders(): Promise<ConnectedProvider[]> {
  return (await readProviders()).map(shown)
}

/** The server behind a connected provider, for a look at its models with the key that is stored, or with a new one. */
export async function targetOfProvider(name: string, newKey?: string): Promise<Target> {
  const { preset, definition, key } = await storedProvider(name)
  return targetOf({ preset: preset ?? undefined, address: definition.baseUrls[0], key: newKey ?? key })
}

async function storedProvider(name: string): Promise<StoredProvider> {
  const provider = (await readProviders()).find((one) => one.name === name)
  if (!provider) throw unknown(name)
  return provider
}

async function inForce(name: string): Promise<ConnectedProvider> {
  await reloadConnected()
  return shown(await storedProvider(name))
}

function shown(provider: StoredProvider): ConnectedProvider {
  const { name, preset, definition, keyLast4, marginPercent, isPaused, createdAt, isBroken } = provider
  const loaded = isCatalogueLoaded() ? catalogue() : undefined
  return {
    name,
    preset,
    address: definition.baseUrls[0] ?? '',
    keyLast4,
    marginPercent,
    isPaused,
    acceptsTestCredit: definition.acceptsTestCredit === true,
    refusesTestCredit: refusesTestCredit(sourceOf(provider).definition),
    createdAt: createdAt.toISOString(),
    models: provider.models.map((model) => {
      const id = modelIdOf(name, model.upstreamModel)
      const isTaken = loaded !== undefined && loaded.byId.get(id)?.engine !== engineNameOf(name)
      const isDefault = !isTaken && loaded?.traits(model.type, Date.now()).get('default')?.id === id
      return { ...model, id, isDefault, state: isTaken ? 'taken' : isPaused || isBroken ? 'paused' : 'live' }
    }),
    ...(isBroken && { isBroken }),
  }
}

function assertModels(provider: Pick<StoredProvider, 'name' | 'preset'>, models: StoredModel[]): void {
  if (models.length === 0) throw refuse('Choose at least one model.')
  if (models.length > MAX_PROVIDER_MODELS) throw refuse(`Choose at most ${MAX_PROVIDER_MODELS} models.`)
  const preset = presetOf(provider.preset ?? '')
  if (!speaksVideo(preset) && models.some(({ type }) => type === 'video')) {
    throw refuse(`The videos of ${preset?.name} have a form of their own, which cannot be connected. Leave them out.`)
  }
  const faults = models.flatMap((model) => modelFault(provider, model) ?? [])
  const ids = models.map(({ upstreamModel }) => modelIdOf(provider.name, upstreamModel))
  const twice = ids.find((id, at) => ids.indexOf(id) !== at)
  if (twice !== undefined) faults.push(`${twice}: two of the models would have this id. Leave one of them out.`)
  if (faults.length === 0) return
  const more = faults.length - MAX_SHOWN_FAULTS
  const rest = more > 0 ? [`And ${more} more models have a fault.`] : []
  throw refuse([...faults.slice(0, MAX_SHOWN_FAULTS), ...rest].join(' '))
}

function plainKey(key: string | undefined): string | undefined {
  const plain = key?.trim()
  if (plain === undefined || plain === '') return undefined
  if (plain.length <= MAX_PROVIDER_KEY_CHARS && /^[\x21-\x7e]+$/.test(plain)) return plain
  throw refuse('The key contains spaces or characters that no key has, or is too long. Copy it again.')
}

function ownName(name: string): string {
  if (NAME.test(name) && !RESERVED.has(name)) return name
  throw refuse(`${name.slice(0, MAX_NAME_CHARS)}: a name has lower-case letters, digits and hyphens, at most 40.`)
}

/** The preset's name or the host's, with a number where that is taken. An address of numbers is no name. */
function freeName({ preset, address }: Target, known: StoredProvider[]): string {
  const { hostname } = new URL(address)
  const isNumber = /^[\d.]+$|^\[/.test(hostname)
  const host = isNumber ? 'server' : hostname.replace(/^(api|www)\./, '').replace(/[^a-z0-9]+/g, '-')
  const base = (preset?.id ?? host).replace(/^-+|-+$/g, '').slice(0, MAX_NAME_CHARS - 4) || 'server'
  const isFree = (name: string) => NAME.test(name) && !RESERVED.has(name) && !known.some((one) => one.name === name)
  if (isFree(base)) return base
  for (let count = 2; count <= MAX_PROVIDERS + RESERVED.size + 1; count++) {
    if (isFree(`${base}-${count}`)) return `${base}-${count}`
  }
  throw refuse('Choose a name for this provider.')
}

const refuse = (sentence: string): ApiError => new ApiError('INVALID_REQUEST', sentence)
const unknown = (name: string): ApiError =>
  new ApiError('NOT_FOUND', `There is no provider named ${name.slice(0, MAX_NAME_CHARS)}.`)
