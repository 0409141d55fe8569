import { describe, expect, test } from 'vitest'
import {
  type DrawOptions,
  drawToken,
  dynamicTemperature,
  nodeSamplingOf,
  randomFrom,
} from '@/lib/services/engines/embedded/chat/chat-sampling'

const candidates = [0.5, 0.25, 0.125, 0.125].map((share, token) => ({ token, logit: Math.log(share) }))
const plain: DrawOptions = {
  temperature: 1,
  topK: 0,
  topP: 1,
  minP: 0,
  penalties: { repetition: 1, frequency: 0, presence: 0 },
  recent: [],
}

function reachable(options: Partial<DrawOptions>): number[] {
  const draws = Array.from({ length: 1_000 }, (_, step) =>
    drawToken(candidates, { ...plain, ...options }, () => step / 1_000),
  )
  return [...new Set(draws)].sort()
}

describe('a draw', () => {
  test('follows the probabilities', () => {
    const random = randomFrom(1)
    const draws = Array.from({ length: 20_000 }, () => drawToken(candidates, plain, random))
    const share = draws.filter((token) => token === 0).length / draws.length
    expect(share).toBeGreaterThan(0.48)
    expect(share).toBeLessThan(0.52)
  })

  test.each([
    ['all without a filter', {}, [0, 1, 2, 3]],
    ['the best at temperature 0', { temperature: 0 }, [0]],
    ['the first of top-k', { topK: 2 }, [0, 1]],
    ['the fewest that reach top-p', { topP: 0.7 }, [0, 1]],
    ['one when top-p is tiny', { topP: 1e-6 }, [0]],
    ['those near enough to the best by min-p', { minP: 0.4 }, [0, 1]],
    [
      'another when the best was said before, at a penalty',
      { temperature: 0, recent: [0], penalties: { repetition: 1, frequency: 0, presence: 5 } },
      [1],
    ],
    [
      'another when the best was said often',
      { temperature: 0, recent: [0, 0, 0], penalties: { repetition: 1, frequency: 0.5, presence: 0 } },
      [1],
    ],
    [
      'another when repetition costs',
      { temperature: 0, recent: [0], penalties: { repetition: 3, frequency: 0, presence: 0 } },
      [1],
    ],
  ])('gives %s', (_, options, expected) => {
    expect(reachable(options)).toEqual(expected)
  })

  test('repeats itself with the seed', () => {
    const [one, same, other] = [randomFrom(1), randomFrom(1), randomFrom(2)]
    expect([same(), same()]).toEqual([one(), one()])
    expect(other()).not.toBe(randomFrom(1)())
  })
})

describe('a dynamic temperature', () => {
  const even = [0, 1, 2, 3].map((token) => ({ token, logit: 1 }))
  const sure = [0, -50, -50].map((logit, token) => ({ token, logit }))
  const between = { min: 0.2, max: 1.4 }

  test('is at its floor where the model is sure, at its ceiling where all is one to it, in between by the entropy', () => {
    expect(dynamicTemperature(sure, between)).toBeCloseTo(0.2)
    expect(dynamicTemperature(even, between)).toBeCloseTo(1.4)
    // Entropy 1.75 bits of 2.
    expect(dynamicTemperature(candidates, between)).toBeCloseTo(0.2 + 1.2 * 0.875)
    expect(dynamicTemperature(even.slice(0, 1), between)).toBe(0.2)
  })

  test('stands in for the fixed one, and zero is the best', () => {
    expect(reachable({ temperature: 0, dynamic: { min: 1, max: 2 } })).toEqual([0, 1, 2, 3])
    expect(reachable({ temperature: 1, dynamic: { min: 0, max: 0 } })).toEqual([0])
  })
})

describe('of a runtime whose temperature does not move', () => {
  const defaults = { temperature: 0.7, topP: 0.9, topK: 40, repetitionPenalty: 1.1 }
  const settings = (sampling: Parameters<typeof nodeSamplingOf>[0], isConstrained = false) =>
    nodeSamplingOf(sampling, { defaults, choice: 1, isConstrained })

  test.each([
    ['the default', {}, 0.7],
    ['below a bound', { temperature: 1, maxTemperature: 0.5 }, 0.5],
    ['above a bound', { temperature: 0.2, minTemperature: 0.4 }, 0.4],
    ['between bounds', { temperature: 1, minTemperature: 0.2, maxTemperature: 1.5 }, 1],
  ])('the temperature is %s', (_, sampling, temperature) => {
    expect(settings(sampling).temperature).toBe(temperature)
  })

  test('each choice has its own seed, and a grammar no penalty that no one asked for', () => {
    expect(settings({ seed: 2 ** 31 - 2 })).toMatchObject({ seed: 0, penalty_repeat: 1.1, penalty_last_n: 64 })
    expect(settings({ presencePenalty: 1 }, true)).toMatchObject({ penalty_repeat: 1, penalty_last_n: 2_048 })
  })
})
