import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { AdminPage } from '@/components/admin/admin-page'
import { ProvidersTab } from '@/components/admin/providers-tab'
import { CODER, PRESETS, PROVIDER } from '@/components/testing/admin-providers'
import { renderPart } from '@/components/testing/render'
import type { ConnectedProvider, OfferedModel, ProvidersReply } from '@/lib/contract/providers'

type Call = { line: string; body?: unknown }

/** A service that answers these lines, `GET /path`, in place of the network; returns what it was asked. */
function serving(answers: Record<string, unknown>): Call[] {
  const calls: Call[] = []
  vi.stubGlobal('fetch', async (path: string, { method = 'GET', body }: RequestInit = {}) => {
    const line = `${method} ${path}`
    calls.push({ line, ...(typeof body === 'string' && { body: JSON.parse(body) }) })
    const answer = answers[line]
    return answer === undefined
      ? Response.json({ error: `nothing at ${line}` }, { status: 404 })
      : Response.json(answer)
  })
  return calls
}

const PATH = '/api/admin/providers'
const listed = (providers: ConnectedProvider[] = [], isSandbox = true): ProvidersReply => ({
  presets: PRESETS,
  providers,
  isSandbox,
})
const empty = { [`GET ${PATH}`]: listed(), [`GET ${PATH}/found`]: { found: [] } }

/** What the server says of the models at the address of a preset. */
const offered = (preset: string, more: object = {}) => {
  const { address } = PRESETS.find(({ id }) => id === preset)!
  const listing = { address, preset, models: [CODER], omitted: 0, acceptsTestCredit: false }
  return { [`POST ${PATH}/models`]: { ...listing, ...more } }
}

afterEach(() => vi.unstubAllGlobals())

test('from an address and a key to models with prices, tried with a word', async () => {
  const user = userEvent.setup()
  const calls = serving({
    ...empty,
    ...offered('openrouter', { omitted: 2 }),
    [`POST ${PATH}/word`]: { word: 'Yes', ms: 12 },
    [`POST ${PATH}`]: PROVIDER,
  })
  renderPart(<ProvidersTab />)
  expect(await screen.findByText('No providers connected yet.')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Connect provider' }))
  const key = await screen.findByLabelText('API key')
  expect(key.getAttribute('type')).toBe('password')
  expect(key.getAttribute('autocomplete')).toBe('off')
  expect(screen.getByLabelText<HTMLInputElement>('Address').value).toBe('https://openrouter.ai/api/v1')
  await user.type(key, 'sk-or-1')
  await user.click(screen.getByRole('button', { name: 'Continue' }))

  expect(await screen.findByText(/2 models of other kinds/)).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>('Input, $ per million tokens').value).toBe('0.24')
  const margin = screen.getByLabelText('Margin on the provider’s prices (%)')
  await user.clear(margin)
  await user.type(margin, '25')
  expect(screen.getByLabelText<HTMLInputElement>('Output, $ per million tokens').value).toBe('1.0625')
  await user.click(screen.getByRole('switch', { name: 'Guests and test wallets may use these models' }))
  await user.click(screen.getByRole('button', { name: 'Connect 1 model' }))

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  const server = { preset: 'openrouter', address: 'https://openrouter.ai/api/v1', key: 'sk-or-1' }
  expect(calls.find(({ line }) => line === `POST ${PATH}/word`)?.body).toEqual({
    ...server,
    model: 'qwen/qwen3-coder',
    type: 'text',
  })
  expect(calls.find(({ line }) => line === `POST ${PATH}`)?.body).toEqual({
    ...server,
    models: [{ ...CODER, prices: { input: 0.25, output: 1.0625 } }],
    marginPercent: 25,
    acceptsTestCredit: true,
  })
})

test('what the server refuses is said, with what it answered, and nothing is stored', async () => {
  const user = userEvent.setup()
  serving({
    ...empty,
    [`POST ${PATH}/models`]: { fault: 'key-refused', message: 'English', detail: 'Incorrect API key provided.' },
  })
  renderPart(<ProvidersTab />)
  await user.click(await screen.findByRole('button', { name: 'Connect provider' }))
  await user.type(await screen.findByLabelText('API key'), 'sk-wrong')
  await user.keyboard('{Enter}')
  const alert = await screen.findByRole('alert')
  expect(alert.textContent).toContain('The server refused the key.')
  expect(alert.textContent).toContain('Incorrect API key provided.')
})

