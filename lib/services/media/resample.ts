import { setImmediate as nextTurn } from 'node:timers/promises'

/** How far the filter reaches to either side, in periods of the lower rate. More is sharper and slower. */
const REACH = 12
/** Of the lower rate's half, in which the filter leaves the sound alone. */
const PASS_BAND = 0.94
/** The filter is made for so many positions between two samples; a rate that needs more gets the nearest. */
const MAX_PHASES = 1_024
/** Samples made before others have their turn: some milliseconds of work. */
const SLICE = 16_384

/** Brings sound to another rate with a windowed-sinc filter. Yields to the event loop as it goes. */
export async function resample(
  samples: Float32Array,
  rates: { from: number; to: number },
  signal: AbortSignal,
): Promise<Float32Array> {
  if (rates.from === rates.to) return samples
  const filter = filterOf(rates)
  const result = new Float32Array(Math.floor((samples.length * rates.to) / rates.from))
  for (let start = 0; start < result.length; start += SLICE) {
    fill(result, start, Math.min(start + SLICE, result.length), samples, filter, rates)
    await nextTurn()
    signal.throwIfAborted()
  }
  return result
}

type Filter = { taps: number; phases: Float32Array[] }

function fill(
  result: Float32Array,
  start: number,
  end: number,
  samples: Float32Array,
  { taps, phases }: Filter,
  { from, to }: { from: number; to: number },
): void {
  for (let index = start; index < end; index++) {
    const scaled = index * from
    const base = Math.floor(scaled / to)
    const phase = phases[Math.floor(((scaled - base * to) / to) * phases.length)] ?? new Float32Array()
    const first = base - taps / 2 + 1
    const low = Math.max(0, -first)
    const high = Math.min(taps, samples.length - first)
    let sum = 0
    // Both indices are within bounds by `low` and `high`; this is the loop that all the time is spent in.
    for (let tap = low; tap < high; tap++) sum += (phase[tap] as number) * (samples[first + tap] as number)
    result[index] = sum
  }
}

function filterOf({ from, to }: { from: number; to: number }): Filter {
  const count = Math.min(MAX_PHASES, to / greatestCommonDivisor(from, to))
  const cutoff = Math.min(1, to / from) * PASS_BAND
  const taps = 2 * Math.ceil(REACH * Math.max(1, from / to))
  const phases = Array.from({ length: count }, (_, phase) => {
    const weights = Float32Array.from({ length: taps }, (_, tap) => {
      const distance = tap - (taps / 2 - 1) - phase / count
      return sinc(distance * cutoff) * window((2 * distance) / taps)
    })
    const sum = weights.reduce((total, weight) => total + weight, 0)
    return weights.map((weight) => weight / sum)
  })
  return { taps, phases }
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

/** Blackman's, from -1 to 1. */
function window(x: number): number {
  return Math.abs(x) >= 1 ? 0 : 0.42 + 0.5 * Math.cos(Math.PI * x) + 0.08 * Math.cos(2 * Math.PI * x)
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
