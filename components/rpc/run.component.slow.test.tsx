import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import {
  closePlayground,
  openPlayground,
  paidReply,
  pickMethod,
  requestPart,
  responsePart,
  rpcResult,
  runButton,
  runCall,
  runs,
} from '@/components/testing/rpc-playground'

afterEach(closePlayground)

test('the price stands before the call and beside its run', async () => {
  const page = await openPlayground('/rpc/base-mainnet/eth_blockNumber')
  await waitFor(() => expect(document.body.textContent).toContain('20 credits ≈ $0.000014'))
  expect(document.title).toMatch(/^eth_blockNumber on Base Mainnet · /)
  await runCall(page)
  await waitFor(() => expect(runs()).toHaveLength(1))
  expect(runs()[0]?.textContent).toContain('eth_blockNumber')
  expect(runs()[0]?.textContent).toContain('20 cr $0.000014')
})

test('a link opens the call as it was, and runs nothing by itself', async () => {
  const params = ['0x000000000000000000000000000000000000bEEF', '0x0']
  const page = await openPlayground(`/rpc/base-sepolia/eth_getBalance?p=${encodeURIComponent(JSON.stringify(params))}`)
  expect(document.title).toMatch(/^eth_getBalance on Base Sepolia · /)
  expect(page.calls).toEqual([])
  await runCall(page)
  await waitFor(() => expect(page.calls).toMatchObject([{ method: 'eth_getBalance', params }]))
})

test('a link to no network says so', async () => {
  await openPlayground('/rpc/nowhere/eth_call?p=%7B')
  expect(requestPart().textContent).toContain('Unknown network “nowhere”.')
})

test('a broadcast loses its transaction in a link, asks first, and goes out with a key against sending twice', async () => {
  const keys: (string | null)[] = []
  const page = await openPlayground('/rpc/base-sepolia/eth_sendRawTransaction?p=%5B%220xf8badc0de0%22%5D', {
    answer: (_, headers) => {
      keys.push(headers.get('idempotency-key'))
      return paidReply(rpcResult(`0x${'ab'.repeat(32)}`))
    },
  })
  const { user } = page
  expect(requestPart().textContent).toContain('The link contained a signed transaction, which was removed.')
  await runCall(page)
  const dialog = await screen.findByRole('dialog', { name: 'Send to Base Sepolia?' })
  expect(dialog.textContent).toContain('A signed transaction will be sent to Base Sepolia.')
  expect(page.calls).toEqual([])
  await user.click(within(dialog).getByRole('button', { name: 'Send' }))
  await waitFor(() => expect(runs()).toHaveLength(1))
  expect(keys).toEqual([expect.stringMatching(/^[A-Za-z0-9]{32}$/)])
  expect(JSON.stringify(page.calls)).not.toContain('badc0de')
})

test('without a response a call is kept, and without the states of the networks it runs', async () => {
  let isLost = true
  const page = await openPlayground('/rpc/base-mainnet/eth_chainId', {
    isWithoutStates: true,
    answer: () => {
      if (isLost) throw new TypeError('Failed to fetch')
      return paidReply(rpcResult('0x2105'))
    },
  })
  expect(await screen.findByText('Network status could not be loaded.')).toBeTruthy()
  await runCall(page)
  await waitFor(() => expect(runs()).toHaveLength(1))
  expect(runs()[0]?.textContent).toContain('no response')
  expect(responsePart().textContent).toContain('The connection was lost.')
  isLost = false
  await runCall(page)
  await waitFor(() => expect(runs()).toHaveLength(2))
  expect(runs()[0]?.textContent).toContain('result')
})

test('a method that is not offered says what to use, and one that is unknown is refused by the service', async () => {
  const page = await openPlayground('/rpc/base-mainnet/eth_chainId', {
    answer: () => Response.json({ error: 'Unknown method', code: 'INVALID_REQUEST' }, { status: 400 }),
  })
  await pickMethod(page, 'newfilter')
  expect(requestPart().textContent).toContain('eth_newFilter isn’t supported')
  expect(screen.getByText('Not supported. No charge.')).toBeTruthy()
  await page.user.click(screen.getByRole('button', { name: 'Use eth_getLogs' }))
  expect(screen.getByRole('button', { name: 'Method: eth_getLogs' })).toBeTruthy()

  await pickMethod(page, 'eth_fooBar')
  expect(requestPart().textContent).toContain('Unknown method eth_fooBar')
  await runCall(page)
  await waitFor(() => expect(runs()).toHaveLength(1))
  expect(page.calls).toMatchObject([{ method: 'eth_fooBar' }])
  expect(responsePart().textContent).toContain('400')
  expect(runs()[0]?.textContent).toContain('refused 400')
  expect(runButton().disabled).toBe(false)
})

test('history is searched, brings request and response back without a call, and is cleared and restored', async () => {
  const page = await openPlayground('/rpc/base-mainnet/eth_chainId')
  const { user, calls } = page
  await runCall(page)
  await waitFor(() => expect(runs()).toHaveLength(1))
  await pickMethod(page, 'gasPrice')
  await runCall(page)
  await waitFor(() => expect(runs()).toHaveLength(2))

  await user.type(screen.getByRole('searchbox', { name: 'Search history' }), 'chainid')
  await waitFor(() => expect(runs()).toHaveLength(1))
  await user.click(within(runs()[0]!).getAllByRole('button')[0]!)
  expect(await screen.findByRole('button', { name: 'Method: eth_chainId' })).toBeTruthy()
  await waitFor(() => expect(responsePart().textContent).toContain('Nothing was sent.'))
  await waitFor(() => expect(responsePart().textContent).toContain('0x2105'))
  expect(calls).toHaveLength(2)

  await user.clear(screen.getByRole('searchbox', { name: 'Search history' }))
  await user.click(screen.getByRole('button', { name: 'Clear history' }))
  expect(await screen.findByText(/^Your calls appear here/)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(runs()).toHaveLength(2))
})
