import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { MODEL_TYPES, type ModelType } from '@/lib/contract/models'
import { config } from '@/lib/kernel/config'
import { log } from '@/lib/kernel/log'
import { fileFault } from '@/lib/kernel/operator-file'
import { perProcess } from '@/lib/kernel/per-process'
import {
  EMBEDDED_ENGINE,
  embeddedChatEngine,
  embeddingEngine,
  installEngines,
  listeningEngine,
} from '@/lib/services/engines/registry'
import { followCatalogueVersion } from '@/lib/services/models/catalogue-version'
import {
  type DefaultChoices,
  openChoices,
  readDefaultChoices,
  traitsWithDefault,
} from '@/lib/services/models/default-model'
import { isRetired, replacementOf } from '@/lib/services/models/deprecation'
import { embeddedModels as embeddedModelsOf } from '@/lib/services/models/embedded-models'
import type { ModelEntry } from '@/lib/services/models/entry'
import { installedModels, versionOfInstalled, withInstalled } from '@/lib/services/models/installed'
import { findLocalEngines } from '@/lib/services/models/local-engines'
import { type Model, modelOf } from '@/lib/services/models/model'
import {
  type EngineDefinition,
  type EngineSource,
  type ParsedModels,
  privacyOf,
  readModelsFile,
  refusesTestCredit,
} from '@/lib/services/models/models-file'
import { sourceOf } from '@/lib/services/models/providers/entries'
import { readProviders } from '@/lib/services/models/providers/store'

export type { Catalogue }

const DISCOVERY_INTERVAL_MS = 60_000
/** How soon a model is offered that another process, such as an admin command, installed or removed. */
const WATCH_INTERVAL_MS = 2_000
/** A reload that raises a price by more than this factor is refused as a typo; a restart takes it. */
const MAX_PRICE_RISE = 100n

/** What the operator connected, and what was found on this machine: each adds to what stands before it. */
type Added = { connected: EngineSource[]; local: EngineSource[]; defaults: DefaultChoices }

type Loaded = Partial<Added> & {
  catalogue: Catalogue
  given: ParsedModels
  installedVersion?: string
  discovery?: NodeJS.Timeout
  watch?: NodeJS.Timeout
  following?: NodeJS.Timeout
}

const holder = globalThis as typeof globalThis & { __serviceCatalogue?: Loaded }

/** @throws ApiError SERVICE_UNAVAILABLE until `loadCatalogue` is done. */
export function catalogue(): Catalogue {
  if (holder.__serviceCatalogue) return holder.__serviceCatalogue.catalogue
  throw new ApiError('SERVICE_UNAVAILABLE', 'The service is starting; try again in a moment.', { retryAfterSeconds: 2 })
}

export const isCatalogueLoaded = (): boolean => holder.__serviceCatalogue !== undefined

/**
 * Loads the models of the models file, or else the embedded ones and, soon after, those of servers found on this
 * machine; installed models of the hub in any case.
 * @throws ConfigError when the file cannot be read, parsed or priced.
 */
export async function loadCatalogue(): Promise<void> {
  await inTurn(async () => install(await readGiven(), addedNow()))
  if (config().modelsFile === undefined && config().findsLocalEngines) startDiscovery()
  if (config().embeddedModels !== 'off') startWatch()
}

/** Adds the models that the operator connected: now, and whenever another process changes them. */
export async function followConnected(): Promise<void> {
  const following = await followCatalogueVersion(reloadConnected)
  const loaded = holder.__serviceCatalogue
  if (loaded?.following) clearInterval(loaded.following)
  if (loaded && following) loaded.following = following
}

/** Reads anew what the operator connected; in force when it resolves. Does nothing in a process without a catalogue. */
export function reloadConnected(): Promise<void> {
  return inTurn(async () => {
    const connected = (await readProviders()).map(sourceOf)
    const defaults = await readDefaultChoices()
    const loaded = holder.__serviceCatalogue
    if (loaded === undefined) return
    if (isSame(connected, loaded.connected ?? []) && isSame(defaults, loaded.defaults ?? {})) return
    await install(loaded.given, { ...addedNow(), connected, defaults })
  })
}

