import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { MAX_RECORDING_BYTES, recordingOf } from '@/lib/endpoints/audio/recording'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'
import { readForm } from '@/lib/pipeline/body'
import type { Quote } from '@/lib/pipeline/metered'
import { resolveModel } from '@/lib/services/models/resolve'

type VoiceRequest = { model?: string }

/** @throws ApiError 415, 413 and 400 as `readForm`, and as `recordingOf`. */
export async function parseVoice(context: RequestContext, request: Request): Promise<VoiceRequest> {
  const { file, fields } = await readForm(context, request, MAX_RECORDING_BYTES)
  recordingOf(file)
  return { model: fields.get('model')?.at(-1) }
}

/**
 * Always throws: no model of this service clones voices. @throws ApiError 404, 400 for a model that is not there or not
 * of the type; otherwise UNAUTHORIZED 403.
 */
export function refuseVoice({ model }: VoiceRequest, caller: Caller, context: RequestContext): Quote<never> {
  const named = model === undefined ? undefined : resolveModel(model, { type: 'tts', caller, context })
  const who = named ? `${named.id} does not clone voices` : 'No model of this service clones voices'
  throw new ApiError('UNAUTHORIZED', `${who}. Choose one of the voices that GET /models?type=tts lists.`)
}
