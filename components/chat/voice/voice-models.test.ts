import { expect, test } from 'vitest'
import { assertReading, chosen, longestRecordingMs } from '@/components/chat/voice/voice-models'
import { voiceCost } from '@/lib/browser/format/cost'
import { perMillion, perUnit, pico, usd } from '@/lib/contract/money'

const record = (id: string, spec: object = {}) => ({ id, model_spec: { name: id.toUpperCase(), ...spec } })
const free = () => undefined

test('the default of those that serve is taken, else the first, else none', () => {
  const all = [record('a'), record('b', { traits: ['default'] })]
  expect(chosen(all, free)?.id).toBe('b')
  expect(chosen([record('a'), record('b', { traits: ['default'], offline: true })], free)?.id).toBe('a')
  expect(chosen([record('a', { offline: true }), 'nonsense', null], free)).toBeNull()
})

test('its formats are in its own order, and its price is exact', () => {
  const spec = { default_format: 'wav', supported_formats: ['mp3', 'wav'], pricing: { input: { usd: 15 } } }
  const model = chosen([record('a', spec)], () => perMillion(15))
  expect(model).toEqual({ id: 'a', name: 'A', formats: ['wav', 'mp3', 'wav'], price: perMillion(15) })
  expect(voiceCost(12, model?.price)).toBe(180_000n)
})

test('each begun second counts, and nothing is free by rounding', () => {
  expect(voiceCost(2.1, pico(100_000_000n))).toBe(300_000n)
  expect(voiceCost(1, pico(1n))).toBe(1n)
  expect(voiceCost(100, undefined)).toBe(0n)
})

test.each(['0.0001', '0.00035', '0.000017'])(
  'a recording ends before a second that the cap would not pay, at %s',
  (dollars) => {
    const price = perUnit(Number(dollars))
    for (const cap of [usd('0.01'), usd('0.0042'), usd('1')]) {
      const ms = longestRecordingMs(cap, price)
      expect(voiceCost(ms / 1_000, price)).toBeLessThanOrEqual(cap)
      expect(voiceCost(ms / 1_000 + 1, price)).toBeGreaterThan(cap)
    }
  },
)

test('nothing is recorded that could not be written down', () => {
  expect(longestRecordingMs(usd('0.001'), perUnit(0.0006))).toBe(0)
  expect(longestRecordingMs(usd('0.0012'), perUnit(0.0006))).toBe(1_500)
})

test('without a cap an answer is read to its end', () => {
  expect(() => assertReading(usd('100'))).not.toThrow()
})
