import { expect, test } from 'vitest'
import { isSameAddress, shortAddress } from '@/lib/browser/format/address'

const EVM = '0x3A5CF5A5E5B7C7A6b8D4A1dF9Ed4C5F2aB9c77E1'
const SOLANA = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'

test('shows the two ends of an address, which is what people compare', () => {
  expect(shortAddress(EVM)).toBe('0x3A5C…77E1')
  expect(shortAddress(SOLANA)).toBe('7xKX…gAsU')
  expect(shortAddress('short')).toBe('short')
})

test('takes EVM addresses for the same in any case, and Solana ones only letter by letter', () => {
  expect(isSameAddress(EVM, EVM.toLowerCase())).toBe(true)
  expect(isSameAddress(SOLANA, SOLANA)).toBe(true)
  expect(isSameAddress(SOLANA, SOLANA.toLowerCase())).toBe(false)
})