test('a word that fails stops the connection, unless the operator goes on', async () => {
  const user = userEvent.setup()
  const calls = serving({
    ...empty,
    ...offered('ollama'),
    [`POST ${PATH}/word`]: { fault: 'no-credit', message: 'English' },
    [`POST ${PATH}`]: PROVIDER,
  })
  renderPart(<ProvidersTab />)
  await user.click(await screen.findByRole('button', { name: 'Connect provider' }))
  await user.selectOptions(await screen.findByLabelText('Provider'), 'Ollama')
  await user.click(screen.getByRole('button', { name: 'Continue' }))
  await user.click(await screen.findByRole('button', { name: 'Connect 1 model' }))
  expect((await screen.findByRole('alert')).textContent).toContain('no credit left')
  expect(calls.some(({ line }) => line === `POST ${PATH}`)).toBe(false)
  await user.click(screen.getByRole('button', { name: 'Connect anyway' }))
  await waitFor(() => expect(calls.some(({ line }) => line === `POST ${PATH}`)).toBe(true))
})

test('models of an API without a list are added by name', async () => {
  const user = userEvent.setup()
  const calls = serving({
    ...empty,
    [`POST ${PATH}/models`]: { fault: 'not-an-api', message: 'English' },
    [`POST ${PATH}/word`]: { word: 'Yes', ms: 12 },
    [`POST ${PATH}`]: PROVIDER,
  })
  renderPart(<ProvidersTab />)
  await user.click(await screen.findByRole('button', { name: 'Connect provider' }))
  await user.type(await screen.findByLabelText('API key'), 'sk{Enter}')
  await user.click(await screen.findByRole('button', { name: 'Enter models by name' }))
  expect(screen.getByText('The server lists no models. Add them by name.')).toBeTruthy()
  // Enter adds the model; the form is not sent.
  await user.type(screen.getByLabelText('Model name'), ' acme/tide {Enter}')
  await user.type(screen.getByLabelText('Input, $ per million tokens'), '1')
  await user.type(screen.getByLabelText('Output, $ per million tokens'), '2')
  await user.click(screen.getByRole('button', { name: 'Connect 1 model' }))
  await waitFor(() => expect(calls.some(({ line }) => line === `POST ${PATH}`)).toBe(true))
  expect(calls.find(({ line }) => line === `POST ${PATH}`)?.body).toMatchObject({
    preset: 'openrouter',
    address: 'https://openrouter.ai/api/v1',
    models: [{ upstreamModel: 'acme/tide', type: 'text', prices: { input: 1, output: 2 } }],
  })
})

test('speech and transcription are priced by their own units, and not tried', async () => {
  const user = userEvent.setup()
  const models: OfferedModel[] = [
    { upstreamModel: 'mouth', type: 'tts' },
    { upstreamModel: 'ear', type: 'asr' },
  ]
  const calls = serving({ ...empty, ...offered('openrouter', { models }), [`POST ${PATH}`]: PROVIDER })
  renderPart(<ProvidersTab />)
  await user.click(await screen.findByRole('button', { name: 'Connect provider' }))
  await user.type(await screen.findByLabelText('API key'), 'sk{Enter}')
  await user.type(await screen.findByLabelText('$ per million characters'), '18')
  const second = screen.getByLabelText('$ per second of audio')
  await user.type(second, '5000')
  expect(screen.getByText('At most $1,000.00 per second of audio.')).toBeTruthy()
  await user.clear(second)
  await user.type(second, '0.0002')
  await user.click(screen.getByRole('button', { name: 'Connect 2 models' }))
  await waitFor(() => expect(calls.some(({ line }) => line === `POST ${PATH}`)).toBe(true))
  expect(calls.find(({ line }) => line === `POST ${PATH}`)?.body).toMatchObject({
    models: [
      { upstreamModel: 'mouth', type: 'tts', prices: { input: 18 } },
      { upstreamModel: 'ear', type: 'asr', prices: { second: 0.0002 } },
    ],
  })
  expect(calls.some(({ line }) => line === `POST ${PATH}/word`)).toBe(false)
})

