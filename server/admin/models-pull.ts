import { config } from '@/lib/kernel/config'
import type { WeightsName } from '@/lib/services/engines/embedded/weights/table'
import {
  ensureWeights,
  listWeights,
  PROFILE_WEIGHTS,
  type WeightsProgress,
} from '@/lib/services/engines/embedded/weights/weights'
import { answer, type Command, UsageError, type Values } from '@/server/admin/command'

const PROGRESS_EVERY_MS = 1_000

async function pull(_: Values, [name]: string[]) {
  const { dataDir } = config()
  const names = await named(name)
  for (const weights of names) await ensureWeights(weights, { dataDir, onProgress: showProgress(weights) })
  const listed = (await listWeights(dataDir)).filter((weights) => names.includes(weights.name))
  return answer(
    listed.map((weights) => `${weights.name} is ready (${weights.title}, ${weights.license}).`),
    { models: listed },
  )
}

async function named(name?: string): Promise<WeightsName[]> {
  const profile = name ?? (config().embeddedModels === 'off' ? 'standard' : config().embeddedModels)
  if (profile === 'standard' || profile === 'lean') return PROFILE_WEIGHTS[profile]
  const known = (await listWeights(config().dataDir)).map((weights) => weights.name)
  const found = known.find((weights) => weights === profile)
  if (!found) throw new UsageError(`Unknown weights ${profile}. Known: standard, lean, ${known.join(', ')}.`)
  return [found]
}

function showProgress(name: string): (progress: WeightsProgress) => void {
  let shownAt = 0
  return ({ step, bytes, total }) => {
    if (performance.now() - shownAt < PROGRESS_EVERY_MS) return
    shownAt = performance.now()
    const percent = total === 0 ? 0 : Math.floor((100 * bytes) / total)
    process.stderr.write(`${name}: ${step} ${percent} %\n`)
  }
}

export const modelsPullCommand: Command = {
  name: 'models pull',
  usage: 'models pull [NAME]',
  summary: 'downloads weights in advance: a profile (standard, lean) or one model',
  options: {},
  needsDatabase: false,
  run: pull,
}
