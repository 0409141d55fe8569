import 'server-only'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { formatBytes } from '@/lib/kernel/byte-size'
import type { RequestContext } from '@/lib/kernel/request-context'
import { readBytes } from '@/lib/pipeline/body'

const FRAME_BYTES = 262_144
const MAX_FULL_FILES = 3
/** A hundred thousand parts of one letter keep a form parser busy for a second. */
const MAX_PARTS = 64
const PART_HEADER = /content-disposition/gi

export type FormFile = { bytes: Uint8Array<ArrayBuffer>; name: string; type: string }

export type Form = { file: FormFile; fields: Map<string, string[]> }
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

export type FilesPart = { part: string; maxFiles: number; maxFileBytes: number; isOptional?: boolean }

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
