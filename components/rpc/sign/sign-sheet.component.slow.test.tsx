import { screen, waitFor, within } from '@testing-library/react'
import { parseTransaction } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { closePlayground, openPlayground, paidReply, rpcResult } from '@/components/testing/rpc-playground'
import { provideWallets } from '@/lib/browser/wallet-port'

afterEach(closePlayground)

provideWallets(() => import('@/components/wallet/connect/wallet'))

const ADDRESS = '0x00000000219ab540356cBB839Cbe05303d7705Fa'
const HASH = `0x${'ab'.repeat(32)}`
const ONE_ETHER = '0xde0b6b3a7640000'
const GWEI = '0x3b9aca00'

const CHAIN: Record<string, unknown> = {
  eth_getTransactionCount: '0x0',
  eth_getBalance: ONE_ETHER,
  eth_getBlockByNumber: { number: '0x1', baseFeePerGas: GWEI },
  eth_gasPrice: GWEI,
  eth_maxPriorityFeePerGas: GWEI,
  eth_estimateGas: '0x5208',
  eth_sendRawTransaction: HASH,
  eth_getTransactionReceipt: {
    blockNumber: '0x2',
    gasUsed: '0x5208',
    effectiveGasPrice: GWEI,
    status: '0x1',
    contractAddress: null,
  },
}

type RpcCall = { id: number; method: string; params: unknown[] }

const resultOf = ({ id, method }: RpcCall) => rpcResult(CHAIN[method] ?? null, id)

test('a transfer that cannot be paid is held back; one that can is signed as shown, sent, and its receipt shown', async () => {
  const { user, calls } = await openPlayground('/rpc/base-sepolia/eth_sendRawTransaction', {
    answer: (body) => paidReply(Array.isArray(body) ? body.map(resultOf) : resultOf(body as RpcCall)),
  })
  await user.click(await screen.findByRole('button', { name: 'Sign and send' }))
  const draft = within(await screen.findByRole('dialog', { name: 'Sign transaction' }))
  const signer = await draft.findByRole<HTMLInputElement>('radio', { name: /^Test wallet 0x/ })
  expect(signer.checked).toBe(true)
  await user.click(draft.getByRole('button', { name: 'Next' }))
  expect(draft.getByText(/^Enter a recipient/)).toBeTruthy()
  expect(calls).toEqual([])

  await user.type(draft.getByLabelText('To'), ADDRESS)
  await user.clear(draft.getByLabelText('Amount'))
  await user.type(draft.getByLabelText('Amount'), '3')
  await user.click(draft.getByRole('button', { name: 'Next' }))
  const poor = within(await screen.findByRole('dialog', { name: 'Review and sign' }))
  expect(poor.getByText('The balance is too low for the amount and the fee.')).toBeTruthy()
  expect(poor.getByRole<HTMLButtonElement>('button', { name: 'Sign and send' }).disabled).toBe(true)
  await user.click(poor.getByRole('button', { name: 'Back' }))

  const again = within(await screen.findByRole('dialog', { name: 'Sign transaction' }))
  expect(again.getByLabelText<HTMLInputElement>('To').value).toBe(ADDRESS)
  await user.clear(again.getByLabelText('Amount'))
  await user.type(again.getByLabelText('Amount'), '0.25')
  await user.click(again.getByRole('button', { name: 'Next' }))
  const check = await screen.findByRole('dialog', { name: 'Review and sign' })
  expect(check.textContent).toContain('Send 0.25 ETH to 0x0000…05Fa on Base Sepolia.')
  await user.click(within(check).getByRole('button', { name: 'Sign and send' }))

  const sent = await screen.findByRole('dialog', { name: 'Transaction' })
  expect(await within(sent).findByText('Confirmed in block 2.')).toBeTruthy()
  expect(sent.textContent).toContain('21,000')
  const broadcast = calls.find((call) => (call as RpcCall).method === 'eth_sendRawTransaction') as RpcCall
  const transaction = parseTransaction(broadcast.params[0] as `0x${string}`)
  expect(transaction).toMatchObject({ to: ADDRESS.toLowerCase(), value: BigInt(ONE_ETHER) / 4n, chainId: 84_532 })
  expect(within(sent).getByRole('link', { name: 'Open receipt' }).getAttribute('href')).toContain(
    '/rpc/base-sepolia/eth_getTransactionReceipt?p=',
  )
  // The answer of the broadcast is the node's own, and stands where answers stand.
  const response = document.querySelector('[aria-label="Response"]')
  await waitFor(() => expect(response?.textContent).toContain(HASH.slice(0, 20)))
})
