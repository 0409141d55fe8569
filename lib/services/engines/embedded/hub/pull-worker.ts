/**
 * Entry of the child process that downloads a model of a hub, verifies it and installs it, so that hashing takes no
 * time of the server's event loop. What the file says of itself is read in another process, which has no environment.
 * Node runs it as it stands: only packages, types and relative imports.
 */
import { fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdir, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { EngineError } from '../../engine.ts'
import { serveOnce } from '../task-child.ts'
import { withLockFile } from '../weights/lock.ts'
import { bytesThere, copyFile, fetchFile } from './fetch-file.ts'
import { createHttp, type Http, Unreachable } from './http.ts'
import { type PullPlan, planPull, refusalOf } from './hub-plan.ts'
import type { InspectReport } from './inspect.ts'
import {
  findInstalled,
  InstalledModel,
  installFolder,
  listInstalled,
  type ModelFacts,
  recordPathOf,
} from './installed-model.ts'
import { contextThatFits, fitsMemory, formatSize, leastMemoryBytes, smallestNeedBytes } from './memory.ts'
import {
  downloadIdOf,
  forgetPull,
  type PullCommand,
  type PullLimits,
  type PullProgress,
  type PullReport,
  type PullStatus,
  type PullStep,
  pullFiles,
  takeStop,
  writePull,
} from './pull-status.ts'
import { formatSource, type ModelSource } from './source.ts'

const LIMITS: Omit<PullLimits, 'freeBytes'> = {
  replyMs: 30_000,
  stallMs: 30_000,
  attempts: 6,
  backoffMs: 1_000,
  rangeBytes: 64_000_000,
  saveMs: 2_000,
  lockStaleMs: 20_000,
}
const TICK_MS = 500
const INSPECT_MS = 60_000
/** A model in ONNX files is loaded whole, and listens or looks once. */
const ONNX_INSPECT_MS = 300_000
const INSPECT_HEAP_MB = 512
const UNKNOWN_ARCHITECTURE = /unknown model architecture: '([\w.-]{1,60})'/
const MAX_STDERR_CHARS = 4_000
/** Left free on the disk, for the database and the log. */
const SPARE_DISK_BYTES = 200_000_000
const RATE_WINDOW_MS = 8_000

class Stopped extends Error {
  readonly isCancelled: boolean
  constructor(isCancelled: boolean) {
    super('stopped')
    this.isCancelled = isCancelled
  }
}

serveOnce((command: PullCommand) => pull(command).then((id): PullReport => ({ type: 'installed', id }), failureOf))

async function pull(command: PullCommand): Promise<string> {
  const { source, folder, hub } = command
  const limits = { ...LIMITS, ...command.limits }
  const files = pullFiles(folder, downloadIdOf(source))
  await mkdir(files.folder, { recursive: true })
  const onWait = () => report({ type: 'progress', step: 'waiting', bytes: 0, total: 0 })
  return await withLockFile(
    files.lock,
    onWait,
    async () => {
      const abort = new AbortController()
      const progress = new Progress(command, abort)
      const named = source.type === 'url' ? source.url : hub.endpoint
      const origins = [new URL(named).origin, ...command.allowOrigins]
      const http = createHttp(origins, source.type === 'hub' ? hub.token : undefined, limits)
      await progress.begin()
      try {
        const id = await install({ command, limits, http, progress, signal: abort.signal })
        await progress.end('installed')
        return id
      } catch (thrown) {
        const error = abort.signal.aborted ? abort.signal.reason : thrown
        if (error instanceof Stopped) await progress.end(error.isCancelled ? 'cancelled' : 'paused')
        else await progress.end('failed', messageOf(error))
        throw error
      }
    },
    { staleMs: limits.lockStaleMs },
  )
}

type Work = {
  command: PullCommand
  limits: PullLimits
  http: Http
  progress: Progress
  signal: AbortSignal
}

async function install(work: Work): Promise<string> {
  const { command, http, progress, signal } = work
  const { source, folder, hub, memoryBytes, seesImages } = command
  progress.step('resolving')
  const plan = await withRetries(work, () => planPull(source, { ...hub, seesImages }, http, signal))
  const known = await alreadyInstalled(folder, plan)
  if (known !== undefined) return known
  const total = plan.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  assertFitsMemory(total, memoryBytes)
  const prepared = pullFiles(folder, downloadIdOf(source)).folder
  const target = (name: string) => path.join(prepared, name)
  const there = await Promise.all(plan.files.map((file) => bytesThere(file, target(file.name))))
  const bytes = there.reduce((sum, count) => sum + count, 0)
  await assertFitsDisk(total - bytes, prepared, command.limits?.freeBytes)
  await progress.start(bytes, total)
  const sums = await fetchAll(work, plan, target)
  progress.step('reading')
  const facts = await inspect(plan, target, signal).catch(async (error) => {
    if (!signal.aborted) await rm(prepared, { recursive: true, force: true })
    throw error
  })
  if (contextThatFits(facts, memoryBytes) === undefined) {
    await rm(prepared, { recursive: true, force: true })
    throw tooLarge(smallestNeedBytes(facts), memoryBytes)
  }
  return await writeModel(plan, sums, facts, { prepared, folder })
}

async function fetchAll(
  { limits, http, progress, signal, command }: Work,
  plan: PullPlan,
  target: (name: string) => string,
) {
  const sums: string[] = []
  const { source, hub } = command
  for (const file of plan.files) {
    progress.step('downloading')
    const options = {
      http,
      limits,
      signal,
      refusalOf: (reply: Parameters<typeof refusalOf>[0]) =>
        refusalOf(reply, source.type === 'hub' ? source.repository : file.name, hub),
      onBytes: (count: number) => progress.add(count),
      onVerify: () => progress.step('verifying'),
    }
    const copy = source.type === 'file' ? copyFile : fetchFile
    sums.push(await copy(file, target(file.name), options))
  }
  return sums
}

async function withRetries<T>({ limits, signal }: Work, work: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      if (failures >= Math.min(limits.attempts, 3)) {
        const hint = 'Check the connection of this machine and HF_ENDPOINT, then try again.'
        throw new EngineError('offline', `${error.message}. ${hint}`, { cause: error })
      }
      await sleep(limits.backoffMs * 2 ** (failures - 1), undefined, { signal })
    }
  }
}

