import { config } from '@/lib/kernel/config'
import { listDownloads, pullModel, stopDownload } from '@/lib/services/engines/embedded/hub/downloads'
import {
  findInstalled,
  type InstalledModel,
  listInstalled,
  removeInstalled,
  sizeOf,
} from '@/lib/services/engines/embedded/hub/installed-model'
import { contextThatFits, formatSize, machineMemoryBytes } from '@/lib/services/engines/embedded/hub/memory'
import type { PullProgress, PullStatus } from '@/lib/services/engines/embedded/hub/pull-status'
import { formatSource, type ModelSource, parseSource } from '@/lib/services/engines/embedded/hub/source'
import { Processors } from '@/lib/services/engines/embedded/processors/processors'
import type { WeightsName } from '@/lib/services/engines/embedded/weights/manifest'
import {
  ensureWeights,
  listWeights,
  PROFILE_WEIGHTS,
  type WeightsProgress,
} from '@/lib/services/engines/embedded/weights/weights'
import { closeEngines } from '@/lib/services/engines/registry'
import {
  discoverLocalEngines,
  isCatalogueLoaded,
  loadCatalogue,
  reloadConnected,
  unloadCatalogue,
} from '@/lib/services/models/catalogue'
import { chooseDefault, listDefaults, resetDefaults } from '@/lib/services/models/choose-default'
import { answer, type Command, CommandError, optionText, table, UsageError, type Values } from '@/server/admin/command'

const PROGRESS_EVERY_MS = 1_000
const HEADINGS = ['ID', 'SIZE', 'QUANTIZATION', 'CONTEXT', 'LICENSE', 'SOURCE']

async function makeDefault(values: Values, [id]: string[]) {
  if (values.reset === true && id !== undefined) throw new UsageError('Name a model or --reset, not both.')
  return withCatalogue(async () => {
    if (values.reset === true) await resetDefaults()
    else if (id !== undefined) {
      const { type } = await chooseDefault(id)
      return answer([`${id} is the default of type ${type} now.`], { type, id, isChosen: true })
    }
    const defaults = await listDefaults()
    const rows = defaults.map((one) => [one.type, one.id, one.isChosen ? 'chosen' : ''])
    return answer(table([['TYPE', 'DEFAULT', ''], ...rows]), { defaults })
  })
}

/** Runs with all models that callers get: those of the server that the command runs in, or else loaded for it alone. */
export async function withCatalogue<T>(run: () => Promise<T>): Promise<T> {
  if (isCatalogueLoaded()) return run()
  try {
    await loadCatalogue()
    await reloadConnected()
    if (config().modelsFile === undefined && config().findsLocalEngines) await discoverLocalEngines()
    return await run()
  } finally {
    unloadCatalogue()
    await closeEngines()
  }
}

async function list() {
  const { folder } = config().modelHub
  const installed = await listInstalled(folder)
  const downloads = await listDownloads()
  const lines = [
    ...(installed.length === 0 ? ['No models are installed.'] : table([HEADINGS, ...installed.map(row)])),
    ...downloads.map(downloadLine),
  ]
  return answer(lines, { folder, models: installed, downloads })
}

function row(model: InstalledModel): string[] {
  const tokens = contextThatFits(model.facts, machineMemoryBytes())
  // What a speech model writes at a time is no context that a caller fills.
  const context = model.facts.transcription ? '-' : (tokens ?? 'too large')
  return [
    model.id,
    formatSize(sizeOf(model)),
    model.facts.quantization,
    String(context),
    model.license ?? '-',
    model.source,
  ]
}

function downloadLine({ source, state, bytes, total, message }: PullStatus): string {
  const size = total === 0 ? '' : `, ${formatSize(bytes)} of ${formatSize(total)}`
  return `${source}: ${state}${size}${message === undefined ? '' : `: ${message}`}`
}

async function remove(_: Values, [id]: string[]) {
  if (id === undefined) throw new UsageError('Name a model. `models list` shows them.')
  const download = (await listDownloads()).find(({ source }) => source === id)
  if (download) {
    await stopDownload(download, 'cancel')
    return answer([`The download of ${id} was given up.`], { source: id, isRemoved: true })
  }
  if (!(await removeInstalled(config().modelHub.folder, id))) {
    throw new CommandError(`There is no installed model ${id}. \`models list\` shows them.`)
  }
  return answer([`${id} was removed.`], { id, isRemoved: true })
}

