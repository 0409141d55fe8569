import 'server-only'
import type {
  AdminModels,
  InstalledModelRecord,
  ModelDownload,
  ModelSuggestion,
} from '@/lib/contract/admin-models.schema'
import { ApiError } from '@/lib/contract/errors'
import { config } from '@/lib/kernel/config'
import { log } from '@/lib/kernel/log'
import {
  announceDownload,
  assertRoomForDownload,
  findDownload,
  listDownloads,
  pullModel,
  sourceOf,
  stopDownload,
} from '@/lib/services/engines/embedded/hub/downloads'
import {
  type InstalledModel,
  listInstalled,
  removeInstalled,
  sizeOf,
} from '@/lib/services/engines/embedded/hub/installed-model'
import type { PullStatus } from '@/lib/services/engines/embedded/hub/pull-status'
import { type ModelSource, parseSource } from '@/lib/services/engines/embedded/hub/source'
import type { Speeds } from '@/lib/services/engines/embedded/hub/speed'
import { type Suggestion, suggestionsHere } from '@/lib/services/engines/embedded/hub/suggestions'
import { embeddedChatEngine } from '@/lib/services/engines/registry'
import { catalogue, refreshInstalled } from '@/lib/services/models/catalogue'

/** Lists what runs on this machine, what is installed and what is being downloaded. */
export async function adminModels(): Promise<AdminModels> {
  const { embeddedModels, modelHub } = config()
  const installed = await listInstalled(modelHub.folder)
  const { machine, speeds, suggestions } = await suggestionsHere(installed)
  const { memoryBytes, freeDiskBytes, cores, processor } = machine
  const runsOn = embeddedChatEngine()?.processor()
  return {
    isAvailable: embeddedModels !== 'off',
    hub: { endpoint: modelHub.endpoint, hasToken: modelHub.token !== undefined },
    machine: { memoryBytes, freeDiskBytes, cores, processor, folder: modelHub.folder, ...(runsOn && { runsOn }) },
    suggestions: suggestions.map(suggestionRecord),
    installed: installed.map((model) => installedRecord(model, speeds)),
    downloads: (await listDownloads()).map(downloadRecord),
  }
}

/** @throws EngineError `invalid-request` for a source that cannot be read, `at-capacity` while others are downloaded. */
export async function startDownload(text: string): Promise<ModelDownload> {
  assertAvailable()
  return await run(parseSource(text))
}

/** @throws ApiError NOT_FOUND for a download that has ended. */
export async function changeDownload(id: string, action: 'pause' | 'resume' | 'cancel'): Promise<ModelDownload[]> {
  assertAvailable()
  const download = await findDownload(id)
  if (!download) throw new ApiError('NOT_FOUND', 'This download has ended. Reload the list.')
  if (action === 'resume') await run(sourceOf(download))
  else await stopDownload(download, action)
  return (await listDownloads()).map(downloadRecord)
}

/** @throws ApiError NOT_FOUND. */
export async function removeModel(id: string): Promise<void> {
  if (!(await removeInstalled(config().modelHub.folder, id))) {
    throw new ApiError('NOT_FOUND', `There is no installed model ${JSON.stringify(id.slice(0, 100))}.`)
  }
  await refreshInstalled()
}

/** The download goes on after the reply; its status says how it ends. */
async function run(source: ModelSource): Promise<ModelDownload> {
  assertRoomForDownload(source)
  const status = await announceDownload(source)
  pullModel(source)
    .then(refreshInstalled)
    .catch((error: unknown) => log().debug({ err: error, source: status.source }, 'download ended'))
  return downloadRecord(status)
}

function assertAvailable(): void {
  if (config().embeddedModels !== 'off') return
  throw new ApiError(
    'INVALID_REQUEST',
    'Models cannot run inside this server: EMBEDDED_MODELS is off. Set it to standard or lean and restart.',
  )
}

function suggestionRecord({ installedId, isStarter: _, ...model }: Suggestion): ModelSuggestion {
  const { source, name, parameters, sizeBytes, memoryBytes, contextTokens, license, strengths } = model
  return {
    source,
    name,
    parameters,
    sizeBytes,
    memoryBytes,
    contextTokens,
    license,
    quantization: source.split(':').at(-1)!,
    strengths,
    fits: model.fits,
    estimatedTokensPerSecond: model.estimatedTokensPerSecond,
    isInstalled: installedId !== undefined,
    ...(installedId !== undefined && { installedId }),
  }
}

function installedRecord(model: InstalledModel, speeds: Speeds): InstalledModelRecord {
  const { id, source, page, license, facts, files, installedAt } = model
  const offered = catalogue().byId.get(id)
  const own = offered?.engine === 'embedded' ? offered : undefined
  const tokensPerSecond = speeds[id]?.tokensPerSecond
  return {
    id,
    name: facts.name || id,
    source,
    ...(page !== undefined && { page }),
    ...(license !== undefined && { license }),
    quantization: facts.quantization,
    sizeBytes: sizeOf(model),
    ...(facts.parameters !== undefined && { parameters: facts.parameters }),
    ...(own?.type === 'text' && { contextTokens: own.contextTokens }),
    trainedContextTokens: facts.contextTokens,
    callsTools: facts.callsTools,
    thinks: facts.thinks,
    seesImages: own?.capabilities.supportsVision ?? false,
    isOffered: own !== undefined,
    isDefault: own !== undefined && catalogue().traits(own.type, Date.now()).get('default')?.id === id,
    isVerified: files.every(({ isVerified }) => isVerified),
    installedAt,
    ...(tokensPerSecond !== undefined && { tokensPerSecond: Math.round(tokensPerSecond * 10) / 10 }),
  }
}

function downloadRecord({ startedAt: _, updatedAt: __, ...download }: PullStatus): ModelDownload {
  return download
}
