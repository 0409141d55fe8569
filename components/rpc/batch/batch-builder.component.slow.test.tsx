import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import {
  closePlayground,
  openPlayground,
  paidReply,
  responsePart,
  rpcResult,
} from '@/components/testing/rpc-playground'

afterEach(closePlayground)

const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name })
const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name)
const calls = () => screen.getAllByRole('listitem', { name: /^Call \d$/ })

test('three calls are put together and run by keys, and the focus stays with the call that is moved', async () => {
  const refused = { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'invalid params' } }
  const page = await openPlayground('/rpc/base-sepolia/eth_blockNumber', {
    answer: () => paidReply([rpcResult('0x10'), { ...refused, id: 2 }, rpcResult('0x10', 3)], 45),
  })
  const { user } = page
  /** Presses a button as a person does who reached it by Tab. */
  const enter = async (name: string) => {
    button(name).focus()
    await user.keyboard('{Enter}')
  }
  await user.click(button('+ Batch'))
  await screen.findByRole('listitem', { name: 'Call 1' })
  await enter('Add call')
  expect(document.activeElement).toBe(field('Method of call 2'))
  await user.keyboard('{Control>}a{/Control}')
  await user.paste('eth_getTransactionByHash')
  await user.tab()
  expect(document.activeElement).toBe(field('Parameters of call 2'))
  await user.clear(field('Parameters of call 2'))
  await user.paste('["0x1"]')
  expect(await screen.findByText(/will probably fail\. An error costs 5 credits/)).toBeTruthy()

  await enter('Move call 2 up')
  expect(field('Method of call 1').value).toBe('eth_getTransactionByHash')
  // At the end of the list the button that moved it there can move no more.
  expect(button('Move call 1 up').disabled).toBe(true)
  expect(calls()[0]?.contains(document.activeElement)).toBe(true)
  await enter('Move call 1 down')
  expect(field('Method of call 2').value).toBe('eth_getTransactionByHash')
  expect(calls()[1]?.contains(document.activeElement)).toBe(true)

  await enter('Duplicate call 1')
  expect(calls()).toHaveLength(3)
  await enter('Remove call 1')
  expect(calls()).toHaveLength(2)
  expect(document.activeElement).toBe(field('Method of call 1'))
  ;(await screen.findByRole('button', { name: 'Undo' })).focus()
  await user.keyboard('{Enter}')
  expect(calls()).toHaveLength(3)

  field('Parameters of call 3').focus()
  await user.keyboard('{Control>}{Enter}{/Control}')
  const items = within(await screen.findByRole('list', { name: 'Batch items' })).getAllByRole('listitem')
  expect(items.filter(({ textContent }) => textContent?.includes('eth_blockNumber'))).toHaveLength(2)
  expect(items.filter(({ textContent }) => textContent?.includes('eth_getTransactionByHash'))).toHaveLength(1)
  // Two results and an error.
  expect(responsePart().textContent).toContain('45 credits')
  expect(page.calls).toMatchObject([
    [{ method: 'eth_blockNumber' }, { method: 'eth_blockNumber' }, { method: 'eth_getTransactionByHash' }],
  ])
})

test('a call that is not offered holds the batch back and says what to use', async () => {
  const { user } = await openPlayground('/rpc/base-sepolia/eth_chainId')
  await user.click(button('+ Batch'))
  const method = await screen.findByLabelText('Method of call 1')
  await waitFor(() => expect(button('Run 1 call').disabled).toBe(false))
  await user.clear(method)
  await user.paste('eth_newFilter')
  expect(screen.getByText(/use eth_getLogs with a block range/)).toBeTruthy()
  expect(screen.getByText('1 call has errors. Fix it to run.')).toBeTruthy()
  expect(button('Run 1 call').disabled).toBe(true)
})
