import 'server-only'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { config } from '@/lib/kernel/config'
import { log } from '@/lib/kernel/log'
import { pullModel } from '@/lib/services/engines/embedded/hub/downloads'
import { listInstalled } from '@/lib/services/engines/embedded/hub/installed-model'
import { KNOWN_MODELS, type KnownModel } from '@/lib/services/engines/embedded/hub/known-models'
import type { PullStep } from '@/lib/services/engines/embedded/hub/pull-status'
import { formatPlace, isFromSource, type ModelSource, parseSource } from '@/lib/services/engines/embedded/hub/source'
import { suggestionsHere } from '@/lib/services/engines/embedded/hub/suggestions'
import { ensureWeights, listWeights } from '@/lib/services/engines/embedded/weights/weights'
import { refreshInstalled } from '@/lib/services/models/catalogue'

/** A hub that takes longer is not used for the first start. */
const HUB_ANSWER_MS = 3_000
const DEMO_WEIGHTS = 'tinyllama-1.1b-chat'
const DEMO_NAME = 'TinyLlama 1.1B Chat'

export type DefaultProgress = { model: string; step: PullStep | 'preparing'; bytes: number; total: number }

/**
 * Downloads the model that an installation starts with, where it comes from the hub: the one that EMBEDDED_MODELS names,
 * or, on a first start without that variable, the best small one that runs well here, if the hub answers within three
 * seconds. Returns its id, or undefined where the embedded models stay the default.
 *
 * @throws EngineError when the model cannot be had; the embedded models then stay.
 */
export async function fetchDefaultModel(onProgress: (progress: DefaultProgress) => void): Promise<string | undefined> {
  const { defaultModelSource, embeddedModels } = config()
  if (embeddedModels === 'off') return undefined
  const source = defaultModelSource === undefined ? await starterSource(onProgress) : parseSource(defaultModelSource)
  if (!source) return undefined
  const model = nameOf(source)
  const pull = () => pullModel(source, { onProgress: (progress) => onProgress({ ...progress, model }) })
  const id = (await installedFrom(source)) ?? (await pull())
  if (defaultModelSource === undefined) await noteStarter()
  await refreshInstalled()
  return id
}

function nameOf(source: ModelSource): string {
  const known = KNOWN_MODELS.find((one) => isFromSource(one.source, source))
  if (known) return known.name
  return source.type === 'hub' ? source.repository.split('/')[1]! : path.basename(formatPlace(source))
}

/** Without asking the hub: what is installed is enough, in whatever revision. */
async function installedFrom(source: ModelSource): Promise<string | undefined> {
  const installed = await listInstalled(config().modelHub.folder)
  return installed.find((model) => isFromSource(model.source, source))?.id
}

/** Chooses the largest starter that runs well here, if any. */
async function chooseStarter(): Promise<KnownModel | undefined> {
  const { suggestions } = await suggestionsHere([])
  return suggestions.find(({ fits, isStarter }) => fits === 'well' && isStarter)
}

async function starterSource(onProgress: (progress: DefaultProgress) => void): Promise<ModelSource | undefined> {
  if (!(await isFirstStart())) return undefined
  const starter = await chooseStarter()
  if (!starter) return undefined
  const source = parseSource(starter.source)
  const { dataDir } = config()
  // A machine without the hub loses no time: the demo model's download has begun when the hub is given up.
  const demo = new AbortController()
  const demoReady = ensureWeights(DEMO_WEIGHTS, {
    dataDir,
    onProgress: (progress) => onProgress({ ...progress, model: DEMO_NAME }),
    signal: demo.signal,
  }).catch(() => undefined)
  const isThere = await hubAnswers(starter.source)
  if (isThere) demo.abort()
  await demoReady
  if (isThere) log().info({ source: starter.source }, 'the first start downloads a model of the hub')
  return isThere ? source : undefined
}

/** An operator who names models, and an installation that has any, keep what they have. */
async function isFirstStart(): Promise<boolean> {
  const { choosesDefaultModel, modelsFile, dataDir, modelHub } = config()
  if (!choosesDefaultModel || modelsFile !== undefined) return false
  const hasDemo = (await listWeights(dataDir)).some(({ name, isInstalled }) => name === DEMO_WEIGHTS && isInstalled)
  if (hasDemo || (await listInstalled(modelHub.folder)).length > 0) return false
  return await stat(starterNote()).then(
    () => false,
    () => true,
  )
}

/** Written once, so that a starter which the operator removes does not come back. */
const starterNote = (): string => path.join(config().dataDir, 'models', 'starter-installed')

async function noteStarter(): Promise<void> {
  await mkdir(path.dirname(starterNote()), { recursive: true })
  await writeFile(starterNote(), '')
}

async function hubAnswers(source: string): Promise<boolean> {
  const { endpoint, token } = config().modelHub
  const repository = source.replace(/^hf:/, '').replace(/:.*$/, '')
  try {
    const response = await fetch(`${endpoint}/api/models/${repository}`, {
      signal: AbortSignal.timeout(HUB_ANSWER_MS),
      headers: { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      redirect: 'error',
    })
    if (!response.ok) return false
    const about = (await response.json()) as { sha?: unknown }
    return typeof about.sha === 'string'
  } catch {
    return false
  }
}
