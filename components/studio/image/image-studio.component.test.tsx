import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, within } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ImageStudio } from '@/components/studio/image/image-studio'
import { provideLocks } from '@/components/testing/locks'
import { GUEST_SESSION } from '@/components/testing/replies'
import { WalletHost } from '@/components/wallet/hosts'
import { queryClient } from '@/lib/browser/queries'
import { db } from '@/lib/browser/storage/database'
import type { ChargeReply } from '@/lib/contract/billing'
import type { Service, Session, SessionReply } from '@/lib/contract/session'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const PAINTER = {
  id: 'painter',
  type: 'image',
  model_spec: { name: 'Lagoon Painter', pricing: { generation: { usd: 0.04 } } },
}
const SERVICE: Service = { ...GUEST_SESSION.service, wallets: 'any', rails: ['evm'] }

/** Longer than a request that was sent is on its way. */
const ARRIVED_MS = 15_000

type Served = {
  session?: Session | null
  guests?: boolean
  models?: { id: string; type: string }[]
  /** Answers a request for images; without it a painter that made one. */
  paint?: (signal: AbortSignal | null | undefined) => Response | Promise<Response>
  charged?: number
}

const picture = (headers: Record<string, string> = {}) => Response.json({ id: 'x', images: [PNG] }, { headers })

/** The service as it answers the studio. */
function serve({
  session = GUEST_SESSION.session,
  guests = true,
  models = [PAINTER],
  paint = () => picture(),
  charged = 0.04,
}: Served = {}): void {
  const reply: SessionReply = { session, service: { ...SERVICE, guests }, preparation: null }
  vi.stubGlobal('fetch', async (path: string, { signal }: RequestInit = {}) => {
    if (path === '/api/session') return Response.json(reply)
    if (path.startsWith('/api/v1/models?type='))
      return Response.json({ data: models.filter(({ type }) => path.endsWith(`=${type}`)) })
    if (path.startsWith('/api/charges/')) return Response.json({ state: 'settled', charged } satisfies ChargeReply)
    if (path !== '/api/v1/image/generate') return Response.json({ data: [] })
    return await paint(signal)
  })
}

const show = () =>
  render(
    <QueryClientProvider client={queryClient()}>
      <ImageStudio />
      <WalletHost />
    </QueryClientProvider>,
  )

/** Has a picture made; returns its card. */
async function ask(user: UserEvent, prompt: string) {
  const field = await screen.findByRole('textbox', { name: 'Prompt' })
  await user.clear(field)
  await user.paste(prompt)
  await user.click(screen.getByRole('button', { name: /^Generate/ }))
  return within(await screen.findByRole('article'))
}

provideLocks()
beforeEach(async () => {
  // The document's database keeps no bytes that it could make an address of.
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:image')
  await db.creations.clear()
})
afterEach(() => {
  // While addresses of images can still be made.
  cleanup()
  queryClient().clear()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('an image that the service blurred is explained, and its settings are reused without safe mode', async () => {
  const user = userEvent.setup()
  serve({ paint: () => picture({ 'x-service-is-blurred': 'true' }) })
  show()
  const card = await ask(user, 'A bather')
  expect(await card.findByText('Blurred by safe mode.')).toBeTruthy()
  expect(await card.findByText('$0.04')).toBeTruthy()
  await user.click(card.getByRole('button', { name: 'Reuse without safe mode' }))
  await user.click(within(screen.getByRole('region', { name: 'Generation settings' })).getByText('More'))
  expect(screen.getByRole('switch', { name: 'Safe mode' }).getAttribute('aria-checked')).toBe('false')
})

test('without guests a visitor fills in the form; generating asks for a wallet and keeps the form', async () => {
  const user = userEvent.setup()
  serve({ session: null, guests: false })
  show()
  const prompt = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Prompt' })
  await user.clear(prompt)
  await user.paste('A lagoon at noon')
  await user.click(screen.getByRole('button', { name: /^Generate/ }))
  const wallets = await screen.findByRole('dialog', { name: 'Choose a wallet' })
  await user.click(within(wallets).getByRole('button', { name: 'Close' }))
  expect(await screen.findByText('Sign in with a wallet to generate. Your settings are saved.')).toBeTruthy()
  expect(prompt.value).toBe('A lagoon at noon')
  expect(screen.queryAllByRole('article')).toEqual([])
})

test.each([
  ['“words.png” is not a supported image.', new File(['no picture at all'], 'words.png', { type: 'image/png' })],
  [
    'This image is too large. The limit is 25 MB.',
    new File([new Uint8Array(25_000_001).fill(1)], 'large.png', { type: 'image/png' }),
  ],
])('a file that cannot be upscaled is refused: %s', async (reason, file) => {
  const user = userEvent.setup()
  serve({ models: [{ ...PAINTER, id: 'enlarger', type: 'upscale' }] })
  show()
  const form = within(screen.getByRole('region', { name: 'Generation settings' }))
  await user.upload(await form.findByLabelText(/^Image/), file)
  expect(await form.findByText(reason, { exact: false })).toBeTruthy()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: /^Upscale/ }).disabled).toBe(true)
})

