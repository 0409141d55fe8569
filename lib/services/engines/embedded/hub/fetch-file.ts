/**
 * Downloads one file so that it can be continued after any end, also of this process: ranges are written in place, and
 * what is done is recorded beside the file. Runs in the download process.
 */
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { EngineError } from '../../engine.ts'
import { type Http, type HttpReply, Unreachable } from './http.ts'
import { FIRST_BYTES, type PlannedFile, wrongForm } from './hub-plan.ts'
import { formatSize } from './memory.ts'

const MAX_RANGES = 4
const MAX_BACKOFF_MS = 30_000
const HASH_PIECE_BYTES = 1 << 20

type FetchLimits = { attempts: number; backoffMs: number; rangeBytes: number; saveMs: number; stallMs: number }

export type FetchOptions = {
  http: Http
  limits: FetchLimits
  signal: AbortSignal
  /** Says what a status other than success means. */
  refusalOf: (reply: HttpReply) => Error
  /** Hears how many bytes were added; a negative number when some are thrown away. */
  onBytes: (bytes: number) => void
  onVerify: () => void
}

const Part = z.object({
  identity: z.string(),
  ranges: z
    .array(z.object({ start: z.int().min(0), end: z.int().min(0), done: z.int().min(0) }))
    .min(1)
    .max(MAX_RANGES),
})
type Part = z.output<typeof Part>
type Range = Part['ranges'][number]

/** Counts the bytes of a file that an earlier attempt left. */
export async function bytesThere(file: PlannedFile, target: string): Promise<number> {
  if ((await sizeAt(target)) === file.sizeBytes) return file.sizeBytes
  return doneOf((await readPart(file, target)) ?? { identity: '', ranges: [] })
}

/**
 * Brings a file to `target`, and returns its SHA-256.
 *
 * @throws EngineError with a sentence for the operator; the signal's reason when aborted, with the work kept.
 */
export async function fetchFile(file: PlannedFile, target: string, options: FetchOptions): Promise<string> {
  if ((await sizeAt(target)) !== file.sizeBytes) await completePart(file, target, options)
  const part = (await sizeAt(target)) === file.sizeBytes ? target : partOf(target)
  options.onVerify()
  const sha256 = await hashOf(part, createHash('sha256'), options.signal)
  await assertChecksum(file, sha256, { ...options, at: part, target })
  if (part !== target) await rename(part, target)
  await rm(recordOf(target), { force: true })
  return sha256
}

async function completePart(file: PlannedFile, target: string, options: FetchOptions): Promise<void> {
  const known = await readPart(file, target)
  if (!known) await discard(target)
  let part = known ?? { identity: file.identity, ranges: rangesOf(file.sizeBytes, options.limits.rangeBytes) }
  const handle = await open(partOf(target), known ? 'r+' : 'w')
  try {
    await fetchRanges(file, target, part, handle, options).catch(async (error) => {
      if (!(error instanceof NoRanges)) throw error
      options.onBytes(-doneOf(part))
      part = { identity: file.identity, ranges: [{ start: 0, end: file.sizeBytes, done: 0 }] }
      await fetchRanges(file, target, part, handle, options)
    })
  } finally {
    await handle.close()
  }
}

/** The server sends the whole file whatever range it is asked for. */
class NoRanges extends Error {}

async function fetchRanges(
  file: PlannedFile,
  target: string,
  part: Part,
  handle: FileHandle,
  options: FetchOptions,
): Promise<void> {
  const ending = new AbortController()
  const signal = AbortSignal.any([options.signal, ending.signal])
  // What cannot be recorded is fetched again after an interruption, and nothing else.
  const save = () => saveRecord(part, handle, target).catch(() => undefined)
  let saving = save()
  const timer = setInterval(() => {
    saving = saving.then(save)
  }, options.limits.saveMs)
  try {
    const isWhole = part.ranges.length === 1
    await Promise.all(part.ranges.map((range) => fetchRange({ file, range, isWhole, handle, options, signal })))
  } catch (error) {
    ending.abort(error)
    throw isFull(error) ? full(file, target) : error
  } finally {
    clearInterval(timer)
    await saving.then(save)
  }
}

async function saveRecord(part: Part, handle: FileHandle, target: string): Promise<void> {
  const record = JSON.stringify(part)
  // First the bytes, then the word that they are there.
  await handle.datasync()
  await writeFile(`${recordOf(target)}.new`, record)
  await rename(`${recordOf(target)}.new`, recordOf(target))
}

type Work = {
  file: PlannedFile
  range: Range
  isWhole: boolean
  handle: FileHandle
  options: FetchOptions
  signal: AbortSignal
}

async function fetchRange(work: Work): Promise<void> {
  const { range, options, signal } = work
  const { attempts, backoffMs } = options.limits
  for (let failures = 0; range.start + range.done < range.end; ) {
    const before = range.done
    try {
      await attempt(work)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof Unreachable)) throw error
      failures = range.done > before ? 1 : failures + 1
      if (failures >= attempts) throw stopped(error)
      const delayMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2 ** (failures - 1)) * (0.75 + Math.random() / 2)
      await sleep(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}