async function alreadyInstalled(folder: string, plan: PullPlan): Promise<string | undefined> {
  for (const model of await listInstalled(folder)) {
    // A projector of sound was left out.
    const files = plan.files.filter(({ name }) => name !== plan.projector || model.projector !== undefined)
    const isSame =
      model.source === plan.source &&
      model.files.length === files.length &&
      files.every(({ sha256, sizeBytes }, index) => {
        const there = model.files[index]!
        return there.sizeBytes === sizeBytes && (sha256 === undefined || there.sha256 === sha256)
      })
    if (isSame) return model.id
  }
  return undefined
}

function assertFitsMemory(weightBytes: number, memoryBytes: number): void {
  if (!fitsMemory(weightBytes, memoryBytes)) throw tooLarge(leastMemoryBytes(weightBytes), memoryBytes)
}

const tooLarge = (neededBytes: number, memoryBytes: number): EngineError =>
  new EngineError(
    'invalid-request',
    `The model is too large for this machine: it needs about ${formatSize(neededBytes)} of memory beside the system's, and the machine has ${formatSize(memoryBytes)}. Choose a smaller model or quantization.`,
  )

async function assertFitsDisk(neededBytes: number, folder: string, freeBytes?: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = freeBytes ?? bavail * bsize
  if (neededBytes + SPARE_DISK_BYTES <= free) return
  throw new EngineError(
    'failed',
    `The download takes ${formatSize(neededBytes)}, and ${formatSize(free)} are free in ${path.dirname(path.dirname(folder))}. Free some space, or set MODELS_CACHE_DIR to a folder on another disk.`,
  )
}

