import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import {
  closePlayground,
  openPlayground,
  type PlaygroundPage,
  paidReply,
  responsePart,
  rpcResult,
  runCall,
  runs,
} from '@/components/testing/rpc-playground'
import { RECEIPT } from '@/components/testing/rpc-replies'

afterEach(closePlayground)

const PATH = '/rpc/ethereum-mainnet/eth_blockNumber'

const tab = (name: string) => within(responsePart()).getByRole('tab', { name })
const isChosen = (name: string) => tab(name).getAttribute('aria-selected') === 'true'
const outcome = () => responsePart().querySelector<HTMLElement>('[data-outcome]')
const panel = () => within(responsePart()).getByRole('tabpanel')

/** Runs the call and waits until its response is there. */
async function run(page: PlaygroundPage, count: number): Promise<void> {
  await runCall(page)
  await waitFor(() => expect(runs()).toHaveLength(count))
}

test('a receipt is decoded, and the view that was chosen stays', async () => {
  const page = await openPlayground(PATH, { answer: () => paidReply(rpcResult(RECEIPT)) })
  const { user } = page
  await run(page, 1)
  await waitFor(() => expect(outcome()?.textContent).toBe('Result'))
  expect(within(responsePart()).getByText('HTTP 200')).toBeTruthy()
  expect(within(responsePart()).getByText('$0.000014')).toBeTruthy()

  await user.click(tab('Decoded'))
  for (const text of ['21,642,108', '10 gwei', 'succeeded', 'dynamic fee (EIP-1559)', 'Transfer', 'with 6 decimals'])
    expect(await within(panel()).findByText(text)).toBeTruthy()
  expect(within(panel()).getAllByText('0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045').length).toBeGreaterThan(0)

  await user.click(tab('Headers'))
  expect(within(panel()).getByText('x-service-rpc-credits')).toBeTruthy()
  // Headers are looked at for one response; how its body was looked at is kept.
  cleanup()
  const next = await openPlayground(PATH, { answer: () => paidReply(rpcResult(RECEIPT)) })
  await run(next, 2)
  expect(isChosen('Decoded')).toBe(true)
})

test('each item of a batch has its own outcome and price, and is looked at alone', async () => {
  const answer = () =>
    paidReply([rpcResult('0x10'), { jsonrpc: '2.0', id: 7, error: { code: -32602, message: 'invalid params' } }], 25)
  const page = await openPlayground(PATH, { answer })
  const { user } = page
  await run(page, 1)
  await waitFor(() => expect(outcome()?.textContent).toBe('1 result, 1 error'))
  expect(outcome()?.dataset.outcome).toBe('mixed')
  const items = () => within(screen.getByRole('list', { name: 'Batch items' })).getAllByRole('button')
  expect(items().map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('All 2 items'),
    expect.stringMatching(/eth_blockNumber.*result.*20 cr/),
    expect.stringMatching(/no matching call.*−32602.*5 cr/),
  ])
  await user.click(tab('Decoded'))
  await waitFor(() => expect(within(panel()).getAllByRole('region', { name: /^Item / })).toHaveLength(2))
  await user.click(items()[2]!)
  expect(await within(panel()).findByText(/invalid parameters/)).toBeTruthy()
  expect(within(panel()).queryByRole('region', { name: /^Item / })).toBeNull()
  await user.click(tab('Raw'))
  await waitFor(() =>
    expect(panel().querySelector('.cm-content')?.textContent).toMatch(/^\{"jsonrpc":"2.0","id":7.*\}$/),
  )
})

test('an error of the node and an error of the service look different', async () => {
  const data = `0x4e487b71${'11'.padStart(64, '0')}`
  const error = { code: 3, message: 'execution reverted: <b>bold</b>\u202e', data }
  let reply = () => paidReply({ jsonrpc: '2.0', id: 1, error }, 5)
  const page = await openPlayground(PATH, { answer: () => reply() })
  const { user } = page
  await run(page, 1)
  await waitFor(() => expect(outcome()?.textContent).toBe('RPC error 3'))
  expect(outcome()?.dataset.outcome).toBe('rpc-error')
  expect(within(responsePart()).getByText('The node answered, so the call is charged.')).toBeTruthy()
  expect(within(responsePart()).getByText('execution reverted: <b>bold</b>\\u{202e}')).toBeTruthy()
  await user.click(tab('Decoded'))
  expect(await within(panel()).findByText(/arithmetic overflow or underflow/)).toBeTruthy()

  const resetAt = String(Math.ceil(Date.now() / 1_000) + 40)
  const headers = { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': resetAt }
  const customMessage = '100 calls a minute are all there are.'
  reply = () =>
    Response.json(
      { error: 'Rate limit exceeded', code: 'RATE_LIMIT_EXCEEDED', customMessage },
      { status: 429, headers },
    )
  await run(page, 2)
  await waitFor(() => expect(outcome()?.textContent).toBe('HTTP 429'))
  expect(outcome()?.dataset.outcome).toBe('http-error')
  const notice = within(responsePart()).getByRole('region', { name: 'Call failed' })
  expect(notice.textContent).toContain(customMessage)
  expect(within(responsePart()).getByRole('timer').textContent).toMatch(/Try again in \d+ s\./)
  // An error of the service has nothing of a chain in it.
  expect(within(responsePart()).queryByRole('tab', { name: 'Decoded' })).toBeNull()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: /^Run in \d+ s$/ }).disabled).toBe(true)
})

test.each(['{"jsonrpc":"2.0","id":1,"result":"0x', ''])('what is no JSON is shown as it came: %j', async (body) => {
  const page = await openPlayground(PATH, { answer: () => new Response(body) })
  const { user } = page
  await run(page, 1)
  await waitFor(() => expect(outcome()?.textContent).toBe('Not JSON'))
  for (const name of ['Pretty', 'Raw']) {
    await user.click(tab(name))
    await waitFor(() => expect(panel().querySelector('.cm-content')?.textContent).toBe(body))
  }
  await user.click(tab('Decoded'))
  expect(await within(panel()).findByText('Nothing to decode.')).toBeTruthy()
})
