import { expect, test } from 'vitest'
import { assertReading, longestRecordingMs } from '@/components/chat/voice/voice-models'
import { voiceCost } from '@/lib/browser/format/cost'
import { perUnit, usd } from '@/lib/contract/money'

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
