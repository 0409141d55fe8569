import 'server-only'
import { existsSync } from 'node:fs'
import { cpus } from 'node:os'
import path from 'node:path'
import { log } from '@/lib/kernel/log'
import { chooseRuntime } from '@/lib/services/engines/embedded/chat/runtime'
import { detectGpus, type FoundGpu } from '@/lib/services/engines/embedded/processors/detect'
import {
  type Gpu,
  type GpuKind,
  type ModelProcessor,
  type ProcessorKind,
  packagesFor,
  RUNTIME_VERSION,
  type System,
} from '@/lib/services/engines/embedded/processors/packages'
import type { WeightsPackage } from '@/lib/services/engines/embedded/weights/manifest'
import { ensurePackages, foldersOf, type WeightsProgress } from '@/lib/services/engines/embedded/weights/weights'

const RETRY_AFTER_MS = 10 * 60_000

export type GpuSetting = 'auto' | 'off' | GpuKind

const TITLES: Record<ProcessorKind, string> = { cpu: 'the CPU', metal: 'Metal', cuda: 'CUDA', vulkan: 'Vulkan' }

type Choice = { kind: ProcessorKind; packages: WeightsPackage[]; reason: string }

/** Chooses what models run on, from the operator's setting and the hardware that was found. */
export function chooseProcessor(setting: GpuSetting, found: FoundGpu[], system: System): Choice {
  const choice = processorOf(setting, found, system)
  const { reason } = chooseRuntime({}, system)
  return reason === undefined ? choice : { ...choice, reason: `${choice.reason} ${reason}` }
}

function processorOf(setting: GpuSetting, found: FoundGpu[], system: System): Choice {
  const onCpu = (reason: string): Choice => ({ kind: 'cpu', packages: [], reason })
  if (setting === 'off') return onCpu('EMBEDDED_GPU is off.')
  if (setting !== 'auto') {
    const packages = packagesFor(setting, system)
    if (packages) return { kind: setting, packages, reason: `EMBEDDED_GPU is ${setting}.` }
    return onCpu(`${TITLES[setting]} is not available on ${system.platform} ${system.arch}.`)
  }
  for (const { kind, evidence } of found) {
    const packages = packagesFor(kind, system)
    if (packages) return { kind, packages, reason: `A GPU for ${TITLES[kind]} was found (${evidence}).` }
  }
  return onCpu('No GPU was found.')
}

/** Variables that drivers read, where the operator has set them; a model's process gets no others. */
const DRIVER_VARIABLES = [
  'CUDA_VISIBLE_DEVICES',
  'GGML_VK_VISIBLE_DEVICES',
  'HOME',
  'LD_LIBRARY_PATH',
  'NVIDIA_VISIBLE_DEVICES',
  'VK_DRIVER_FILES',
  'VK_ICD_FILENAMES',
  'XDG_CACHE_HOME',
]

/** Lists what a process with a GPU needs: its driver finds devices, and the shaders that it has compiled before. */
export function gpuEnvironment(): Record<string, string> {
  return Object.fromEntries(
    DRIVER_VARIABLES.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

export const cpuName = (): string => cpus()[0]?.model.trim() || process.arch

export type ProcessorsOptions = {
  setting: GpuSetting
  dataDir: string
  system?: System
  found?: FoundGpu[]
  onReady?: () => void
}

/**
 * The processor that the models of this server run on. A GPU's packages are downloaded when the first model is started,
 * which meanwhile runs on the CPU.
 */
export class Processors {
  readonly #choice: Choice
  readonly #dataDir: string
  readonly #onReady: () => void
  #folders?: Record<string, string>
  #isFetching = false
  #failure?: { message: string; retryAt: number }
  #percent = 0

  constructor(options: ProcessorsOptions) {
    const { setting, dataDir, system = process, onReady = () => undefined } = options
    const found = options.found ?? (setting === 'auto' ? detectGpus(system) : [])
    this.#choice = chooseProcessor(setting, found, system)
    this.#dataDir = dataDir
    this.#onReady = onReady
    const { kind, reason, packages } = this.#choice
    // Folders arrive by rename, after their hash was checked.
    const folders = foldersOf(packages, this.#folder())
    if (kind !== 'cpu' && Object.values(folders).every((folder) => existsSync(folder))) this.#folders = folders
    log().info({ processor: kind, reason }, 'processor of embedded models')
  }

  /** Returns the GPU that a model may be started on now, if any; begins its download where that is still to be done. */
  start(): Gpu | undefined {
    const { kind } = this.#choice
    if (kind === 'cpu') return undefined
    if (this.#folders) return { kind, packages: this.#folders }
    if (!this.#isFetching && Date.now() >= (this.#failure?.retryAt ?? 0)) void this.#fetch()
    return undefined
  }

  /** Downloads what the GPU needs, and waits for it. @throws EngineError `offline`. */
  async ready(onProgress: (progress: WeightsProgress) => void): Promise<void> {
    const { packages } = this.#choice
    if (packages.length > 0) this.#folders = await ensurePackages(packages, this.#folder(), onProgress)
  }

  /** Says what models are planned to run on, or run on at the moment and why. */
  plan(): ModelProcessor {
    const { kind, reason } = this.#choice
    const name = kind === 'cpu' || !this.#folders ? cpuName() : TITLES[kind]
    if (kind === 'cpu' || this.#folders) return { kind, name, reason }
    const onCpu = (why: string) => ({ kind: 'cpu' as const, name, reason: `${reason} ${why}` })
    if (this.#failure) return onCpu(this.#failure.message)
    if (!this.#isFetching) return onCpu('Its package is downloaded when the first model starts.')
    return onCpu(`The CPU is used until its package is downloaded (${this.#percent} %).`)
  }

  async #fetch(): Promise<void> {
    this.#isFetching = true
    this.#failure = undefined
    try {
      await this.ready(({ bytes, total }) => {
        this.#percent = total === 0 ? 0 : Math.floor((100 * bytes) / total)
      })
      log().info({ processor: this.#choice.kind }, 'package of the GPU is ready')
      this.#onReady()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const message = `${why} Until then the CPU is used.`
      this.#failure = { message, retryAt: Date.now() + RETRY_AFTER_MS }
      log().warn(
        { processor: this.#choice.kind, err: error },
        'package of the GPU could not be downloaded: CPU is used',
      )
    } finally {
      this.#isFetching = false
    }
  }

  #folder(): string {
    return path.join(this.#dataDir, 'models', 'processors', RUNTIME_VERSION)
  }
}