test('a video model is priced by the second, and its lengths are asked where the server does not tell them', async () => {
  const user = userEvent.setup()
  const models: OfferedModel[] = [{ upstreamModel: 'film', type: 'video', video: { modelType: 'text-to-video' } }]
  const calls = serving({
    ...empty,
    ...offered('openrouter', { models }),
    [`POST ${PATH}/word`]: { word: '', ms: 12 },
    [`POST ${PATH}`]: PROVIDER,
  })
  renderPart(<ProvidersTab />)
  await user.click(await screen.findByRole('button', { name: 'Connect provider' }))
  await user.type(await screen.findByLabelText('API key'), 'sk{Enter}')
  const second = await screen.findByLabelText('$ per second of video')
  await user.type(second, '5000')
  expect(screen.getByText('At most $1,000.00 per second of video.')).toBeTruthy()
  await user.clear(second)
  await user.type(second, '0.05')
  await user.click(screen.getByRole('button', { name: 'Connect 1 model' }))
  expect(screen.getByText('Enter whole seconds from 1 to 30, such as 4, 8.')).toBeTruthy()
  await user.type(screen.getByLabelText('Lengths, in seconds'), '8, 4')
  await user.click(screen.getByRole('button', { name: 'Connect 1 model' }))
  await waitFor(() => expect(calls.some(({ line }) => line === `POST ${PATH}`)).toBe(true))
  expect(calls.find(({ line }) => line === `POST ${PATH}`)?.body).toMatchObject({
    models: [{ type: 'video', video: { modelType: 'text-to-video', seconds: [4, 8] }, prices: { second: 0.05 } }],
  })
})

test('prices that cannot be stand beside their field, and a free model says so', async () => {
  const user = userEvent.setup()
  const calls = serving({
    ...empty,
    ...offered('openrouter', { models: [{ ...CODER, cost: undefined }] }),
  })
  renderPart(<ProvidersTab />)
  await user.click(await screen.findByRole('button', { name: 'Connect provider' }))
  await user.type(await screen.findByLabelText('API key'), 'sk{Enter}')
  await user.click(await screen.findByRole('button', { name: 'Connect 1 model' }))
  expect(screen.getAllByText('Enter a price. 0 makes the model free.')).toHaveLength(2)
  expect(screen.getByRole('alert').textContent).toBe('Check the prices of 1 selected model.')
  const [input, output] = [
    screen.getByLabelText('Input, $ per million tokens'),
    screen.getByLabelText('Output, $ per million tokens'),
  ]
  await user.type(input, '1000000')
  expect(screen.getByText('At most $1,000.00 per million tokens.')).toBeTruthy()
  await user.clear(input)
  await user.type(input, '0')
  await user.type(output, '0')
  expect(screen.getByText('Free for everyone who can use this server.')).toBeTruthy()
  expect(calls.some(({ line }) => line.startsWith(`POST ${PATH}/word`))).toBe(false)
})

