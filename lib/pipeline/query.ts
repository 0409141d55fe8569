import type { z } from 'zod'
import { ApiError } from '@/lib/contract/errors'
import { flatten } from '@/lib/pipeline/body'

/**
 * The query of a request's address, checked; parameters that the schema does not name are ignored. Of one that is given
 * twice the last counts.
 *
 * @throws ApiError INVALID_REQUEST (400) naming each fault.
 */
export function parseQuery<Schema extends z.ZodType>(schema: Schema, request: Request): z.output<Schema> {
  const parsed = schema.safeParse(Object.fromEntries(new URL(request.url).searchParams))
  if (parsed.success) return parsed.data
  throw new ApiError('INVALID_REQUEST', 'Invalid request parameters', { issues: flatten(parsed.error) })
}
