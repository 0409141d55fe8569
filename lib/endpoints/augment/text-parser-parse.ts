import 'server-only'
import { TextParserFields } from '@/lib/contract/augment.schema'
import { ApiError } from '@/lib/contract/errors'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import type { RequestContext } from '@/lib/kernel/request-context'
import { flatten } from '@/lib/pipeline/body'
import { type FormFile, readForm } from '@/lib/pipeline/form'
import { ExtractionError, isImageFile } from '@/lib/services/documents/text-parser'

export type TextParserRequest = TextParserFields & { file: FormFile }

/**
 * A form → a file that may hold text, and how its text is wanted.
 *
 * @throws ApiError 415, 413 and 400 as `readForm`; INVALID_REQUEST for a file that is empty or a picture.
 */
export async function parseTextParser(context: RequestContext, request: Request): Promise<TextParserRequest> {
  const { file, fields } = await readForm(context, request, MAX_FILE_BYTES)
  const parsed = TextParserFields.safeParse(Object.fromEntries([...fields].map(([name, all]) => [name, all.at(-1)])))
  if (!parsed.success) {
    throw new ApiError('INVALID_REQUEST', 'Invalid request parameters', { issues: flatten(parsed.error) })
  }
  if (file.bytes.length === 0) throw unreadable('The file is empty: it has no bytes.')
  // The chat reads the words of a picture; this endpoint is for documents.
  if (isImageFile(namedFile(file))) throw unreadable(new ExtractionError('unsupported').message)
  return { ...parsed.data, file }
}

/** As the extractor takes it. */
export const namedFile = ({ bytes, name, type }: FormFile) => ({ bytes, mime: type, filename: name })

/** A file without text that can be had: the message stands by itself, for clients that show it, and beside its field. */
export const unreadable = (message: string, cause?: unknown): ApiError =>
  new ApiError('INVALID_REQUEST', message, { issues: [{ code: 'custom', path: ['file'], message }], cause })