function inspect(
  { files, projector, quantization, source, onnx }: PullPlan,
  target: (name: string) => string,
  signal: AbortSignal,
): Promise<ModelFacts> {
  const model = [files[0]!.name, ...(projector === undefined ? [] : [projector])].map(target)
  const [entry, read] = onnx
    ? [`./${onnx}-worker.ts`, [target(''), quantization ?? '', source]]
    : ['./gguf-worker.ts', model]
  const child = fork(fileURLToPath(new URL(entry, import.meta.url)), read, {
    execArgv: [`--max-old-space-size=${INSPECT_HEAP_MB}`, '--no-warnings'],
    env: { NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let stderr = ''
  let refusal: string | undefined
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-MAX_STDERR_CHARS)
  })
  const broken = (detail: string) => {
    const architecture = UNKNOWN_ARCHITECTURE.exec(stderr)?.[1]
    const cause = new Error(detail)
    if (architecture === undefined) {
      const message = 'The file is damaged, or is no model that this version can run. It was deleted.'
      return new EngineError('failed', message, { cause })
    }
    const message = `Models of the architecture ${architecture} cannot be run by this version. Choose another model.`
    return new EngineError('invalid-request', message, { cause })
  }
  const { promise, resolve, reject } = Promise.withResolvers<ModelFacts>()
  const timer = setTimeout(() => reject(broken('reading took too long')), onnx ? ONNX_INSPECT_MS : INSPECT_MS)
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  child.on('message', (message: InspectReport) => {
    if (message.type === 'facts')
      resolve(quantization === undefined ? message.facts : { ...message.facts, quantization })
    else if (message.sentence !== undefined) reject(new EngineError('invalid-request', message.sentence))
    else refusal = message.detail
  })
  child.on('error', (cause) => reject(broken(cause.message)))
  child.on('close', (code, by) => reject(broken(refusal ?? `the process ended with ${by ?? code}: ${stderr}`)))
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    child.kill('SIGKILL')
  })
}

type Place = { prepared: string; folder: string }

async function writeModel(
  plan: PullPlan,
  sums: string[],
  facts: ModelFacts,
  { prepared, folder }: Place,
): Promise<string> {
  const id = await freeId(plan, folder)
  const license = plan.license ?? facts.license
  const model: InstalledModel = InstalledModel.parse({
    version: 1,
    id,
    source: plan.source,
    ...(plan.page !== undefined && { page: plan.page }),
    ...(plan.revision !== undefined && { revision: plan.revision }),
    ...(license !== undefined && { license }),
    files: plan.files
      .map(({ name, sizeBytes, sha256, gitSha1 }, index) => ({
        name,
        sizeBytes,
        sha256: sums[index]!,
        isVerified: sha256 !== undefined || gitSha1 !== undefined,
      }))
      .filter(({ name }) => facts.seesImages || name !== plan.projector),
    ...(facts.seesImages && plan.projector !== undefined && { projector: plan.projector }),
    installedAt: new Date().toISOString(),
    facts,
  })
  const wanted = new Set(model.files.map(({ name }) => name))
  for (const name of await readdir(prepared))
    if (!wanted.has(name)) await rm(path.join(prepared, name), { recursive: true })
  await writeFile(recordPathOf(prepared), `${JSON.stringify(model, null, 2)}\n`)
  await installFolder(folder, prepared, id)
  return id
}

/** A model of the same name from elsewhere stays; the new one is then named after its owner, too. */
async function freeId({ id, source }: PullPlan, folder: string): Promise<string> {
  const isFree = async (name: string) => {
    const there = await findInstalled(folder, name)
    return there === undefined || there.source === source
  }
  if (await isFree(id)) return id
  const owner =
    /^hf:([^/]+)\//
      .exec(source)?.[1]
      ?.toLowerCase()
      .replace(/[^a-z0-9]+/g, '-') ?? 'local'
  for (let count = 1; ; count++) {
    const name = `${owner}-${id}${count === 1 ? '' : `-${count}`}`.slice(0, 100)
    if (await isFree(name)) return name
  }
}

/** Counts bytes and their rate, tells the parent, keeps the status file, and hears requests to stop. */
class Progress {
  readonly #files: ReturnType<typeof pullFiles>
  readonly #abort: AbortController
  readonly #status: { id: string; source: string; startedAt: number }
  #progress: PullProgress = { step: 'resolving', bytes: 0, total: 0 }
  #samples: { at: number; bytes: number }[] = []
  #received = 0
  #timer?: NodeJS.Timeout
  #writing: Promise<void> = Promise.resolve()
  #isEnded = false

