import 'server-only'
import ipaddr from 'ipaddr.js'
import { ApiError } from '@/lib/contract/errors'
import { config } from '@/lib/kernel/config'
import { log } from '@/lib/kernel/log'
import { embeddedModels as embeddedModelsOf } from '@/lib/services/engines/embedded/models'
import { EMBEDDED_ENGINE, installEngines } from '@/lib/services/engines/registry'
import { buildCatalogue, type Catalogue, faultsOf } from '@/lib/services/models/build-catalogue'
import { ModelEntry } from '@/lib/services/models/entry'
import { findLocalEngines, type LocalEngine } from '@/lib/services/models/local-engines'
import type { Model } from '@/lib/services/models/model'
import { type EngineDefinition, fault, type ParsedModels, readModelsFile } from '@/lib/services/models/models-file'
import { modelOf } from '@/lib/services/models/record'

export type { Catalogue }

const DISCOVERY_INTERVAL_MS = 60_000
/** A reload that raises a price by more than this factor is refused as a typo; a restart takes it. */
const MAX_PRICE_RISE = 100n

type Loaded = {
  catalogue: Catalogue
  given: ParsedModels
  local: LocalEngine[]
  discovery?: NodeJS.Timeout
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
 * machine.
 * @throws ConfigError when the file cannot be read, parsed or priced.
 */
export async function loadCatalogue(): Promise<void> {
  const given = await readGiven()
  await install(given, holder.__serviceCatalogue?.local ?? [])
  if (config().modelsFile === undefined && config().findsLocalEngines) startDiscovery()
}

/**
 * Loads the models file again; the last good catalogue stays when it fails.
 * @throws ConfigError as `loadCatalogue`, and when a price rises beyond belief.
 */
export async function reloadCatalogue(): Promise<void> {
  const given = await readGiven()
  await install(given, holder.__serviceCatalogue?.local ?? [], 'checks prices')
}

export async function discoverLocalEngines(places?: Parameters<typeof findLocalEngines>[0]): Promise<void> {
  const found = await findLocalEngines(places)
  const loaded = holder.__serviceCatalogue
  if (loaded === undefined) return
  const gone = loaded.local.filter(({ engine }) => !found.some((other) => other.engine === engine))
  const local = [...found, ...gone.map(offline)].sort((a, b) => a.engine.localeCompare(b.engine))
  if (JSON.stringify(local) === JSON.stringify(loaded.local)) return
  for (const { engine, entries } of found) log().info({ engine, models: entries.length }, 'local models found')
  for (const { engine } of gone) log().info({ engine }, 'local models are offline')
  await install(loaded.given, local)
}

async function readGiven(): Promise<ParsedModels> {
  const { modelsFile, embeddedModels } = config()
  if (modelsFile !== undefined) return readModelsFile(modelsFile)
  const entries = embeddedModels === 'off' ? [] : embeddedModelsOf(embeddedModels)
  return { engines: {}, entries: entries.map((entry) => ModelEntry.parse(entry)) }
}

async function install(given: ParsedModels, local: LocalEngine[], checks?: 'checks prices'): Promise<void> {
  const engines: Record<string, EngineDefinition> = { ...given.engines }
  for (const { engine, definition } of local) engines[engine] ??= definition
  const taken = new Set(given.entries.map(({ id }) => id))
  const found = local.flatMap(({ entries }) => entries.filter(({ id }) => !taken.has(id)))
  const models = [...given.entries, ...found].map((entry) =>
    modelOf(entry, {
      privacy: privacyOf(engines[entry.engine]),
      refusesTestCredit: refusesTestCredit(engines[entry.engine]),
    }),
  )
  const names = new Set(Object.keys(engines))
  if (config().embeddedModels !== 'off') names.add(EMBEDDED_ENGINE)
  const faults = faultsOf(models, names)
  const before = holder.__serviceCatalogue
  if (checks && before) faults.push(...priceFaults(models, before.catalogue))
  if (faults.length > 0) throw fault(config().modelsFile ?? 'models', faults)
  sayWhoIsClosed(models, before?.catalogue)
  await installEngines(engines, new Set(models.map(({ engine }) => engine)))
  holder.__serviceCatalogue = { catalogue: buildCatalogue(models), given, local, discovery: before?.discovery }
}

function sayWhoIsClosed(models: Model[], before: Catalogue | undefined): void {
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
      'guests and test wallets may not use this engine, which may cost money; acceptsTestCredit: true in the models file lets them',
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

const offline = (local: LocalEngine): LocalEngine => ({
  ...local,
  entries: local.entries.map((entry) => ({ ...entry, offline: true })),
})

function startDiscovery(): void {
  const loaded = holder.__serviceCatalogue
  if (loaded === undefined || loaded.discovery) return
  const look = () =>
    void discoverLocalEngines().catch((error: unknown) => log().warn({ err: error }, 'looking for local models failed'))
  loaded.discovery = setInterval(look, DISCOVERY_INTERVAL_MS).unref()
  look()
}

export function unloadCatalogue(): void {
  clearInterval(holder.__serviceCatalogue?.discovery)
  holder.__serviceCatalogue = undefined
}

/**
 * Classifies an engine without a word from its operator: `private` where all of its addresses are on this machine or a
 * private network, else `anonymized`.
 */
export function privacyOf(definition: EngineDefinition | undefined): 'private' | 'anonymized' {
  const isOurs = definition === undefined || definition.baseUrls.every((url) => isInternal(new URL(url).hostname))
  return isOurs ? 'private' : 'anonymized'
}

function isInternal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(host))
    return ['loopback', 'private', 'uniqueLocal', 'linkLocal'].includes(ipaddr.process(host).range())
  return !host.includes('.') || /\.(local|internal|lan|localhost)$/.test(host)
}

/**
 * Tells whether an engine's models are closed to the sandbox's test credit: an engine elsewhere, or one that takes a
 * key, may cost its operator money.
 */
export function refusesTestCredit(definition: EngineDefinition | undefined): boolean {
  if (!config().isSandbox || definition === undefined) return false
  const isFree = definition.apiKey === undefined && privacyOf(definition) === 'private'
  return !(definition.acceptsTestCredit ?? isFree)
}
