import 'server-only'
import { compile, type ZodError, type z } from 'zod'
import { ApiError, type Issue, invalidField } from '@/lib/contract/errors'
import { MAX_JSON_BYTES } from '@/lib/contract/limits'
import { formatBytes, MEGABYTE } from '@/lib/kernel/byte-size'
import { parseJson } from '@/lib/kernel/json-body'
import type { RequestContext } from '@/lib/kernel/request-context'
import { recentBalances } from '@/lib/services/ledger/ledger'
import { canConsume } from '@/lib/services/ledger/ledger-types'

const MAX_BYTES_IN_FLIGHT = 512 * MEGABYTE
/** Part of `MAX_BYTES_IN_FLIGHT` that callers without credit share: free credentials can be had in any number. */
const MAX_UNFUNDED_BYTES_IN_FLIGHT = 128 * MEGABYTE
const UNCOUNTED_BYTES = 65_536

type InFlight = { bytes: number; unfundedBytes: number; own: Map<string, number> }
const inFlight: InFlight = { bytes: 0, unfundedBytes: 0, own: new Map() }

/**
 * Reads and validates a JSON body.
 *
 * @throws ApiError INVALID_CONTENT_TYPE (415), PAYLOAD_TOO_LARGE (413), INVALID_REQUEST (400).
 */
export function json<Schema extends z.ZodType>(schema: Schema, options: { maxBytes?: number } = {}) {
  const maxBytes = options.maxBytes ?? MAX_JSON_BYTES
  // A compiled schema reads a body in a quarter of the time; made with the first body, since a start would wait for all.
  let compiled: Schema | undefined
  return async (context: RequestContext, request: Request): Promise<z.output<Schema>> => {
    const bytes = await jsonBytes(context, request, maxBytes)
    compiled ??= compile(schema)
    return parseWith(compiled, parseJson(bytes))
  }
}

export function jsonBytes(context: RequestContext, request: Request, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  assertJsonType(context.headers.get('content-type'))
  return readBytes(context, request, maxBytes)
}

function assertJsonType(contentType: string | null): void {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/json' || (type?.startsWith('application/') && type.endsWith('+json'))) return
  throw new ApiError('INVALID_CONTENT_TYPE', 'Send the body as JSON, with the header Content-Type: application/json.')
}

/**
 * Reads a body of any type.
 *
 * @throws ApiError PAYLOAD_TOO_LARGE (413), REQUEST_TIMEOUT_BODY (408), SERVICE_UNAVAILABLE (503) when too many bodies
 * are being read.
 */
export async function readBytes(
  context: RequestContext,
  request: Request,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer>> {
  const declared = context.headers.get('content-length')
  if (declared === null) return readCounted(context, request, maxBytes)
  const length = Number(declared)
  if (!Number.isSafeInteger(length) || length > maxBytes) throw tooLarge(maxBytes)
  if (length > UNCOUNTED_BYTES) return readCounted(context, request, maxBytes)
  // Node's parser reads no more than was declared, so the body may be taken whole.
  const { buffer, byteOffset, byteLength } = await readWhole(request.bytes())
  return Buffer.from(buffer, byteOffset, byteLength)
}

async function readCounted(context: RequestContext, request: Request, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  if (!request.body) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  let length = 0
  let room: Room | undefined
  const reader = request.body.getReader()
  try {
    while (true) {
      const { done, value } = await readWhole(reader.read())
      if (done) return Buffer.concat(chunks, length)
      if (length + value.byteLength > maxBytes) throw tooLarge(maxBytes)
      length += value.byteLength
      if (length > UNCOUNTED_BYTES) {
        room ??= openRoom(context, await isFunded(context))
        room.grow(length)
      }
      chunks.push(value)
    }
  } finally {
    room?.close()
    await reader.cancel().catch(() => {})
  }
}

async function isFunded({ facts }: RequestContext): Promise<boolean> {
  if (facts.accountId === undefined) return false
  // Without an answer nobody is refused yet: there is room for some.
  return recentBalances(facts.accountId).then(canConsume, () => false)
}

type Room = { grow: (length: number) => void; close: () => void }

function openRoom({ facts, clientAddress }: RequestContext, isFunded: boolean): Room {
  const name = facts.accountId ?? clientAddress
  let taken = 0
  const count = (bytes: number) => {
    const own = (inFlight.own.get(name) ?? 0) + bytes
    taken += bytes
    inFlight.bytes += bytes
    if (!isFunded) inFlight.unfundedBytes += bytes
    if (own > 0) inFlight.own.set(name, own)
    else inFlight.own.delete(name)
  }
  return {
    grow(length: number): void {
      const more = length - taken
      const own = (inFlight.own.get(name) ?? 0) + more
      const left = Math.min(
        MAX_BYTES_IN_FLIGHT - inFlight.bytes,
        isFunded ? Number.POSITIVE_INFINITY : MAX_UNFUNDED_BYTES_IN_FLIGHT - inFlight.unfundedBytes,
      )
      // Nobody may hold more than is left to others: however many send at once, the next one finds room.
      if (own > left - more) throw busy()
      count(more)
    },
    close: () => count(-taken),
  }
}

function readWhole<T>(reading: Promise<T>): Promise<T> {
  return reading.catch((cause) => {
    const message =
      'The request body did not arrive in time. Send it again on a faster connection, or in smaller parts.'
    throw new ApiError('REQUEST_TIMEOUT_BODY', message, { cause, headers: { Connection: 'close' } })
  })
}

function tooLarge(maxBytes: number): ApiError {
  const message = `The body is larger than ${formatBytes(maxBytes)}. Send less, or send large media as a URL.`
  // What is left of the body is not worth reading.
  return new ApiError('PAYLOAD_TOO_LARGE', message, { headers: { Connection: 'close' } })
}

function busy(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', 'Too many large requests at once; try again in a few seconds.', {
    retryAfterSeconds: 5,
    headers: { Connection: 'close' },
  })
}