  constructor({ source, folder }: { source: ModelSource; folder: string }, abort: AbortController) {
    const id = downloadIdOf(source)
    this.#files = pullFiles(folder, id)
    this.#abort = abort
    this.#status = { id, source: formatSource(source), startedAt: Date.now() }
  }

  async begin(): Promise<void> {
    // A request from before this start is not meant for it.
    await rm(this.#files.stop, { force: true })
    await this.#save(this.#record('running'))
    this.#timer = setInterval(() => void this.#tick(), TICK_MS)
    process.on('exit', this.#leave)
  }

  step(step: PullStep): void {
    this.#progress = { step, bytes: this.#progress.bytes, total: this.#progress.total }
    this.#tell()
  }

  async start(bytes: number, total: number): Promise<void> {
    this.#progress = { step: 'downloading', bytes, total }
    this.#tell()
    await this.#save(this.#record('running'))
  }

  add(bytes: number): void {
    this.#received += bytes
    this.#progress.bytes = Math.max(0, this.#progress.bytes + bytes)
  }

  async end(how: 'installed' | 'cancelled' | 'paused' | 'failed', message?: string): Promise<void> {
    this.#isEnded = true
    clearInterval(this.#timer)
    process.off('exit', this.#leave)
    if (how !== 'installed' && how !== 'cancelled') return await this.#save(this.#record(how, message))
    await this.#writing
    await forgetPull(this.#files)
  }

  /** One write at a time: the last one counts. */
  #save(status: PullStatus): Promise<void> {
    this.#writing = this.#writing.then(() => writePull(this.#files, status)).catch(() => undefined)
    return this.#writing
  }

  readonly #leave = (): void => {
    try {
      writeFileSync(this.#files.status, JSON.stringify(this.#record('paused')))
    } catch {
      // The status then goes stale, which says the same.
    }
  }

  async #tick(): Promise<void> {
    const stop = await takeStop(this.#files)
    if (this.#isEnded) return
    if (stop) this.#abort.abort(new Stopped(stop === 'cancel'))
    this.#measure()
    this.#tell()
    await this.#save(this.#record('running'))
  }

  #measure(): void {
    if (this.#progress.step !== 'downloading') return
    const now = performance.now()
    this.#samples.push({ at: now, bytes: this.#received })
    this.#samples = this.#samples.filter(({ at }) => now - at <= RATE_WINDOW_MS)
    const [first] = this.#samples
    if (!first || now - first.at < TICK_MS / 2) return
    const bytesPerSecond = Math.max(0, Math.round(((this.#received - first.bytes) / (now - first.at)) * 1_000))
    const left = this.#progress.total - this.#progress.bytes
    this.#progress.bytesPerSecond = bytesPerSecond
    this.#progress.secondsLeft = bytesPerSecond > 0 ? Math.ceil(left / bytesPerSecond) : undefined
  }

  #record(state: PullStatus['state'], message?: string): PullStatus {
    const { bytesPerSecond, secondsLeft, ...where } = this.#progress
    const rate = state === 'running' ? { bytesPerSecond, secondsLeft } : {}
    return {
      ...this.#status,
      state,
      ...where,
      ...rate,
      ...(message !== undefined && { message }),
      updatedAt: Date.now(),
    }
  }

  #tell(): void {
    report({ type: 'progress', ...this.#progress })
  }
}

function messageOf(error: unknown): string {
  if (error instanceof EngineError) return error.message
  return `The download failed: ${error instanceof Error ? error.message : String(error)}`
}

function failureOf(error: unknown): PullReport {
  if (error instanceof Stopped) return { type: 'stopped', isCancelled: error.isCancelled }
  const reason = error instanceof EngineError ? error.reason : 'failed'
  const detail = error instanceof Error && error.cause instanceof Error ? { detail: error.cause.message } : {}
  return { type: 'failed', reason, message: messageOf(error), ...detail }
}

function report(message: PullReport): void {
  if (process.connected) process.send?.(message)
}
