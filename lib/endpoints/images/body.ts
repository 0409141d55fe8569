import 'server-only'
import type { z } from 'zod'
import { ApiError } from '@/lib/contract/errors'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import { fileSource, type Source } from '@/lib/endpoints/images/source'
import type { RequestContext } from '@/lib/kernel/request-context'
import { flatten, json } from '@/lib/pipeline/body'
import { type FilesForm, readFilesForm } from '@/lib/pipeline/form'

type Shape<Body extends z.ZodType, Fields extends z.ZodType> = {
  body: Body
  fields: Fields
  part: string
  maxFiles: number
  /** A field may stand for the file. */
  isFileOptional?: boolean
}

/** A body as JSON, or as a form: its fields, and its files under the name of their part. */
export type Either<Body extends z.ZodType, Fields extends z.ZodType> =
  | { body: z.output<Body> }
  | { fields: z.output<Fields>; files: Source[] }

/**
 * Reads a body that may be JSON or a form, by its content type.
 *
 * @throws ApiError 415 when it is neither, 413, 400.
 */
export function jsonOrForm<Body extends z.ZodType, Fields extends z.ZodType>(shape: Shape<Body, Fields>) {
  const readJson = json(shape.body)
  return async (context: RequestContext, request: Request): Promise<Either<Body, Fields>> => {
    const isForm = /^multipart\/form-data/i.test(context.headers.get('content-type') ?? '')
    if (!isForm) return { body: await readJson(context, request) }
    const { part, maxFiles, isFileOptional: isOptional } = shape
    const form = await readFilesForm(context, request, { part, maxFiles, maxFileBytes: MAX_FILE_BYTES, isOptional })
    const fields = fieldsOf(form, shape.fields)
    const path = (index: number) => (maxFiles === 1 ? [part] : [part, index])
    return { fields, files: form.files.map(({ bytes }, index) => fileSource(bytes, path(index))) }
  }
}

/** A field that is sent more than once counts as it was sent last; an empty one as if it were not there. */
function fieldsOf<Fields extends z.ZodType>({ fields }: FilesForm, schema: Fields): z.output<Fields> {
  const last = [...fields].map(([name, values]) => [name, values.at(-1)] as const).filter(([, value]) => value !== '')
  const parsed = schema.safeParse(Object.fromEntries(last))
  if (parsed.success) return parsed.data
  throw new ApiError('INVALID_REQUEST', 'Invalid request parameters', { issues: flatten(parsed.error) })
}