/**
 * Loads the models file again; the last good catalogue stays when it fails.
 * @throws ConfigError as `loadCatalogue`, and when a price rises beyond belief.
 */
export async function reloadCatalogue(): Promise<void> {
  await inTurn(async () => install(await readGiven(), addedNow(), 'checks prices'))
}

export async function discoverLocalEngines(places?: Parameters<typeof findLocalEngines>[0]): Promise<void> {
  const found = await findLocalEngines(places)
  await inTurn(async () => {
    const loaded = holder.__serviceCatalogue
    if (loaded === undefined) return
    const before = loaded.local ?? []
    const gone = before.filter(({ engine }) => !found.some((other) => other.engine === engine))
    const local = [...found, ...gone.map(offline)].sort((a, b) => a.engine.localeCompare(b.engine))
    if (isSame(local, before)) return
    for (const { engine, entries } of found) log().info({ engine, models: entries.length }, 'local models found')
    for (const { engine } of gone) log().info({ engine }, 'local models are offline')
    await install(loaded.given, { ...addedNow(), local })
  })
}

const isSame = <T extends EngineSource[] | DefaultChoices>(now: T, before: T): boolean =>
  JSON.stringify(now) === JSON.stringify(before)

/** Base URLs of the servers on this machine that are in use without having been connected. */
export const localAddresses = (): string[] => addedNow().local.flatMap(({ definition }) => definition.baseUrls)

/** One change at a time: each is made of what is in force, and the last one must win. */
function inTurn<T>(run: () => Promise<T>): Promise<T> {
  const turns = perProcess('catalogue-turns', (): { last: Promise<unknown> } => ({ last: Promise.resolve() }))
  const mine = turns.last.then(run)
  turns.last = mine.catch(() => undefined)
  return mine
}

async function readGiven(): Promise<ParsedModels> {
  const { modelsFile, embeddedModels } = config()
  if (modelsFile !== undefined) return readModelsFile(modelsFile)
  return { engines: {}, entries: embeddedModels === 'off' ? [] : embeddedModelsOf(embeddedModels) }
}

function addedNow(): Added {
  const { connected = [], local = [], defaults = {} } = holder.__serviceCatalogue ?? {}
  return { connected, local, defaults }
}

async function install(given: ParsedModels, added: Added, checks?: 'checks prices'): Promise<void> {
  const sources = [...added.connected, ...added.local]
  const engines: Record<string, EngineDefinition> = { ...given.engines }
  for (const { engine, definition } of sources) engines[engine] ??= definition
  const installedVersion = await versionOfInstalled()
  const installed = await installedModels()
  // How long texts may be depends on the model.
  embeddingEngine()?.setInstalled(installed.embeddingModels)
  const asModel = (entry: ModelEntry) =>
    modelOf(entry, {
      privacy: privacyOf(engines[entry.engine]),
      refusesTestCredit: refusesTestCredit(engines[entry.engine]),
    })
  const own = withInstalled(given.entries, installed.entries).map(asModel)
  const names = new Set(Object.keys(engines))
  if (config().embeddedModels !== 'off') names.add(EMBEDDED_ENGINE)
  // What is added is fitted to what is given: no provider can make a valid models file invalid.
  const faults = faultsOf(own, names)
  const models = [...own, ...fitting(own, sources).map(asModel)]
  const before = holder.__serviceCatalogue
  if (checks && before) faults.push(...priceFaults(models, before.catalogue))
  if (faults.length > 0) throw fileFault(config().modelsFile ?? 'models', faults)
  logClosedEngines(models, before?.catalogue)
  await installEngines(engines, new Set(models.map(({ engine }) => engine)))
  embeddedChatEngine()?.setInstalled(installed.chatModels)
  listeningEngine()?.setInstalled(installed.speechModels)
  holder.__serviceCatalogue = {
    ...before,
    catalogue: buildCatalogue(models, openChoices(added.defaults, given)),
    given,
    ...added,
    installedVersion,
  }
}

