const WINDOW_MS = 30
const SEARCH_MS = 8
const STRIDE = 4

/**
 * Makes speech longer or shorter at the same pitch: windows of it are laid over each other where they fit best (WSOLA).
 *
 * @param factor of its length: 2 is twice as long.
 */
export function stretch(samples: Float32Array, rate: number, factor: number): Float32Array {
  const half = Math.round((rate * WINDOW_MS) / 2_000)
  const search = Math.round((rate * SEARCH_MS) / 1_000)
  if (factor === 1 || samples.length < 4 * half) return samples
  const result = new Float32Array(Math.round(samples.length * factor))
  result.set(samples.subarray(0, half))
  let source = 0
  for (let at = 0; at + 2 * half <= result.length; at += half) {
    const wanted = Math.round(at / factor)
    // What would come next by itself is what the next window should look like.
    source = at === 0 ? 0 : bestFit(samples, source + half, wanted, { search, length: half })
    overlay(result, at, samples, source, half)
  }
  return result
}

function overlay(result: Float32Array, at: number, samples: Float32Array, source: number, half: number): void {
  for (let index = 0; index < half; index++) {
    const weight = index / half
    const sample = samples[source + index] ?? 0
    result[at + index] = at === 0 ? sample : result[at + index]! * (1 - weight) + sample * weight
    result[at + half + index] = samples[source + half + index] ?? 0
  }
}

function bestFit(
  samples: Float32Array,
  natural: number,
  wanted: number,
  { search, length }: { search: number; length: number },
): number {
  let best = wanted
  let most = Number.NEGATIVE_INFINITY
  const last = Math.min(samples.length - 2 * length, wanted + search)
  for (let place = Math.max(0, wanted - search); place <= last; place++) {
    let likeness = 0
    for (let index = 0; index < length; index += STRIDE) {
      likeness += samples[place + index]! * (samples[natural + index] ?? 0)
    }
    if (likeness <= most) continue
    most = likeness
    best = place
  }
  return Math.max(0, Math.min(best, samples.length - 1))
}
