import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { ModelsTab } from '@/components/admin/models-tab'
import { renderPart } from '@/components/testing/render'
import { ADMIN_MODELS, INSTALLED_MODEL, SUGGESTED_MODEL } from '@/components/testing/replies'
import type { AdminModels } from '@/lib/contract/admin-models.schema'

const PATH = '/api/admin/models'
type Call = { line: string; body?: unknown }

function serving(data: AdminModels, refusal?: string): Call[] {
  const calls: Call[] = []
  vi.stubGlobal('fetch', async (path: string, { method = 'GET', body }: RequestInit = {}) => {
    calls.push({ line: `${method} ${path}`, ...(typeof body === 'string' && { body: JSON.parse(body) }) })
    if (method !== 'GET' && refusal !== undefined) return Response.json({ error: refusal }, { status: 400 })
    return Response.json(method === 'GET' ? data : {})
  })
  return calls
}

afterEach(() => vi.unstubAllGlobals())

test('an installed model says what it can, and is made the default', async () => {
  const user = userEvent.setup()
  const calls = serving({
    ...ADMIN_MODELS,
    installed: [INSTALLED_MODEL, { ...INSTALLED_MODEL, id: 'other', name: 'Other', isDefault: false }],
  })
  renderPart(<ModelsTab />)
  const list = within(await screen.findByRole('region', { name: 'Installed' }))
  expect(list.getAllByText(/ · tools · images · /)).toHaveLength(2)
  expect(list.queryByRole('button', { name: 'Make default: Tiny' })).toBeNull()
  await user.click(list.getByRole('button', { name: 'Make default: Other' }))
  await waitFor(() => expect(calls.find(({ line }) => line === `POST ${PATH}/default`)?.body).toEqual({ id: 'other' }))
})

test.each([
  ['cpu', 'AMD EPYC', 'No GPU was found.', 'Models run on the CPU. No GPU was found.'],
  ['cuda', 'RTX 4090', 'A GPU was found.', 'Models run on the GPU RTX 4090 (CUDA). A GPU was found.'],
] as const)('says that models run on %s, and why', async (kind, name, reason, text) => {
  serving({ ...ADMIN_MODELS, machine: { ...ADMIN_MODELS.machine, runsOn: { kind, name, reason } } })
  renderPart(<ModelsTab />)
  expect(await screen.findByText(text)).toBeTruthy()
})

test('shows the machine, what runs well on it, and downloads a model', async () => {
  const user = userEvent.setup()
  const calls = serving(ADMIN_MODELS)
  renderPart(<ModelsTab />)
  expect(await screen.findByText('AVX2 · 8 cores · 16 GB of memory · 100 GB free on disk')).toBeTruthy()
  const list = within(screen.getByRole('region', { name: 'Recommended for this machine' }))
  expect(list.getAllByText('1.8 GB · 2.5 GB of memory · about 14 tokens/s · apache-2.0')).toHaveLength(2)
  expect(list.getByText('Needs more memory or disk than this machine has.')).toBeTruthy()
  expect(list.getByRole<HTMLButtonElement>('button', { name: 'Download Big' }).disabled).toBe(true)
  await user.click(list.getByRole('button', { name: 'Download Qwen3 1.7B' }))
  await waitFor(() =>
    expect(calls.find(({ line }) => line === `POST ${PATH}/downloads`)?.body).toEqual({
      source: SUGGESTED_MODEL.source,
    }),
  )
})

test('a source that is entered is downloaded, and one that is refused says why', async () => {
  const user = userEvent.setup()
  const calls = serving(ADMIN_MODELS, 'Use hf:OWNER/REPO.')
  renderPart(<ModelsTab />)
  await user.type(await screen.findByLabelText('Download a model'), ' hf:one {Enter}')
  expect(await screen.findByText('Use hf:OWNER/REPO.')).toBeTruthy()
  expect(calls.find(({ line }) => line === `POST ${PATH}/downloads`)?.body).toEqual({ source: 'hf:one' })
})

test('a download shows its bar, rate and time left, and can be paused, resumed and dismissed', async () => {
  const user = userEvent.setup()
  const running = { step: 'downloading' as const, bytes: 210_000_000, total: 480_000_000 }
  const calls = serving({
    ...ADMIN_MODELS,
    downloads: [
      { id: 'a', source: 'hf:a', state: 'running', ...running, bytesPerSecond: 3_000_000, secondsLeft: 90 },
      { id: 'b', source: 'hf:b', state: 'paused', ...running },
      { id: 'c', source: 'hf:c', state: 'failed', ...running, message: 'The disk is full.' },
    ],
  })
  renderPart(<ModelsTab />)
  const bar = await screen.findByRole('progressbar', { name: 'Download of hf:a' })
  expect(bar.getAttribute('aria-valuenow')).toBe('44')
  expect(screen.getByText('Downloading · 210 MB of 480 MB (43 %) · 3.0 MB/s · 1:30 left')).toBeTruthy()
  expect(screen.getByText('Paused · 210 MB of 480 MB (43 %)')).toBeTruthy()
  expect(screen.getByRole('alert').textContent).toBe('The disk is full.')
  await user.click(screen.getByRole('button', { name: 'Pause hf:a' }))
  await user.click(screen.getByRole('button', { name: 'Resume hf:b' }))
  await user.click(screen.getByRole('button', { name: 'Dismiss hf:c' }))
  const sent = calls.filter(({ line }) => line.startsWith(`POST ${PATH}/downloads/`))
  expect(sent.map(({ line, body }) => [line.split('/').at(-1), body])).toEqual([
    ['a', { action: 'pause' }],
    ['b', { action: 'resume' }],
    ['c', { action: 'cancel' }],
  ])
})

test('an installed model shows its facts and is removed after a question', async () => {
  const user = userEvent.setup()
  const calls = serving(ADMIN_MODELS)
  renderPart(<ModelsTab />)
  const list = within(await screen.findByRole('region', { name: 'Installed' }))
  expect(list.getByText('Q8_0 · 400 MB · 4,096 tokens of context · tools · images · checksum verified')).toBeTruthy()
  expect(list.getByText('Default')).toBeTruthy()
  await user.click(list.getByRole('button', { name: 'Remove Tiny' }))
  expect(list.getByText('The model stops working at once. Removing it frees 400 MB of disk space.')).toBeTruthy()
  await user.click(list.getByRole('button', { name: 'Remove model' }))
  await waitFor(() => expect(calls.some(({ line }) => line === `DELETE ${PATH}/tiny-q8_0`)).toBe(true))
})

test('where models are switched off, nothing is offered, and the reason is given', async () => {
  serving({ ...ADMIN_MODELS, isAvailable: false, installed: [] })
  renderPart(<ModelsTab />)
  expect(await screen.findByText(/EMBEDDED_MODELS=off/)).toBeTruthy()
  expect(screen.queryByLabelText('Download a model')).toBeNull()
  expect(screen.queryByRole('region', { name: 'Recommended for this machine' })).toBeNull()
})
