import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  type TransactionReceipt,
  zeroAddress,
} from 'viem'
import { expect, test } from 'vitest'
import { EVM_NETWORK, USDC_EVM } from '@/lib/contract/chains'
import type { Rail } from '@/lib/services/chains/rails'
import { hasUse, nonceOf, TOKEN_ABI, transfersIn } from '@/lib/services/payments/chain-evm'

const address = (digit: string) => `0x${digit.repeat(40)}` as Address
const hash = (digit: string) => `0x${digit.repeat(64)}` as Hex
const [ALICE, BOB, US, OTHER] = [address('a'), address('b'), address('1'), address('2')]
const rail = { family: 'evm', network: EVM_NETWORK, asset: USDC_EVM, payTo: US } as Rail
const TRANSACTION = hash('f')

type Log = TransactionReceipt['logs'][number]
const logOf = (topics: unknown, data: Hex, token: string): Log =>
  ({ address: token, topics, data, transactionHash: TRANSACTION, logIndex: 0 }) as unknown as Log
const moved = (from: Address, to: Address, value: bigint, token: string = USDC_EVM) =>
  logOf(
    encodeEventTopics({ abi: TOKEN_ABI, eventName: 'Transfer', args: { from, to } }),
    encodeAbiParameters([{ type: 'uint256' }], [value]),
    token,
  )
const used = (authorizer: Address, nonce: Hex, token: string = USDC_EVM) =>
  logOf(encodeEventTopics({ abi: TOKEN_ABI, eventName: 'AuthorizationUsed', args: { authorizer, nonce } }), '0x', token)
const approval: Log = logOf([hash('9'), hash('8')], '0x', USDC_EVM)

const read = (...logs: Log[]) => transfersIn({ logs, transactionHash: TRANSACTION }, rail)
const authorized = (from: Address, nonce: Hex) => `${EVM_NETWORK}:${USDC_EVM}:${from}:${nonce}`.toLowerCase()
const direct = (position: number) => `${EVM_NETWORK}:${USDC_EVM}:tx:${TRANSACTION}:${position}`.toLowerCase()

test('an authorized transfer has the key of its authorization, whoever sent it in', () => {
  expect(read(used(ALICE, hash('1')), moved(ALICE, US, 5n))).toEqual([
    { key: authorized(ALICE, hash('1')), payer: ALICE, amount: 5n },
  ])
})

test('equal payments in one transaction are told apart, and from plain transfers between them', () => {
  const transfers = read(
    moved(ALICE, US, 5n),
    used(ALICE, hash('1')),
    moved(ALICE, US, 5n),
    moved(ALICE, US, 5n),
    used(ALICE, hash('2')),
    moved(ALICE, US, 5n),
    used(BOB, hash('1')),
    moved(BOB, US, 5n),
  )
  const keys = transfers.map(({ key }) => key)
  expect(keys).toEqual([
    direct(0),
    authorized(ALICE, hash('1')),
    direct(3),
    authorized(ALICE, hash('2')),
    authorized(BOB, hash('1')),
  ])
  expect(new Set(keys).size).toBe(5)
  expect(transfers.map(({ payer }) => payer)).toEqual([ALICE, ALICE, ALICE, ALICE, BOB])
})

test('an authorization that paid somebody else lends its key to no transfer to us', () => {
  expect(read(used(ALICE, hash('1')), moved(ALICE, OTHER, 5n), moved(ALICE, US, 5n))).toMatchObject([
    { key: direct(2) },
  ])
  expect(read(used(BOB, hash('1')), moved(ALICE, US, 5n))).toMatchObject([{ key: direct(1) }])
})

test('what another contract says is nothing', () => {
  expect(read(used(ALICE, hash('1'), OTHER), moved(ALICE, US, 5n, OTHER))).toEqual([])
  // Nor does it change what the token says.
  expect(read(used(ALICE, hash('1')), moved(BOB, US, 9n, OTHER), approval, moved(ALICE, US, 5n))).toEqual([
    { key: authorized(ALICE, hash('1')), payer: ALICE, amount: 5n },
  ])
  expect(read(used(BOB, hash('1'), OTHER), moved(BOB, US, 5n))).toMatchObject([{ key: direct(0) }])
})

test('transfers of nothing, of our own and from nowhere are none', () => {
  expect(read(moved(ALICE, US, 0n), moved(US, US, 5n), moved(zeroAddress, US, 5n), moved(US, ALICE, 5n))).toEqual([])
})

test('a key tells the nonce of an authorization, and of a plain transfer none', () => {
  expect(nonceOf(authorized(ALICE, hash('1')))).toBe(hash('1'))
  expect(nonceOf(direct(3))).toBeUndefined()
})

test('a receipt tells whether it used an authorization up', () => {
  expect(hasUse({ logs: [used(ALICE, hash('1'))] }, rail, hash('1'))).toBe(true)
  expect(hasUse({ logs: [used(ALICE, hash('1'))] }, rail, hash('2'))).toBe(false)
  expect(hasUse({ logs: [used(ALICE, hash('1'), OTHER)] }, rail, hash('1'))).toBe(false)
})
