import fc from 'fast-check'

/** Chooses for one request. The same seed and number choose the same. */
export type Draw = {
  /** A whole number from 0 to less than this. */
  below: (bound: number) => number
  /** True in this share of cases, 0 to 1. */
  chance: (share: number) => boolean
  pick: <T>(choices: readonly T[]) => T
  /** A value of fast-check's making, which likes edges and oddities. */
  some: <T>(arbitrary: fc.Arbitrary<T>) => T
}

const WHOLE = 2 ** 32

export function drawOf(seed: number, number: number): Draw {
  let state = mixed(mixed(seed) ^ number)
  // mulberry32: small, and good enough to choose by.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return (value ^ (value >>> 14)) >>> 0
  }
  const below = (bound: number): number => Math.floor((next() / WHOLE) * bound)
  return {
    below,
    chance: (share) => next() / WHOLE < share,
    pick: (choices) => choices[below(choices.length)]!,
    some: (arbitrary) => fc.sample(arbitrary, { seed: next() | 0, numRuns: 1 })[0]!,
  }
}

/** Neighbouring numbers become far ones. */
function mixed(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x45d9f3b)
  const twice = Math.imul(once ^ (once >>> 16), 0x45d9f3b)
  return twice ^ (twice >>> 16)
}
