import { expect, test } from 'vitest'
import { formatPiece } from '@/lib/client/studio/price-words'
import { nano, usd } from '@/lib/core/money'

test('a price is whole, and has no zeros that say nothing', () => {
  const prices = ['0.08', '0.015', '0.001', '0.0004', '1', '1.5', '0'].map((amount) => formatPiece(usd(amount)))
  expect(prices).toEqual(['$0.08', '$0.015', '$0.001', '$0.0004', '$1', '$1.50', '$0'])
  expect(formatPiece(nano(12_340n))).toBe('$0.000012')
})
