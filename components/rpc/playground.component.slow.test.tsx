import { act, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
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
import { dayOf } from '@/lib/browser/format/day'
import { spentOn } from '@/lib/browser/storage/spending'

afterEach(closePlayground)

test('a network of another family keeps the method and offers its counterpart', async () => {
  const { user } = await openPlayground('/rpc/base-mainnet/eth_getLogs')
  await user.click(screen.getByRole('button', { name: /Starknet Sepolia/ }))
  expect(window.location.pathname).toBe('/rpc/starknet-sepolia/eth_getLogs')
  expect(requestPart().textContent).toContain('eth_getLogs isn’t available on Starknet Sepolia')
  await user.click(screen.getByRole('button', { name: 'Use starknet_getEvents' }))
  expect(window.location.href).toMatch(/\/rpc\/starknet-sepolia\/starknet_getEvents$/)
})

test('a network without a node says so, and nothing can be sent to it', async () => {
  const { user, calls } = await openPlayground('/rpc/starknet-mainnet', { unconnected: ['starknet-mainnet'] })
  expect(requestPart().textContent).toContain('Starknet Mainnet isn’t connected to this server.')
  expect(runButton().disabled).toBe(true)
  await user.keyboard('{Control>}{Enter}{/Control}')
  await user.click(screen.getByRole('button', { name: '+ Batch' }))
  expect((await screen.findByRole<HTMLButtonElement>('button', { name: 'Run 1 call' })).disabled).toBe(true)
  expect(runs()).toEqual([])
  expect(calls).toEqual([])
})

test('headers are shown for one response: the next opens on its result', async () => {
  const page = await openPlayground('/rpc/base-mainnet/eth_chainId', {
    answer: (body) =>
      paidReply(Array.isArray(body) ? [rpcResult('0x2105'), rpcResult('0x64', 2)] : rpcResult('0x2105')),
  })
  const { user, calls } = page
  await runCall(page)
  await user.click(await screen.findByRole('tab', { name: 'Headers' }))
  expect(screen.getByRole('tab', { name: 'Headers', selected: true })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: '+ Batch' }))
  await user.click(await screen.findByRole('button', { name: 'Add call' }))
  await user.click(screen.getByRole('button', { name: 'Run 2 calls' }))
  expect(await screen.findByRole('list', { name: 'Batch items' })).toBeTruthy()
  expect(screen.getByRole('tab', { name: 'Pretty', selected: true })).toBeTruthy()
  expect(calls).toHaveLength(2)
})

test('a call over the rate limit counts down, and goes out by itself', async () => {
  vi.useFakeTimers({
    shouldAdvanceTime: true,
    toFake: ['Date', 'setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'],
  })
  const headers = {
    'x-ratelimit-limit': '100',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000) + 40),
  }
  let isOver = true
  const page = await openPlayground('/rpc/base-mainnet/eth_chainId', {
    answer: () =>
      isOver
        ? Response.json({ error: 'Rate limit exceeded', code: 'RATE_LIMIT_EXCEEDED' }, { status: 429, headers })
        : paidReply(rpcResult('0x2105')),
  })
  const { user, calls } = page
  await runCall(page)
  const waiting = await screen.findByRole<HTMLButtonElement>('button', { name: /^Run in \d+ s$/ })
  expect(waiting.disabled).toBe(true)
  await user.click(screen.getByRole('checkbox', { name: 'Run automatically' }))
  isOver = false
  await act(() => vi.advanceTimersByTimeAsync(30_000))
  expect(calls).toHaveLength(1)
  await act(() => vi.advanceTimersByTimeAsync(15_000))
  await waitFor(() => expect(runs()).toHaveLength(2))
  expect(calls).toHaveLength(2)
  expect(runs()[0]?.textContent).toContain('result')
})

test('the daily limit holds calls back, and can be waived once', async () => {
  localStorage.setItem('lagoon:capPerDay', '0.0001')
  const page = await openPlayground('/rpc/base-mainnet/trace_replayBlockTransactions', {
    answer: () => paidReply(rpcResult([]), 80),
  })
  for (const spent of [56_000n, 112_000n]) {
    await runCall(page)
    await waitFor(async () => expect(await spentOn(dayOf(Date.now()))).toBe(spent))
  }
  await pickMethod(page, 'chainId')
  await runCall(page)
  expect(await screen.findByText(/^Daily spending cap of \$0\.0001 reached\./)).toBeTruthy()
  expect(page.calls).toHaveLength(2)
  await page.user.click(screen.getByRole('button', { name: 'Run anyway, just once' }))
  await waitFor(() => expect(runs()).toHaveLength(3))
  expect(page.calls.at(-1)).toMatchObject({ method: 'eth_chainId' })
  expect(within(responsePart()).queryByText('HTTP 200')).toBeTruthy()
})
