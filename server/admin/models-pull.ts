import { config } from '@/lib/kernel/config'
import { pullModel } from '@/lib/services/engines/embedded/hub/downloads'
import { findInstalled, sizeOf } from '@/lib/services/engines/embedded/hub/installed-model'
import { formatSize } from '@/lib/services/engines/embedded/hub/memory'
import type { PullProgress } from '@/lib/services/engines/embedded/hub/pull-status'
import { formatSource, type ModelSource, parseSource } from '@/lib/services/engines/embedded/hub/source'
import { Processors } from '@/lib/services/engines/embedded/processors/processors'
import type { WeightsName } from '@/lib/services/engines/embedded/weights/manifest'
import {
  ensureWeights,
  listWeights,
  PROFILE_WEIGHTS,
  type WeightsProgress,
} from '@/lib/services/engines/embedded/weights/weights'
import { answer, type Command, optionText, UsageError, type Values } from '@/server/admin/command'

const PROGRESS_EVERY_MS = 1_000

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

export const modelsPullCommand: Command = {
  name: 'models pull',
  usage: 'models pull [NAME | hf:OWNER/REPO[:QUANTIZATION] | URL | FILE] [--sha256 HEX]',
  summary:
    'downloads weights in advance (a profile or one model), or installs a model: GGUF of a hub, a URL or a file, Whisper or SmolVLM of a hub',
  options: { sha256: { type: 'string' } },
  needsDatabase: false,
  run: pull,
}
