import 'server-only'
import { invalidField } from '@/lib/contract/errors'
import type { SpeechRequest } from '@/lib/contract/speech.schema'
import type { SpeechFormat } from '@/lib/contract/speech-types'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'
import { requestIdOf } from '@/lib/pipeline/admit'
import type { Quote } from '@/lib/pipeline/metered'
import { type PricedUnits, priceOf } from '@/lib/services/ledger/price'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'
import type { SpeechPart } from '@/lib/services/models/type-parts'

/** Named in a refusal; a service may know thousands. */
const MAX_NAMED_VOICES = 60

export type SpeechWork = {
  model: Model
  text: string
  voice: string
  format: SpeechFormat
  speed: number
  isStreaming: boolean
  style?: string
}

/** Speech asked for → the work, checked against the model, and what it costs. */
export function quoteSpeech(body: SpeechRequest, caller: Caller, context: RequestContext): Quote<SpeechWork> {
  const model = resolveModel(body.model ?? 'default', { type: 'tts', caller, context })
  // Every model of the type has it.
  const can = model.speech as SpeechPart
  return {
    requestId: requestIdOf(context, caller, 'speech'),
    model,
    amount: priceOf(speechLines(model, body.input.length)),
    work: {
      model,
      text: body.input,
      voice: voiceOf(body.voice, model, can),
      format: formatOf(body.response_format, model, can),
      speed: body.speed,
      isStreaming: body.streaming,
      style: body.prompt,
    },
  }
}

export function speechLines(model: Model, characters: number): PricedUnits[] {
  return model.inputRate ? [{ sku: `${model.id}-tts-input-mchar`, units: characters, price: model.inputRate }] : []
}

function voiceOf(asked: string | undefined, model: Model, { voices, takesForeignVoices }: SpeechPart): string {
  if (asked === undefined) {
    if (voices[0] !== undefined) return voices[0]
    throw invalidField(['voice'], `is required: ${model.id} has no default voice`)
  }
  if (voices.length === 0 || voices.includes(asked) || takesForeignVoices) return asked
  const rest = voices.length - MAX_NAMED_VOICES
  const named = voices.slice(0, MAX_NAMED_VOICES).join(', ')
  throw invalidField(['voice'], `is no voice of ${model.id}; it has ${named}${rest > 0 ? ` and ${rest} more` : ''}`)
}

function formatOf(asked: SpeechFormat | undefined, model: Model, { formats, defaultFormat }: SpeechPart): SpeechFormat {
  if (asked === undefined) return defaultFormat
  if (formats.includes(asked)) return asked
  throw invalidField(['response_format'], `cannot be had of ${model.id} here; it makes ${formats.join(', ')}`)
}