test('what the model declines to show is hidden, and free', async () => {
  const user = userEvent.setup()
  serve({ paint: () => picture({ 'x-service-is-content-violation': 'true' }), charged: 0 })
  show()
  const card = await ask(user, 'Something forbidden')
  expect(await card.findByText('This image is hidden.', { exact: false })).toBeTruthy()
  expect(await card.findByText('free')).toBeTruthy()
  expect(card.queryByRole('button', { name: 'Open image' })).toBeNull()
})

test('a model that fails costs nothing, and is tried again in the same place', async () => {
  const user = userEvent.setup()
  const replies = [Response.json({ error: 'No paint.', code: 'INFERENCE_FAILED' }, { status: 500 })]
  serve({ paint: () => replies.pop() ?? picture(), charged: 0 })
  show()
  const card = await ask(user, 'A painter without paint')
  expect(await card.findByText('The model failed.')).toBeTruthy()
  expect(await card.findByText('You were not charged.')).toBeTruthy()
  await user.click(card.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('button', { name: 'Open image' })).toBeTruthy()
  expect(screen.getAllByRole('article')).toHaveLength(1)
  expect(screen.getByRole('article').dataset.state).toBe('done')
})

test('a picture that is cancelled says so, and that it cost nothing', async () => {
  const user = userEvent.setup()
  const never = (signal?: AbortSignal | null) =>
    new Promise<Response>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  serve({ paint: never, charged: 0 })
  show()
  const card = await ask(user, 'Too slow to wait for')
  // A request that was left may still arrive for a while.
  const cancel = await card.findByRole('button', { name: 'Cancel' })
  const now = Date.now()
  vi.spyOn(Date, 'now').mockImplementation(() => now + ARRIVED_MS)
  await user.click(cancel)
  expect(await card.findByText('Cancelled.')).toBeTruthy()
  expect(await card.findByText('You were not charged.')).toBeTruthy()
  expect(card.getByRole('button', { name: 'Generate again' })).toBeTruthy()
})

test('without enough credit a picture is paused, and credit can be added from there', async () => {
  const user = userEvent.setup()
  const refusal = { error: 'Insufficient balance', code: 'INSUFFICIENT_BALANCE' }
  serve({ paint: () => Response.json(refusal, { status: 402 }), charged: 0 })
  show()
  const card = await ask(user, 'One too many')
  expect(await card.findByText('Paused: your credit is used up.')).toBeTruthy()
  expect(card.getByRole('button', { name: 'Add credit' })).toBeTruthy()
})

test('an image that is smaller than models take is refused with its size', async () => {
  const user = userEvent.setup()
  serve({ models: [{ ...PAINTER, id: 'enlarger', type: 'upscale' }] })
  vi.stubGlobal('createImageBitmap', async () => ({ width: 100, height: 100, close: () => undefined }))
  show()
  const form = within(screen.getByRole('region', { name: 'Generation settings' }))
  const bytes = Uint8Array.from(atob(PNG), (letter) => letter.charCodeAt(0))
  await user.upload(await form.findByLabelText(/^Image/), new File([bytes], 'tiny.png', { type: 'image/png' }))
  expect(await form.findByText('This image is 100 × 100 pixels.', { exact: false })).toBeTruthy()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: /^Upscale/ }).disabled).toBe(true)
})