async function attempt({ file, range, isWhole, handle, options, signal }: Work): Promise<void> {
  const start = range.start + range.done
  const reply = await options.http.get(file.from, { range: `bytes=${start}-${range.end - 1}` }, signal)
  const { body } = reply
  try {
    if (reply.status === 200) {
      if (!isWhole) throw new NoRanges()
      options.onBytes(-range.done)
      range.done = 0
    } else if (reply.status !== 206) throw options.refusalOf(reply)
    else if (!reply.headers['content-range']?.startsWith(`bytes ${start}-`)) throw new NoRanges()
    for await (const chunk of readPieces(body, reply.host, options.http)) {
      if (range.start + range.done === 0) assertForm(file, chunk)
      const wanted = chunk.subarray(0, range.end - range.start - range.done)
      await writeAll(handle, wanted, range.start + range.done)
      range.done += wanted.length
      options.onBytes(wanted.length)
      if (range.start + range.done === range.end) break
      signal.throwIfAborted()
    }
  } finally {
    body.destroy()
  }
  if (range.start + range.done < range.end) throw new Unreachable(`${reply.host} ended the transfer too early`)
}

/** Looks at as much of the first bytes as there is. */
function assertForm({ name, form }: PlannedFile, chunk: Buffer): void {
  const wanted = FIRST_BYTES[form].slice(0, chunk.length)
  if (chunk.toString('latin1', 0, wanted.length) !== wanted) throw wrongForm(name, form)
}

async function* readPieces(body: HttpReply['body'], host: string, http: Http): AsyncGenerator<Buffer> {
  try {
    yield* body
  } catch (error) {
    throw http.failureOf(host, error)
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await handle.write(bytes, written, bytes.length - written, at + written)).bytesWritten
  }
}

/** Copies a file of this machine, and returns its SHA-256. */
export async function copyFile(file: PlannedFile, target: string, options: Pick<FetchOptions, 'signal' | 'onBytes'>) {
  await discard(target)
  const hash = createHash('sha256')
  const handle = await open(partOf(target), 'w')
  let copied = 0
  try {
    for await (const chunk of createReadStream(file.from, {
      highWaterMark: HASH_PIECE_BYTES,
      signal: options.signal,
    })) {
      if (copied === 0) assertForm(file, chunk)
      hash.update(chunk)
      await writeAll(handle, chunk, copied)
      copied += chunk.length
      options.onBytes(chunk.length)
    }
    await handle.datasync()
  } catch (error) {
    throw isFull(error) ? full(file, target) : error
  } finally {
    await handle.close()
  }
  if (copied !== file.sizeBytes) throw new EngineError('failed', `${file.name} changed while it was copied. Try again.`)
  const sha256 = hash.digest('hex')
  await assertChecksum(file, sha256, { ...options, at: partOf(target), target })
  await rename(partOf(target), target)
  return sha256
}

type Arrived = Pick<FetchOptions, 'signal' | 'onBytes'> & { at: string; target: string }

/** Deletes a file that is not what the hub states: by its SHA-256, or as git names its contents. */
async function assertChecksum(file: PlannedFile, sha256: string, { at, target, signal, onBytes }: Arrived) {
  const stated = file.sha256 ?? file.gitSha1
  const found = file.sha256 === undefined && stated !== undefined ? await gitSha1Of(file, at, signal) : sha256
  if (stated === undefined || found === stated) return
  await discard(target)
  onBytes(-file.sizeBytes)
  throw new EngineError(
    'failed',
    `${file.name} does not have the checksum that is stated for it. It was deleted; check the checksum and try again.`,
  )
}

function rangesOf(sizeBytes: number, rangeBytes: number): Range[] {
  const count = Math.max(1, Math.min(MAX_RANGES, Math.floor(sizeBytes / rangeBytes)))
  const step = Math.ceil(sizeBytes / count)
  return Array.from({ length: count }, (_, index) => ({
    start: index * step,
    end: Math.min(sizeBytes, (index + 1) * step),
    done: 0,
  }))
}

/** Reads what is done, if it belongs to this version of the file and is in order. */
async function readPart(file: PlannedFile, target: string): Promise<Part | undefined> {
  try {
    const part = Part.parse(JSON.parse(await readFile(recordOf(target), 'utf8')))
    const isInOrder = part.ranges.every(({ start, end, done }, index) => {
      const isNext = start === (index === 0 ? 0 : part.ranges[index - 1]!.end)
      return isNext && start <= end && start + done <= end
    })
    const isSame = part.identity === file.identity && part.ranges.at(-1)!.end === file.sizeBytes
    return isInOrder && isSame && (await sizeAt(partOf(target))) !== undefined ? part : undefined
  } catch {
    return undefined
  }
}

const gitSha1Of = ({ sizeBytes }: PlannedFile, at: string, signal: AbortSignal): Promise<string> =>
  hashOf(at, createHash('sha1').update(`blob ${sizeBytes}\0`), signal)

async function hashOf(file: string, hash: Hash, signal: AbortSignal): Promise<string> {
  for await (const chunk of createReadStream(file, { highWaterMark: HASH_PIECE_BYTES, signal })) hash.update(chunk)
  return hash.digest('hex')
}

const doneOf = ({ ranges }: Part): number => ranges.reduce((sum, { done }) => sum + done, 0)
const partOf = (target: string): string => `${target}.part`
const recordOf = (target: string): string => `${target}.part.json`

async function discard(target: string): Promise<void> {
  for (const file of [target, partOf(target), recordOf(target)]) await rm(file, { force: true })
}

async function sizeAt(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.size
}

const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes((error as { code?: string }).code ?? '')

const full = (file: PlannedFile, target: string): EngineError =>
  new EngineError(
    'failed',
    `The disk of ${target.slice(0, target.lastIndexOf('/'))} is full: ${file.name} takes ${formatSize(file.sizeBytes)}. Free some space, or set MODELS_CACHE_DIR to a folder on another disk, and resume.`,
  )

const stopped = (cause: Unreachable): EngineError =>
  new EngineError('offline', `${cause.message}. The download stopped; it continues from there when you resume it.`, {
    cause,
  })
