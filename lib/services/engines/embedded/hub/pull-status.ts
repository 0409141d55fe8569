/**
 * Downloads as every process of the installation sees them: a status file for each, written by the process that
 * downloads, and a request to stop, written by any other; and what that process is told and reports. Child processes
 * import this file.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import type { EngineFailure } from '../../engine.ts'
import { formatSource, type ModelSource } from './source.ts'

/** A download whose status is older is not running: its process was ended from outside. */
const STALE_MS = 15_000
const MAX_DOWNLOADS = 100

const STEPS = ['waiting', 'resolving', 'downloading', 'verifying', 'reading'] as const

export const PullStatus = z.object({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  source: z.string(),
  state: z.enum(['running', 'paused', 'failed']),
  step: z.enum(STEPS),
  bytes: z.number().min(0),
  total: z.number().min(0),
  bytesPerSecond: z.number().min(0).optional(),
  secondsLeft: z.number().min(0).optional(),
  message: z.string().optional(),
  startedAt: z.number(),
  updatedAt: z.number(),
})
export type PullStatus = z.output<typeof PullStatus>
export type PullStep = PullStatus['step']

const downloadsFolder = (folder: string): string => path.join(folder, '.downloads')

export const downloadIdOf = (source: ModelSource): string =>
  createHash('sha256').update(formatSource(source)).digest('hex').slice(0, 16)

export type PullFiles = ReturnType<typeof pullFiles>

/** Files and folders of one download. */
export function pullFiles(folder: string, id: string) {
  const base = path.join(downloadsFolder(folder), id)
  return { folder: base, lock: `${base}.lock`, status: `${base}.json`, stop: `${base}.stop` }
}

/** Lists downloads that have not ended, oldest first. */
export async function listPulls(folder: string, now = Date.now()): Promise<PullStatus[]> {
  const names = await readdir(downloadsFolder(folder)).catch(() => [])
  const ids = names.flatMap((name) => /^([0-9a-f]{16})\.json$/.exec(name)?.[1] ?? []).slice(0, MAX_DOWNLOADS)
  const found = await Promise.all(ids.map((id) => readPull(folder, id, now)))
  return found.filter((one) => one !== undefined).sort((a, b) => a.startedAt - b.startedAt)
}

export async function readPull(folder: string, id: string, now = Date.now()): Promise<PullStatus | undefined> {
  if (!/^[0-9a-f]{16}$/.test(id)) return undefined
  try {
    const status = PullStatus.parse(JSON.parse(await readFile(pullFiles(folder, id).status, 'utf8')))
    const isStale = status.state === 'running' && now - status.updatedAt > STALE_MS
    return isStale ? { ...status, state: 'paused', bytesPerSecond: undefined, secondsLeft: undefined } : status
  } catch {
    return undefined
  }
}

export async function writePull(files: PullFiles, status: PullStatus): Promise<void> {
  await writeFile(`${files.status}.new`, JSON.stringify(status))
  await rename(`${files.status}.new`, files.status)
}

export type StopRequest = 'pause' | 'cancel'

export async function requestStop(files: PullFiles, stop: StopRequest): Promise<void> {
  await writeFile(files.stop, stop)
}

/** Takes a request to stop. */
export async function takeStop(files: PullFiles): Promise<StopRequest | undefined> {
  const text = await readFile(files.stop, 'utf8').catch(() => '')
  if (text !== 'pause' && text !== 'cancel') return undefined
  await rm(files.stop, { force: true })
  return text
}

export async function forgetPull(files: PullFiles): Promise<void> {
  await rm(files.folder, { recursive: true, force: true })
  await rm(files.stop, { force: true })
  await rm(files.status, { force: true })
}

export type PullCommand = {
  source: ModelSource
  /** Folder of the installed models; downloads are in `.downloads` inside it. */
  folder: string
  hub: { endpoint: string; token?: string }
  /** Origins inside private networks that a redirect may lead to. */
  allowOrigins: string[]
  memoryBytes: number
  /** Takes a projector of images along. */
  seesImages: boolean
  limits?: Partial<PullLimits>
}

/** Bounds that tests make smaller. */
export type PullLimits = {
  /** Until the first byte of a reply. */
  replyMs: number
  /** Between two pieces of a reply. */
  stallMs: number
  attempts: number
  backoffMs: number
  /** Without it the disk is asked. */
  freeBytes?: number
  /** A file is fetched in as many ranges at a time as it has this many bytes, up to four. */
  rangeBytes: number
  /** How often it is recorded what is done. */
  saveMs: number
  lockStaleMs: number
}

/** Bytes are those of all files of the model. */
export type PullProgress = {
  step: PullStep
  bytes: number
  total: number
  bytesPerSecond?: number
  secondsLeft?: number
}

export type PullReport =
  | ({ type: 'progress' } & PullProgress)
  | { type: 'installed'; id: string }
  | { type: 'stopped'; isCancelled: boolean }
  /** `message` is for the operator, `detail` for the log. */
  | { type: 'failed'; reason: EngineFailure; message: string; detail?: string }
