import 'server-only'
import { log } from '@/lib/kernel/log'
import type { EmbeddingEngine } from '@/lib/services/engines/engine'

export type EmbedSoon = { engine: EmbeddingEngine | undefined; withinMs: number; signal: AbortSignal }

/**
 * Embeds texts where that can be done in time: an answer is worth more than the best order of what it is made from.
 *
 * @returns nothing where there is no engine, it failed, or time was up.
 * @throws the signal's reason when the caller left.
 */
export async function embedSoon(texts: string[], o: EmbedSoon): Promise<Float32Array[] | undefined> {
  o.signal.throwIfAborted()
  if (!o.engine || texts.length === 0) return undefined
  const deadline = AbortSignal.any([o.signal, AbortSignal.timeout(o.withinMs)])
  try {
    const vectors = await Promise.race([o.engine.embed(texts, deadline), aborted(deadline)])
    return vectors.length === texts.length ? vectors : undefined
  } catch (error) {
    o.signal.throwIfAborted()
    log().info({ err: error, texts: texts.length }, 'texts were not embedded in time')
    return undefined
  }
}

/** How near two unit vectors are: 1 the same, 0 unrelated. */
export function similarity(left: Float32Array, right: Float32Array): number {
  let sum = 0
  for (let at = 0; at < left.length; at++) sum += left[at]! * right[at]!
  return sum
}

/** An engine may be slow to hear that it should stop; nobody waits for that. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
