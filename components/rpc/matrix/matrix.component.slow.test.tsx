import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { MatrixScreen } from '@/components/rpc/matrix/matrix'
import { creditsBefore } from '@/components/rpc/networks'
import { press } from '@/components/testing/press'
import { GUEST_SESSION } from '@/components/testing/replies'
import { closePlayground, overviewOf, pickMethod } from '@/components/testing/rpc-playground'
import { queryClient } from '@/lib/browser/queries'
import { type MatrixLine, networkOf, type RpcSlug } from '@/lib/contract/rpc-networks'

afterEach(closePlayground)

type MatrixQuestion = { networks: RpcSlug[]; method: string; params: unknown }

/** No two networks answer equally fast, nor in the order of the list. */
const latencyOf = (index: number): number => ((index * 7) % 19) + 1

function lineOf(slug: RpcSlug, index: number, method: string): MatrixLine {
  const network = networkOf(slug)
  const credits = network ? creditsBefore(network, [method]) : 0
  const reply = { jsonrpc: '2.0', id: 1, result: `0x${(index + 16).toString(16)}` }
  const costUsd = credits * 7e-7
  return { network: slug, status: 200, ms: latencyOf(index), credits, costUsd, outcome: 'result', reply, height: index }
}

const resultsOf = ({ networks, method }: MatrixQuestion): MatrixLine[] =>
  networks.map((slug, index) => lineOf(slug, index, method))

const answerWith = (lines: MatrixLine[]): Response =>
  new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

/** Renders the matrix at an address, on a service that answers so. */
function openMatrix(path: string, answer = (question: MatrixQuestion) => answerWith(resultsOf(question))) {
  vi.stubGlobal('fetch', async (url: string, { body }: RequestInit = {}) => {
    if (url === '/api/session') return Response.json(GUEST_SESSION)
    if (url === '/api/rpc/networks') return Response.json(overviewOf())
    if (url !== '/api/rpc/matrix') return Response.json({ error: 'not found' }, { status: 404 })
    return answer(JSON.parse(String(body)))
  })
  window.history.replaceState(null, '', path)
  show()
  return userEvent.setup()
}

const show = () =>
  render(
    <QueryClientProvider client={queryClient()}>
      <MatrixScreen />
    </QueryClientProvider>,
  )

const matrix = () => screen.getByRole('region', { name: 'Matrix' })
const responses = () => screen.getByRole('region', { name: 'Responses' })
const failure = () => screen.getByRole('region', { name: 'Error details' })
const runButton = (count: number) => screen.getByRole<HTMLButtonElement>('button', { name: `Run ${count} calls` })
const responded = (text: string) => waitFor(() => expect(responses().textContent).toContain(text))

const cellsOf = () => {
  const [, ...rows] = within(screen.getByRole('table')).getAllByRole('row')
  return rows.map((row) => [...row.children].map((cell) => cell.textContent ?? ''))
}

async function downloaded(download: () => Promise<void>): Promise<string> {
  const files: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    if (file instanceof Blob) files.push(file)
    return 'blob:saved'
  })
  // A document that is no browser would open the link.
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue(undefined)
  await download()
  return (await files[0]?.text()) ?? ''
}

