import { expect, test } from 'vitest'
import { chosen } from '@/components/chat/voice/voice-models'
import { voiceCost } from '@/lib/browser/format/cost'
import { perMillion, pico } from '@/lib/contract/money'

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