/** Leaves out models whose id is a name already, and takes from the others the names that are taken. */
function fitting(own: Model[], sources: EngineSource[]): ModelEntry[] {
  const ids = new Set(own.map(({ id }) => id))
  const names = new Set(own.flatMap(({ traits, aliases }) => [...traits, ...aliases]))
  const fits: ModelEntry[] = []
  for (const entry of sources.flatMap(({ entries }) => entries)) {
    if (ids.has(entry.id) || names.has(entry.id)) continue
    ids.add(entry.id)
    fits.push(entry)
  }
  return fits.map((entry) => {
    const isOpen = (name: string) => !ids.has(name) && !names.has(name)
    const [traits, aliases] = [entry.traits.filter(isOpen), entry.aliases.filter(isOpen)]
    for (const name of [...traits, ...aliases]) names.add(name)
    return { ...entry, traits, aliases }
  })
}

function logClosedEngines(models: Model[], before: Catalogue | undefined): void {
  const isClosed = ({ refusesTestCredit }: Model) => refusesTestCredit
  const known = new Set(
    before
      ?.list('all', 0)
      .filter(isClosed)
      .map(({ engine }) => engine),
  )
  const closed = new Set(models.filter(isClosed).map(({ engine }) => engine))
  for (const engine of closed.difference(known)) {
    log().warn(
      { engine },
      'guests and test wallets cannot use this engine, which may cost money; to allow them, set acceptsTestCredit: true in the models file, or allow them on the administration page',
    )
  }
}

function priceFaults(models: Model[], before: Catalogue): string[] {
  return models.flatMap(({ id, rates }) => {
    const old = before.byId.get(id)?.rates
    if (!rates || !old) return []
    const risen = (['input', 'output'] as const).filter((name) => rates[name] > old[name] * MAX_PRICE_RISE)
    return risen.map(
      (name) => `${id}: pricing.${name} is more than ${MAX_PRICE_RISE} times the price in force; restart to apply it`,
    )
  })
}

const offline = (local: EngineSource): EngineSource => ({
  ...local,
  entries: local.entries.map((entry) => ({ ...entry, offline: true })),
})

function startDiscovery(): void {
  const loaded = holder.__serviceCatalogue
  if (loaded === undefined || loaded.discovery) return
  const look = () => void warned(discoverLocalEngines(), 'searching for local models failed')
  loaded.discovery = setInterval(look, DISCOVERY_INTERVAL_MS).unref()
  look()
}

const warned = (work: Promise<void>, message: string): Promise<void> =>
  work.catch((error: unknown) => log().warn({ err: error }, message))

/** Offers models of the hub that were installed since, and no longer those that were removed. */
export async function refreshInstalled(): Promise<void> {
  if (holder.__serviceCatalogue?.installedVersion === (await versionOfInstalled())) return
  await inTurn(async () => {
    const loaded = holder.__serviceCatalogue
    if (loaded) await install(loaded.given, addedNow())
  })
}

function startWatch(): void {
  const loaded = holder.__serviceCatalogue
  if (loaded === undefined || loaded.watch) return
  const look = () => void warned(refreshInstalled(), 'installed models could not be read')
  loaded.watch = setInterval(look, WATCH_INTERVAL_MS).unref()
}

export function unloadCatalogue(): void {
  clearInterval(holder.__serviceCatalogue?.discovery)
  clearInterval(holder.__serviceCatalogue?.watch)
  clearInterval(holder.__serviceCatalogue?.following)
  holder.__serviceCatalogue = undefined
}

const DEFAULT_EMBEDDING_ALIAS = 'text-embedding-ada-002'

type Catalogue = {
  readonly byId: ReadonlyMap<string, Model>
  list(type: ModelType | 'all' | 'code', now: number): Model[]
  /** Trait → model. A trait of a retired model passes to its replacement, or to the newest that anyone can use. */
  traits(type: ModelType, now: number): ReadonlyMap<string, Model>
  /** Foreign id → model, retired ones included: they are resolved like any other name. */
  aliases(type: ModelType): ReadonlyMap<string, Model>
}