async function pull(values: Values, [name]: string[]) {
  const checksum = optionText(values, 'sha256')
  if (name !== undefined && /[:/\\]|\.gguf$/i.test(name)) {
    return await pullFromHub(parseSource(checksum === undefined ? name : `${name}#sha256=${checksum}`))
  }
  if (checksum !== undefined) throw new UsageError('--sha256 is for a model of a hub, a URL or a file.')
  const { dataDir, embeddedGpu: setting } = config()
  const names = await named(name)
  for (const weights of names) await ensureWeights(weights, { dataDir, onProgress: showProgress(weights) })
  await new Processors({ setting, dataDir }).ready(showProgress('package of the GPU'))
  const listed = (await listWeights(dataDir)).filter((weights) => names.includes(weights.name))
  return answer(
    listed.map((weights) => `${weights.name} is ready (${weights.title}, ${weights.license}).`),
    { models: listed },
  )
}

async function pullFromHub(source: ModelSource) {
  const id = await pullModel(source, { onProgress: showDownload(formatSource(source)) })
  const model = (await findInstalled(config().modelHub.folder, id))!
  const { facts, license } = model
  const about = [facts.quantization, formatSize(sizeOf(model)), license ?? 'license not stated'].join(', ')
  return answer([`${id} is ready (${about}). A running server offers it within a few seconds.`], { models: [model] })
}

async function named(name?: string): Promise<WeightsName[]> {
  const profile = name ?? (config().embeddedModels === 'off' ? 'standard' : config().embeddedModels)
  if (profile === 'standard' || profile === 'lean') return PROFILE_WEIGHTS[profile]
  const known = (await listWeights(config().dataDir)).map((weights) => weights.name)
  const found = known.find((weights) => weights === profile)
  if (!found) {
    throw new UsageError(
      `Unknown weights ${profile}. Known: standard, lean, ${known.join(', ')}. Models of the hub: hf:OWNER/REPO[:QUANTIZATION].`,
    )
  }
  return [found]
}

function showProgress(name: string): (progress: WeightsProgress) => void {
  const show = throttled()
  return ({ step, bytes, total }) => {
    const percent = total === 0 ? 0 : Math.floor((100 * bytes) / total)
    show(`${name}: ${step} ${percent} %`)
  }
}

function showDownload(name: string): (progress: PullProgress) => void {
  const show = throttled()
  return ({ step, bytes, total, bytesPerSecond, secondsLeft }) => {
    const size = total === 0 ? '' : ` ${formatSize(bytes)} of ${formatSize(total)}`
    const rate = bytesPerSecond === undefined ? '' : `, ${formatSize(bytesPerSecond)}/s`
    const left = secondsLeft === undefined ? '' : `, ${secondsLeft} s left`
    show(`${name}: ${step}${size}${rate}${left}`)
  }
}

function throttled(): (line: string) => void {
  let shownAt = Number.NEGATIVE_INFINITY
  return (line) => {
    if (performance.now() - shownAt < PROGRESS_EVERY_MS) return
    shownAt = performance.now()
    process.stderr.write(`${line}\n`)
  }
}

export const modelsCommands: Command[] = [
  {
    name: 'models default',
    usage: 'models default [ID | --reset]',
    summary: 'makes a model the default of its type; without an ID lists the defaults',
    options: { reset: { type: 'boolean' } },
    needsDatabase: true,
    run: makeDefault,
  },
  {
    name: 'models list',
    usage: 'models list',
    summary: 'lists the installed models of the hub, and downloads that have not ended',
    needsDatabase: false,
    run: list,
  },
  {
    name: 'models remove',
    usage: 'models remove ID|SOURCE',
    summary: 'removes an installed model and its files, or gives a download up',
    needsDatabase: false,
    run: remove,
  },
  {
    name: 'models pull',
    usage: 'models pull [NAME | hf:OWNER/REPO[:QUANTIZATION] | URL | FILE] [--sha256 HEX]',
    summary:
      'downloads weights in advance (a profile or one model), or installs a model: GGUF of a hub, a URL or a file, Whisper or SmolVLM of a hub',
    options: { sha256: { type: 'string' } },
    needsDatabase: false,
    run: pull,
  },
]
