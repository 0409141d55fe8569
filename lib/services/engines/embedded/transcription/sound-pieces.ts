/** Samples for which a loudness is measured: 20 ms at 16 kHz. */
export const FRAME_SAMPLES = 320
/** The last half of a piece is where a pause is looked for. */
const LEAST_SHARE = 0.5
/** A pause is judged over this many frames, so that no cut falls into the stop of a consonant. */
const PAUSE_FRAMES = 12

/** Less than this, of a full scale of 1, is the noise of a quiet room: about -50 dB. */
export const SILENCE = 0.003

/**
 * Cuts sound into pieces of at most `maxSamples`, each at the quietest place of its second half. The pieces are views
 * and make up the whole.
 */
export function* piecesOf(sound: Float32Array, maxSamples: number): Generator<Float32Array> {
  let start = 0
  while (sound.length - start > maxSamples) {
    const end = start + quietestPlace(sound.subarray(start, start + maxSamples))
    yield sound.subarray(start, end)
    start = end
  }
  if (start < sound.length) yield sound.subarray(start)
}

/** Whether nothing in it is loud enough to be speech. What is no number is no sound. */
export function isSilent(sound: Float32Array): boolean {
  return !loudnessOf(sound).some((loudness) => loudness > SILENCE)
}

function quietestPlace(sound: Float32Array): number {
  const loudness = loudnessOf(sound)
  let best = loudness.length - 1
  let least = Number.POSITIVE_INFINITY
  for (let frame = Math.floor(loudness.length * LEAST_SHARE); frame + PAUSE_FRAMES <= loudness.length; frame++) {
    let sum = 0
    for (let index = frame; index < frame + PAUSE_FRAMES; index++) sum += loudness[index]!
    // Of places that are equally quiet the last: pieces as long as they may be.
    if (sum > least) continue
    least = sum
    best = frame + PAUSE_FRAMES / 2
  }
  return Math.max(1, best) * FRAME_SAMPLES
}

/** Root mean square of each frame. */
export function loudnessOf(sound: Float32Array): Float32Array {
  const loudness = new Float32Array(Math.ceil(sound.length / FRAME_SAMPLES))
  for (let frame = 0; frame < loudness.length; frame++) {
    const end = Math.min(sound.length, (frame + 1) * FRAME_SAMPLES)
    let sum = 0
    for (let index = frame * FRAME_SAMPLES; index < end; index++) sum += sound[index]! ** 2
    loudness[frame] = Math.sqrt(sum / (end - frame * FRAME_SAMPLES))
  }
  return loudness
}
