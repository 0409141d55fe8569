import {
  FRAME_SAMPLES,
  isSilent,
  loudnessOf,
  SILENCE,
} from '@/lib/services/engines/embedded/transcription/sound-pieces'

/** Frames of 20 ms. A pause that is shorter does not end an utterance. */
const LEAST_PAUSE_FRAMES = 30
/** What is kept before and after speech, so that no consonant is cut. */
const MARGIN_FRAMES = 8
/** Speech is louder than the quietest tenth of the recording by this much. */
const ABOVE_FLOOR = 3
const FLOOR_SHARE = 0.1

/** A stretch of speech between two pauses; places are sample numbers. */
export type Utterance = { start: number; end: number }

/**
 * Where speech begins and ends in a recording: stretches that are louder than its background, with the pauses between
 * them left out. A recording without pauses is one utterance, one without sound none.
 */
export function utterancesOf(sound: Float32Array): Utterance[] {
  if (isSilent(sound)) return []
  const loudness = loudnessOf(sound)
  const threshold = thresholdOf(loudness)
  const found: { first: number; last: number }[] = []
  for (const [frame, value] of loudness.entries()) {
    if (!(value > threshold)) continue
    const open = found.at(-1)
    if (open && frame - open.last <= LEAST_PAUSE_FRAMES) open.last = frame
    else found.push({ first: frame, last: frame })
  }
  return found.map(({ first, last }) => ({
    start: Math.max(0, first - MARGIN_FRAMES) * FRAME_SAMPLES,
    end: Math.min(sound.length, (last + 1 + MARGIN_FRAMES) * FRAME_SAMPLES),
  }))
}

/** Above the background, but never so high that a recording which is loud throughout falls silent. */
function thresholdOf(loudness: Float32Array): number {
  const sorted = loudness.toSorted()
  const floor = sorted[Math.floor(sorted.length * FLOOR_SHARE)] ?? 0
  const loud = sorted[Math.floor(sorted.length * (1 - FLOOR_SHARE))] ?? 0
  return Math.max(SILENCE, Math.min(floor * ABOVE_FLOOR, loud / ABOVE_FLOOR))
}
