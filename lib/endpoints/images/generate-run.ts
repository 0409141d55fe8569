import 'server-only'
import { styled } from '@/lib/contract/image-styles'
import { withinDeadline } from '@/lib/endpoints/images/deliver'
import { enhanced, enhancementLines } from '@/lib/endpoints/images/enhance'
import type { GenerateWork } from '@/lib/endpoints/images/generate-quote'
import { blackPicture, type Picture, writePicture } from '@/lib/endpoints/images/image'
import type { RequestContext } from '@/lib/kernel/request-context'
import { EngineError } from '@/lib/services/engines/engine'
import { painterOf } from '@/lib/services/engines/image-engine'
import type { Meter } from '@/lib/services/ledger/meter'
import type { MemoryReservation } from '@/lib/services/media/memory-budget'

/** As an engine sends a picture, as it goes out, and as text. */
const COPIES = 4

/** A picture, or the black one in the place of one that the model refused to make. */
export type Made = Picture & { isBlocked: boolean }

export type Generated = {
  pictures: Made[]
  /** Where a rewriting of the prompt was applied. */
  enhancedPrompt?: string
  /** Milliseconds. */
  timing: { preprocessing: number; inference: number }
}

/** Makes the pictures. Each that is delivered is charged; a blocked one, or one that failed beside others, is not. */
export function runGenerate(
  work: GenerateWork,
  meter: Meter,
  _context: RequestContext,
  signal: AbortSignal,
): Promise<Generated> {
  const wording = { noun: 'The picture', code: 'INFERENCE_FAILED' } as const
  return withinDeadline(meter, signal, wording, async (limited, hand) => {
    const { prompt } = work.paint
    const enhancedPrompt = work.enhancement && (await enhanced(work.enhancement, prompt, limited))
    const words = styled(enhancedPrompt ?? prompt, work.paint.negativePrompt, work.style)
    const beganAt = performance.now()
    const tries = await Promise.allSettled(
      Array.from({ length: work.variants }, (_, variant) => makeOne(work, words, variant, hand, limited)),
    )
    const pictures = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    for (const one of tries) if (pictures.length === 0 && one.status === 'rejected') throw one.reason
    const shown = pictures.filter(({ isBlocked }) => !isBlocked).length
    meter.read = () => {
      if (shown === 0) return undefined
      const lines = [...work.lines(shown), ...(enhancedPrompt === undefined ? [] : enhancementLines())]
      return { lines, modelId: work.model.id, modelType: 'IMAGE' }
    }
    const timing = { preprocessing: beganAt - work.createdAt, inference: performance.now() - beganAt }
    return { pictures, enhancedPrompt, timing }
  })
}

type Words = { prompt: string; negativePrompt?: string }

async function makeOne(
  work: GenerateWork,
  words: Words,
  variant: number,
  hand: MemoryReservation,
  signal: AbortSignal,
): Promise<Made> {
  const { model, paint, format, describes } = work
  try {
    // The others would be the same picture again.
    const seed = variant === 0 ? paint.seed : undefined
    const bytes = await painterOf(model.engine).paint({ ...paint, ...words, seed, model: model.upstreamModel }, signal)
    hand.reserve(bytes.length * COPIES)
    const description = describes ? JSON.stringify({ prompt: paint.prompt, model: model.id, seed }) : undefined
    return { ...(await writePicture(bytes, { format, description }, signal)), isBlocked: false }
  } catch (error) {
    if (!(error instanceof EngineError) || error.reason !== 'content-policy') throw error
    return { ...(await blackPicture(paint, format, signal)), isBlocked: true }
  }
}
