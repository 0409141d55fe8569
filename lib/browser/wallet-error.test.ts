import { expect, test } from 'vitest'
import { walletErrorOf } from '@/lib/browser/wallet-error'
import { WalletError } from '@/lib/browser/wallet-port'

const withCode = (message: string, code: unknown) => Object.assign(new Error(message), { code })

test.each([
  ['EIP-1193 says so', withCode('MetaMask Tx Signature: User denied message signature.', 4001), 'rejected'],
  ['viem wrapped it', new Error('User rejected', { cause: withCode('no', 4001) }), 'rejected'],
  [
    'a Solana adapter wrapped it',
    Object.assign(new Error(''), { error: withCode('Approval Denied', 4001) }),
    'rejected',
  ],
  ['it is only said in words', new Error('User rejected the request.'), 'rejected'],
  ['its window is open already', withCode('Request already pending', -32002), 'locked'],
  ['it says that it is locked', new Error('Wallet is locked'), 'locked'],
  ['the account was taken away', withCode('Unauthorized', 4100), 'changed-account'],
  ['it does not know the method', withCode('unknown', 4200), 'unsupported'],
  ['its node does not know the method', withCode('Method not found', -32601), 'unsupported'],
  ['something else broke', withCode('Internal JSON-RPC error.', -32603), 'failed'],
  ['it threw no error at all', 'oops', 'failed'],
  ['it threw nothing', undefined, 'failed'],
] as const)('knows what happened when %s', (_, error, reason) => {
  expect(walletErrorOf(error, 'Rabby').reason).toBe(reason)
})

test('says that nothing happened when the person closed the request', () => {
  expect(walletErrorOf(withCode('denied', 4001), 'Rabby').message).toBe(
    'You declined the request. Nothing was changed.',
  )
})

test('passes a fault of the wallet on in the wallet’s own words, one line of them', () => {
  const { message } = walletErrorOf(new Error(`Device disconnected${'.'.repeat(300)}\nat background.js:1`), 'Ledger')
  expect(message).toMatch(/^Ledger: Device disconnected\.+…$/)
  expect(message.length).toBeLessThan(190)
})

test('leaves an error alone that is in words already', () => {
  const error = new WalletError('changed-account', 'Another account.')
  expect(walletErrorOf(error, 'Rabby')).toBe(error)
})

test('ends with errors that wrap themselves', () => {
  const error: Error & { cause?: unknown } = new Error('round and round')
  error.cause = error
  expect(walletErrorOf(error, 'Rabby').reason).toBe('failed')
})
