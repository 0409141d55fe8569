import 'server-only'
import type { AudioQueueRequest, AudioQuoteRequest } from '@/lib/contract/audio-jobs.schema'
import type { Usd } from '@/lib/contract/money'
import { assertDuration, assertFits, assertLength } from '@/lib/endpoints/audio/music/fits'
import { musicLines } from '@/lib/endpoints/audio/music/price'
import type { Caller } from '@/lib/kernel/caller'
import type { RequestContext } from '@/lib/kernel/request-context'
import type { Quote } from '@/lib/pipeline/metered'
import { requestIdOf } from '@/lib/pipeline/request-id'
import type { Charge } from '@/lib/services/ledger/ledger'
import { chargeOf, priceOf } from '@/lib/services/ledger/price'
import type { MusicPart } from '@/lib/services/models/job-parts'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'

/** What a job of music, effects or long speech is to do, as its row keeps it. */
export type AudioInput = {
  prompt: string
  lyrics?: string
  optimizesLyrics?: boolean
  seconds?: number
  isInstrumental?: boolean
  isLoop?: boolean
  voice?: string
  language?: string
  speed?: number
}

export type AudioOrder = { model: Model; input: AudioInput; charge: Charge }

/** @throws ApiError as `resolveModel`, and INVALID_REQUEST for a length that the model has not, or needs. */
export function quoteAudio(body: AudioQuoteRequest, context: RequestContext): Usd {
  const { model, can } = musicModel(body.model, { context })
  assertDuration(body, model.id, can)
  assertLength(body.character_count, can)
  return priceOf(musicLines(model, can, { seconds: body.duration_seconds, characters: body.character_count }))
}

/** Checks a job against its model, and prices it. @throws ApiError as `quoteAudio`; INVALID_REQUEST. */
export function orderAudio(body: AudioQueueRequest, caller: Caller, context: RequestContext): Quote<AudioOrder> {
  const { model, can } = musicModel(body.model, { context, caller })
  assertFits(body, model.id, can)
  const seconds = body.duration_seconds ?? can.default_duration
  const priced = chargeOf(musicLines(model, can, { seconds, characters: body.prompt.length }))
  const input: AudioInput = {
    prompt: body.prompt,
    lyrics: body.lyrics_prompt || undefined,
    optimizesLyrics: body.lyrics_optimizer,
    seconds,
    isInstrumental: body.force_instrumental,
    isLoop: body.loop,
    voice: body.voice ?? can.default_voice,
    language: body.language_code,
    speed: body.speed,
  }
  const charge: Charge = { ...priced, modelId: model.id, modelType: 'MUSIC' }
  return {
    requestId: requestIdOf(context, caller, 'music'),
    model,
    amount: priced.amount,
    work: { model, input, charge },
  }
}

function musicModel(
  name: string,
  options: { context: RequestContext; caller?: Caller },
): { model: Model; can: MusicPart } {
  const model = resolveModel(name, { type: 'music', ...options })
  // Every model of the type has it.
  return { model, can: model.music as MusicPart }
}