test('the price stands before the call, the rows sort by latency, and the CSV is the table', async () => {
  const user = openMatrix('/rpc/matrix')
  expect(await screen.findByText('19 calls · 400 credits ≈ $0.00028')).toBeTruthy()
  await user.click(runButton(19))
  await responded('19 of 19 responded · 19 results · 400 credits · $0.00028')

  const head = screen.getByRole('columnheader', { name: 'Latency' })
  expect(head.getAttribute('aria-sort')).toBe('none')
  within(head).getByRole('button').focus()
  await user.keyboard('{Enter}')
  expect(head.getAttribute('aria-sort')).toBe('ascending')
  const rows = cellsOf()
  expect(rows).toHaveLength(19)
  const latencies = rows.map(([, , , , latency]) => Number.parseInt(latency ?? '', 10))
  expect(latencies).toEqual(Array.from({ length: 19 }, (_, index) => index + 1))

  const text = await downloaded(() => user.click(screen.getByRole('button', { name: 'CSV' })))
  const [csvHead, ...records] = text.trimEnd().split('\r\n')
  expect(csvHead).toBe('network,chain_id,outcome,result,decoded,error,block_height,latency_ms,credits,cost_usd')
  expect(records.map((record) => record.split(','))).toEqual(
    rows.map(([, result, decoded, height, latency, credits]) => [
      expect.any(String),
      expect.stringMatching(/^0x/),
      'result',
      result,
      decoded,
      '',
      height,
      String(Number.parseInt(latency ?? '', 10)),
      credits,
      (Number(credits) * 7e-7).toFixed(9),
    ]),
  )
  expect(new Set(records.map((record) => record.split(',')[0])).size).toBe(19)
  const link = screen.getByRole('link', { name: 'Open zkSync Sepolia in the playground' })
  expect(link.getAttribute('href')).toMatch(/^\/rpc\/zksync-sepolia\/eth_blockNumber\?p=/)
})

test('a network without a node says so in its own row, free of charge, and the link keeps the question', async () => {
  const error = { code: 'RPC_NOT_CONFIGURED', message: 'No node is connected.' }
  const user = openMatrix('/rpc/matrix?m=starknet_blockNumber&p=%5B%5D', ({ networks }) =>
    answerWith(
      networks.map((network) => ({
        ...{ network, status: 503, ms: 1, credits: 0, costUsd: 0, height: null },
        ...{ outcome: 'failed', error },
      })),
    ),
  )
  await user.click(await screen.findByRole('button', { name: 'Run 2 calls' }))
  await responded('2 of 2 responded · 0 results · 2 errors · 0 credits · $0')
  expect(within(responses()).getAllByText('No node is connected.')).toHaveLength(2)
  await user.click(screen.getByRole('button', { name: 'Full response from Starknet Sepolia' }))
  expect(responses().textContent).toContain('RPC_NOT_CONFIGURED')

  await pickMethod({ user, calls: [] }, 'eth_chainId')
  await user.click(screen.getByRole('button', { name: /^Testnets/ }))
  const asked = /\/rpc\/matrix\?m=eth_chainId&p=%5B%5D&n=testnets$/
  await waitFor(() => expect(window.location.href).toMatch(asked))
  cleanup()
  show()
  expect(runButton(10).disabled).toBe(false)
  expect(screen.getByRole('button', { name: 'Method: eth_chainId' })).toBeTruthy()

  // One that changes a chain is not in the list, but can be typed.
  await pickMethod({ user, calls: [] }, 'eth_sendRawTransaction')
  expect(matrix().textContent).toContain('changes the chain state. Run it on one network only.')
  expect(runButton(10).disabled).toBe(true)
})

test('without a connection and over the rate limit it says so, and what was answered is kept', async () => {
  let answer: (question: MatrixQuestion) => Response = (question) => answerWith(resultsOf(question))
  const user = openMatrix('/rpc/matrix', (question) => answer(question))
  await user.click(runButton(19))
  await responded('19 of 19 responded')

  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  answer = () => {
    throw new TypeError('Failed to fetch')
  }
  await user.click(runButton(19))
  await waitFor(() => expect(failure().textContent).toContain('You’re offline.'))
  expect(responses().textContent).toContain('19 of 19 responded')

  onLine.mockReturnValue(true)
  answer = (question) => answerWith(resultsOf(question))
  await press(user, 'Try again')
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Error details' })).toBeNull())
  await responded('19 of 19 responded')

  const refusal = { error: 'Rate limit exceeded', code: 'RATE_LIMIT_EXCEEDED' }
  answer = () => Response.json(refusal, { status: 429, headers: { 'retry-after': '40' } })
  await user.click(runButton(19))
  const wait = await screen.findByRole<HTMLButtonElement>('button', { name: /^Wait \d+ s$/ })
  expect(wait.disabled).toBe(true)
  expect(failure().textContent).toContain('Rate limit reached.')
  expect(responses().textContent).toContain('19 of 19 responded')
})