test('a connected provider shows its state, its prices and the end of its key, and can be paused and removed', async () => {
  const user = userEvent.setup()
  const calls = serving({
    [`GET ${PATH}`]: listed([PROVIDER]),
    [`GET ${PATH}/found`]: {
      found: [{ preset: 'ollama', address: 'http://127.0.0.1:11434/v1', models: 3, isInUse: true }],
    },
    [`PATCH ${PATH}/openrouter`]: { ...PROVIDER, isPaused: true },
    [`DELETE ${PATH}/openrouter`]: { removed: true },
    'POST /api/admin/models/default': { type: 'text', id: 'openrouter/qwen/qwen3-coder', isChosen: true },
  })
  renderPart(<ProvidersTab />)
  const row = within(await screen.findByRole('region', { name: 'Connected providers' }))
  expect(await row.findByText('1 model · key …6789')).toBeTruthy()
  expect(row.getByText(/Guests and test wallets can’t use these models/)).toBeTruthy()
  await user.click(row.getByRole('button', { name: 'Models and prices' }))
  expect(row.getByText('$0.24 in, $1.02 out per million tokens')).toBeTruthy()
  await user.click(row.getByRole('button', { name: 'Make default: Qwen3 Coder' }))
  await waitFor(() =>
    expect(calls.find(({ line }) => line.endsWith('/default'))?.body).toEqual({ id: 'openrouter/qwen/qwen3-coder' }),
  )
  await user.click(row.getByRole('button', { name: 'Pause openrouter' }))
  await waitFor(() => expect(calls.find(({ line }) => line.startsWith('PATCH'))?.body).toEqual({ isPaused: true }))
  await user.click(row.getByRole('button', { name: 'Remove openrouter' }))
  await user.click(row.getByRole('button', { name: 'Remove provider' }))
  await waitFor(() => expect(calls.some(({ line }) => line.startsWith('DELETE'))).toBe(true))

  const found = within(screen.getByRole('region', { name: 'Found on this machine' }))
  expect(found.getByText('In use, free of charge. Connect the server to set prices.')).toBeTruthy()
  await user.click(found.getByRole('button', { name: 'Connect Ollama' }))
  expect((await screen.findByLabelText<HTMLInputElement>('Address')).value).toBe('http://127.0.0.1:11434/v1')
})

test('editing keeps the stored key, and goes on when the provider cannot be reached', async () => {
  const user = userEvent.setup()
  const calls = serving({
    [`GET ${PATH}`]: listed([PROVIDER], false),
    [`GET ${PATH}/found`]: { found: [] },
    [`POST ${PATH}/models`]: { fault: 'unreachable', message: 'English' },
    [`PATCH ${PATH}/openrouter`]: PROVIDER,
  })
  renderPart(<ProvidersTab />)
  await user.click(await screen.findByRole('button', { name: 'Edit openrouter' }))
  expect(await screen.findByText(/The server cannot be reached/)).toBeTruthy()
  const input = screen.getByLabelText('Input, $ per million tokens')
  await user.clear(input)
  await user.type(input, '0.5')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(calls.find(({ line }) => line.startsWith('PATCH'))?.body).toEqual({
    models: [{ ...CODER, prices: { input: 0.5, output: 1.02 } }],
    marginPercent: 20,
  })
})

test('a list that cannot be loaded can be asked for again', async () => {
  serving({ [`GET ${PATH}/found`]: { found: [] } })
  renderPart(<ProvidersTab />)
  expect(await screen.findByText(/The providers could not be loaded\. nothing at GET/)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy()
})

test('whoever is no operator reads how to become one', async () => {
  serving({ 'GET /api/admin/session': { isOperator: false } })
  renderPart(<AdminPage />, [[['session'], null]])
  expect(await screen.findByText('npm run admin -- operator link')).toBeTruthy()
  expect(screen.queryByRole('tab')).toBeNull()
})

test('a link signs in and leaves the address; one that is refused is said to be', async () => {
  const open = (address: string) => window.history.replaceState(null, '', address)
  open('/admin#token=abc.def')
  const calls = serving({
    'POST /api/admin/session': { isOperator: true },
    'GET /api/admin/session': { isOperator: true },
    ...empty,
  })
  const { unmount } = renderPart(<AdminPage />, [[['session'], null]])
  expect(await screen.findByRole('tab', { name: 'Providers' })).toBeTruthy()
  expect(calls[0]).toEqual({ line: 'POST /api/admin/session', body: { token: 'abc.def' } })
  expect(window.location.href).not.toContain('abc')
  unmount()

  open('/admin?token=old')
  serving({ 'GET /api/admin/session': { isOperator: false } })
  renderPart(<AdminPage />, [[['session'], null]])
  expect((await screen.findByRole('alert')).textContent).toBe(
    'This link is not valid, or has expired. Create a new one.',
  )
  expect(window.location.search).toBe('')
  open('/')
})
