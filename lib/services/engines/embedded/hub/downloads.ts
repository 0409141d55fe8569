import 'server-only'
import { mkdir } from 'node:fs/promises'
import { config } from '@/lib/kernel/config'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import { machineMemoryBytes } from '@/lib/services/engines/embedded/hub/memory'
import {
  downloadIdOf,
  forgetPull,
  listPulls,
  type PullCommand,
  type PullLimits,
  type PullProgress,
  type PullReport,
  type PullStatus,
  pullFiles,
  readPull,
  requestStop,
  writePull,
} from '@/lib/services/engines/embedded/hub/pull-status'
import { formatSource, type ModelSource, parseSource } from '@/lib/services/engines/embedded/hub/source'
import { forkEntry } from '@/lib/services/engines/embedded/model-process'
import { EngineError } from '@/lib/services/engines/engine'

const MAX_RUNNING = 2
const BUSY = 'Two models are being downloaded. Wait for one to end, or pause it.'

const BROKE_OFF = 'The download was interrupted. Resume it to continue from there.'

type Running = { ended: Promise<string>; listeners: Set<(progress: PullProgress) => void> }

const running = () => perProcess('model-downloads', () => new Map<string, Running>())

export type PullOptions = {
  onProgress?: (progress: PullProgress) => void
  /** Less than the machine's, in tests. */
  memoryBytes?: number
  limits?: Partial<PullLimits>
}

/**
 * Downloads a model, or continues to, and installs it; returns its id. A model that is there already is not downloaded
 * again. Safe to call from several processes at once: one downloads, the others wait.
 *
 * @throws EngineError with a sentence for the operator; `DownloadStopped` when it was paused or cancelled.
 */
export async function pullModel(source: ModelSource, options: PullOptions = {}): Promise<string> {
  const id = downloadIdOf(source)
  let download = running().get(id)
  if (!download) {
    assertRoomForDownload(source)
    download = start(id, source, options)
  }
  const { onProgress } = options
  if (onProgress) download.listeners.add(onProgress)
  try {
    return await download.ended
  } finally {
    if (onProgress) download.listeners.delete(onProgress)
  }
}

/** @throws EngineError `at-capacity` while this process downloads as many others as it may. */
export function assertRoomForDownload(source: ModelSource): void {
  const { size } = running()
  if (size >= MAX_RUNNING && !running().has(downloadIdOf(source))) throw new EngineError('at-capacity', BUSY)
}

class DownloadStopped extends Error {
  override name = 'DownloadStopped'
}

function start(id: string, source: ModelSource, { memoryBytes, limits }: PullOptions): Running {
  const { folder, endpoint, token } = config().modelHub
  const listeners = new Set<(progress: PullProgress) => void>()
  const command: PullCommand = {
    source,
    folder,
    hub: { endpoint, ...(token !== undefined && { token }) },
    allowOrigins: [...config().egressAllowOrigins],
    memoryBytes: memoryBytes ?? machineMemoryBytes(),
    seesImages: config().embeddedVision,
    ...(limits && { limits }),
  }
  const ended = runChild(id, command, (progress) => {
    for (const listener of listeners) listener(progress)
  }).finally(() => running().delete(id))
  // Whoever waits hears of a failure, and the status file has it.
  ended.catch(() => undefined)
  const download = { ended, listeners }
  running().set(id, download)
  return download
}

async function runChild(
  id: string,
  command: PullCommand,
  onProgress: (progress: PullProgress) => void,
): Promise<string> {
  const source = formatSource(command.source)
  const startedAt = performance.now()
  log().info({ source }, 'downloading a model')
  // Proxy settings are in the environment; what a model file says is read in another process, without one.
  const { process: child, stderr } = forkEntry('hub/pull-worker.ts', { isIsolated: false })
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  child.on('message', (report: PullReport) => {
    if (report.type === 'progress') onProgress(report)
    else if (report.type === 'installed') resolve(report.id)
    else if (report.type === 'stopped') reject(new DownloadStopped(report.isCancelled ? 'cancelled' : 'paused'))
    else {
      const cause = report.detail === undefined ? {} : { cause: new Error(report.detail) }
      reject(new EngineError(report.reason, report.message, cause))
    }
  })
  child.on('error', reject)
  child.on('exit', (code, signal) => {
    const cause = new Error(`ended with ${signal ?? code}: ${stderr()}`)
    void markPaused(command.folder, id).finally(() => reject(new EngineError('failed', BROKE_OFF, { cause })))
  })
  child.send(command)
  try {
    const model = await promise
    log().info({ source, model, durationMs: Math.round(performance.now() - startedAt) }, 'model installed')
    return model
  } catch (error) {
    if (error instanceof DownloadStopped) log().info({ source }, `download ${error.message}`)
    else log().warn({ source, err: error }, 'a model could not be installed')
    throw error
  }
}

/** A process that was ended from outside could not say so itself. */
async function markPaused(folder: string, id: string): Promise<void> {
  const status = await readPull(folder, id)
  if (status?.state === 'running') await writePull(pullFiles(folder, id), { ...status, state: 'paused' })
}

/** Lists downloads that have not ended, of all processes that share the folder. */
export async function listDownloads(): Promise<PullStatus[]> {
  return listPulls(config().modelHub.folder)
}

/** Pauses a download or gives it up, in whatever process it runs. */
export async function stopDownload(download: PullStatus, how: 'pause' | 'cancel'): Promise<void> {
  const files = pullFiles(config().modelHub.folder, download.id)
  if (download.state === 'running') await requestStop(files, how)
  else if (how === 'cancel') await forgetPull(files)
}

export async function findDownload(id: string): Promise<PullStatus | undefined> {
  return readPull(config().modelHub.folder, id)
}

export function sourceOf(download: PullStatus): ModelSource {
  return parseSource(download.source)
}

/** Shows a download from the moment it is asked for, before its process has begun. */
export async function announceDownload(source: ModelSource): Promise<PullStatus> {
  const { folder } = config().modelHub
  const id = downloadIdOf(source)
  const known = await readPull(folder, id)
  if (known?.state === 'running') return known
  const now = Date.now()
  const place = { bytes: known?.bytes ?? 0, total: known?.total ?? 0 }
  const status: PullStatus = {
    id,
    source: formatSource(source),
    state: 'running',
    step: 'resolving',
    ...place,
    startedAt: now,
    updatedAt: now,
  }
  const files = pullFiles(folder, id)
  await mkdir(files.folder, { recursive: true })
  await writePull(files, status)
  return status
}
