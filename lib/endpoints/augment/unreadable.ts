import 'server-only'
import { ApiError } from '@/lib/contract/errors'

/** A file without text that can be had: the message stands by itself, for clients that show it, and beside its field. */
export const unreadable = (message: string, cause?: unknown): ApiError =>
  new ApiError('INVALID_REQUEST', message, { issues: [{ code: 'custom', path: ['file'], message }], cause })
