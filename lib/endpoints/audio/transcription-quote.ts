import 'server-only'
import type { TranscriptionFields } from '@/lib/contract/transcription.schema'
import { type Recording, secondsAtMost } from '@/lib/endpoints/audio/recording'
import type { TranscriptionRequest } from '@/lib/endpoints/audio/transcription-parse'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'
import { requestIdOf } from '@/lib/pipeline/admit'
import type { Quote } from '@/lib/pipeline/metered'
import { type PricedUnits, priceOf } from '@/lib/services/ledger/price'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'

export type TranscriptionWork = {
  model: Model
  recording: Recording
  language?: string
  format: TranscriptionFields['response_format']
  wantsTimes: boolean
  wantsWords: boolean
}

const FORMATS_WITH_TIMES: ReadonlySet<TranscriptionWork['format']> = new Set(['srt', 'vtt', 'verbose_json'])

/** A recording → the work, and the most that it can cost: how long it is shows when it is read. */
export function quoteTranscription(
  body: TranscriptionRequest,
  caller: Caller,
  context: RequestContext,
): Quote<TranscriptionWork> {
  const model = resolveModel(body.model ?? 'default', { type: 'asr', caller, context })
  const { recording, language, response_format: format } = body
  return {
    requestId: requestIdOf(context, caller, 'asr'),
    model,
    amount: priceOf(transcriptionLines(model, secondsAtMost(recording))),
    work: {
      model,
      recording,
      language,
      format,
      wantsTimes: body.timestamps || body.timestamp_granularities.length > 0 || FORMATS_WITH_TIMES.has(format),
      wantsWords: body.timestamp_granularities.includes('word'),
    },
  }
}

/** Each begun second is charged; replies in JSON say how many. */
export const chargedSeconds = (seconds: number): number => Math.ceil(seconds)

export function transcriptionLines(model: Model, seconds: number): PricedUnits[] {
  if (!model.secondRate) return []
  return [{ sku: `${model.id}-asr-second`, units: chargedSeconds(seconds), price: model.secondRate }]
}