const NAMELESS_UNION = 'Invalid input'

/** Lists a validator's faults in the contract's form; of a union, those of the closest branch. */
export function flatten(error: ZodError): Issue[] {
  const issues = error.issues.flatMap((issue) => flattenIssue(issue, []))
  // Of a value of another kind the validator goes on to say that it is too long, or too large.
  const ofAnotherKind = new Set(issues.filter(({ code }) => code === 'invalid_type').map(placeOf))
  return issues.filter((issue) => issue.code === 'invalid_type' || !ofAnotherKind.has(placeOf(issue)))
}

const placeOf = ({ path }: Issue): string => JSON.stringify(path)

type RawIssue = ZodError['issues'][number]

function flattenIssue(issue: RawIssue, prefix: PropertyKey[]): Issue[] {
  const path = [...prefix, ...issue.path]
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const closest = issue.errors.reduce((best, branch) => (rank(branch) > rank(best) ? branch : best))
    const isInside = closest.some((inner) => inner.path.length > 0)
    if (isInside || issue.message === NAMELESS_UNION) return closest.flatMap((inner) => flattenIssue(inner, path))
  }
  return [
    {
      code: issue.code,
      path: path.map((step) => (typeof step === 'symbol' ? String(step) : step)),
      message: issue.message,
    },
  ]
}

function rank(branch: RawIssue[]): number {
  return Math.max(0, ...branch.map((issue) => issue.path.length)) - branch.length / 100
}

export function parseQuery<Schema extends z.ZodType>(schema: Schema, request: Request): z.output<Schema> {
  return parseWith(schema, Object.fromEntries(new URL(request.url).searchParams))
}

export function parseWith<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new ApiError('INVALID_REQUEST', 'Invalid request parameters', { issues: flatten(parsed.error) })
}

const FRAME_BYTES = 262_144
const MAX_FULL_FILES = 3
/** A hundred thousand parts of one letter keep a form parser busy for a second. */
const MAX_PARTS = 64
const PART_HEADER = /content-disposition/gi

export type FormFile = { bytes: Uint8Array<ArrayBuffer>; name: string; type: string }

type Form = { file: FormFile; fields: Map<string, string[]> }
export type FilesForm = { files: FormFile[]; fields: Map<string, string[]> }

/**
 * Reads a multipart form whose part `file` holds a file. Other files are dropped.
 *
 * @throws ApiError INVALID_CONTENT_TYPE (415), PAYLOAD_TOO_LARGE (413), INVALID_REQUEST (400), and as `readBytes`.
 */
export async function readForm(context: RequestContext, request: Request, maxFileBytes: number): Promise<Form> {
  const { files, fields } = await readFilesForm(context, request, { part: 'file', maxFiles: 1, maxFileBytes })
  return { file: files[0] as FormFile, fields }
}

type FilesPart = { part: string; maxFiles: number; maxFileBytes: number; isOptional?: boolean }

export async function readFilesForm(
  context: RequestContext,
  request: Request,
  { part, maxFiles, maxFileBytes, isOptional = false }: FilesPart,
): Promise<FilesForm> {
  const contentType = context.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(contentType)) {
    const message = 'Send the body as a form, with the header Content-Type: multipart/form-data.'
    throw new ApiError('INVALID_CONTENT_TYPE', message)
  }
  const body = await readBytes(context, request, Math.min(maxFiles, MAX_FULL_FILES) * maxFileBytes + FRAME_BYTES)
  const form = await parseForm(body, contentType)
  const files = form.getAll(part)
  if (!isOptional && !files.some((file) => file instanceof File)) {
    throw invalidField([part], `send the file as the part "${part}" of the form`)
  }
  // A form that is sent twice the same part has the one that came first where there is room for one.
  const taken = (maxFiles === 1 ? files.slice(0, 1) : files).map((file) => {
    if (file instanceof File) return file
    throw invalidField([part], `send the file as the part "${part}" of the form`)
  })
  if (taken.length > maxFiles) throw invalidField([part], `contains more than ${maxFiles} files`)
  for (const { size } of taken) {
    if (size <= maxFileBytes) continue
    throw new ApiError('PAYLOAD_TOO_LARGE', `The file is larger than ${formatBytes(maxFileBytes)}. Send less at once.`)
  }
  const fields = new Map<string, string[]>()
  for (const [name, value] of form) {
    if (typeof value === 'string') fields.set(name, [...(fields.get(name) ?? []), value])
  }
  const read = taken.map(async (file) => ({ bytes: await file.bytes(), name: file.name, type: file.type }))
  return { files: await Promise.all(read), fields }
}

/** @throws ApiError INVALID_REQUEST for what is no form, or has too many parts. */
export function parseForm(body: Buffer<ArrayBuffer>, contentType: string): Promise<FormData> {
  assertFewParts(body)
  return new Response(body, { headers: { 'content-type': contentType } }).formData().catch((cause) => {
    throw new ApiError('INVALID_REQUEST', 'The form could not be read.', { cause })
  })
}

function assertFewParts(body: Buffer): void {
  const headers = body.toString('latin1').matchAll(PART_HEADER)
  for (let parts = 0; !headers.next().done; parts++) {
    if (parts === MAX_PARTS) throw new ApiError('INVALID_REQUEST', `The form has more than ${MAX_PARTS} parts.`)
  }
}
