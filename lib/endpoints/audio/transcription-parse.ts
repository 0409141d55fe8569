import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { TranscriptionFields } from '@/lib/contract/transcription.schema'
import { MAX_RECORDING_BYTES, type Recording, recordingOf } from '@/lib/endpoints/audio/recording'
import type { RequestContext } from '@/lib/kernel/request-context'
import { flatten } from '@/lib/pipeline/body'
import { readForm } from '@/lib/pipeline/form'

export type TranscriptionRequest = TranscriptionFields & { recording: Recording }

const LISTS = new Set(['timestamp_granularities'])

/**
 * A form → what is to be written down, and how.
 *
 * @throws ApiError 415, 413 and 400 as `readForm`, and as `recordingOf`.
 */
export async function parseTranscription(context: RequestContext, request: Request): Promise<TranscriptionRequest> {
  const { file, fields } = await readForm(context, request, MAX_RECORDING_BYTES)
  const named = [...fields].map(([name, values]) => {
    const plain = name.replace(/\[\]$/, '')
    return [plain, LISTS.has(plain) ? values : values.at(-1)] as const
  })
  const parsed = TranscriptionFields.safeParse(Object.fromEntries(named))
  if (!parsed.success) {
    throw new ApiError('INVALID_REQUEST', 'Invalid request parameters', { issues: flatten(parsed.error) })
  }
  return { ...parsed.data, recording: recordingOf(file) }
}