export function buildCatalogue(models: readonly Model[], choices: DefaultChoices = {}): Catalogue {
  const byId = new Map(models.map((model) => [model.id, model]))
  const newestFirst = [...models].sort((a, b) => createdOf(b) - createdOf(a))
  const ofType = (type: ModelType) => newestFirst.filter((model) => model.type === type)
  const heir = (type: ModelType, now: number) => {
    const live = ofType(type).filter((model) => !isRetired(model, now))
    return live.find(isForAll) ?? live[0]
  }
  const traitHolders = new Map(
    MODEL_TYPES.map((type) => [
      type,
      traitsWithDefault(
        models.filter((one) => one.type === type),
        choices[type],
      ),
    ]),
  )
  const aliasHolders = new Map(MODEL_TYPES.map((type) => [type, aliasesOf(type, ofType(type), traitHolders.get(type))]))

  return {
    byId,
    list(type, now) {
      const listed = newestFirst.filter((model) => !isRetired(model, now))
      if (type === 'all') return listed
      if (type === 'code') return listed.filter((model) => model.capabilities.optimizedForCode === true)
      return listed.filter((model) => model.type === type)
    },
    traits(type, now) {
      const held = new Map<string, Model>()
      for (const [trait, model] of traitHolders.get(type) ?? []) {
        const holder = isRetired(model, now) ? (replacementOf(model, byId, now) ?? heir(type, now)) : model
        if (holder) held.set(trait, holder)
      }
      return held
    },
    aliases: (type) => aliasHolders.get(type) ?? new Map(),
  }
}

const isForAll = (model: Model): boolean => model.access === 'everyone' && !model.isOffline && !model.regions
const createdOf = (model: Model): number => model.record.created as number

function aliasesOf(type: ModelType, models: Model[], traits?: Map<string, Model>): Map<string, Model> {
  const aliases = new Map(models.flatMap((model) => model.aliases.map((alias) => [alias, model] as const)))
  const standard = traits?.get('default')
  if (type === 'embedding' && standard && !aliases.has(DEFAULT_EMBEDDING_ALIAS)) {
    aliases.set(DEFAULT_EMBEDDING_ALIAS, standard)
  }
  return aliases
}

/** Lists what is wrong between models: names that collide, references that lead nowhere. */
export function faultsOf(models: readonly Model[], engines: ReadonlySet<string>): string[] {
  const faults: string[] = []
  const byId = new Map<string, Model>()
  for (const model of models) {
    if (byId.has(model.id)) faults.push(`${model.id}: two models have this id`)
    byId.set(model.id, model)
  }
  const names = new Map<string, Model>()
  for (const model of models) {
    if (!engines.has(model.engine)) faults.push(`${model.id}: there is no engine ${model.engine}`)
    for (const name of [...model.traits, ...model.aliases]) {
      const other = byId.get(name) ?? names.get(`${model.type}\n${name}`)
      if (other !== undefined) faults.push(`${model.id}: ${name} is already a name of ${other.id}`)
      names.set(`${model.type}\n${name}`, model)
    }
    for (const id of [...model.fallbacks, model.deprecation?.replacementModelId]) {
      if (id !== undefined) faults.push(...referenceFaults(model, id, byId))
    }
    faults.push(...capabilityFaults(model))
  }
  return faults
}

function referenceFaults(model: Model, id: string, byId: Map<string, Model>): string[] {
  const other = byId.get(id)
  if (id === model.id) return [`${model.id}: refers to itself`]
  if (other === undefined) return [`${model.id}: there is no model ${id}`]
  return other.type === model.type ? [] : [`${model.id}: ${id} is of another type (${other.type})`]
}

function capabilityFaults({ id, type, capabilities, contextTokens, maxCompletionTokens }: Model): string[] {
  if (type !== 'text') return []
  const faults: string[] = []
  const { reasoningEffortOptions: efforts, defaultReasoningEffort: effort } = capabilities
  if (capabilities.supportsResponseSchema && !capabilities.supportsFunctionCalling) {
    faults.push(`${id}: supportsResponseSchema needs supportsFunctionCalling`)
  }
  if ((efforts || effort) && !capabilities.supportsReasoningEffort) {
    faults.push(`${id}: reasoningEffortOptions and defaultReasoningEffort need supportsReasoningEffort`)
  }
  if (effort && !efforts?.includes(effort)) {
    faults.push(`${id}: defaultReasoningEffort is not among reasoningEffortOptions`)
  }
  if (maxCompletionTokens > contextTokens) faults.push(`${id}: maxCompletionTokens is more than contextTokens`)
  return faults
}
