import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
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
const SETTLED: ChargeReply = { state: 'settled', charged: 0.04 }

type Served = { session?: Session | null; guests?: boolean; models?: { id: string; type: string }[] }

/** The service as it answers the studio. */
function serve({ session = GUEST_SESSION.session, guests = true, models = [PAINTER] }: Served = {}): void {
  const reply: SessionReply = { session, service: { ...SERVICE, guests }, preparation: null }
  vi.stubGlobal('fetch', async (path: string) => {
    if (path === '/api/session') return Response.json(reply)
    if (path.startsWith('/api/v1/models?type='))
      return Response.json({ data: models.filter(({ type }) => path.endsWith(`=${type}`)) })
    if (path.startsWith('/api/charges/')) return Response.json(SETTLED)
    if (path !== '/api/v1/image/generate') return Response.json({ data: [] })
    return Response.json({ id: 'x', images: [PNG] }, { headers: { 'x-service-is-blurred': 'true' } })
  })
}

const show = () =>
  render(
    <QueryClientProvider client={queryClient()}>
      <ImageStudio />
      <WalletHost />
    </QueryClientProvider>,
  )

provideLocks()
beforeEach(async () => {
  // The document's database keeps no bytes that it could make an address of.
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:image')
  await db.creations.clear()
})
afterEach(() => {
  queryClient().clear()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('an image that the service blurred is explained, and its settings are reused without safe mode', async () => {
  const user = userEvent.setup()
  serve()
  show()
  await user.type(await screen.findByRole('textbox', { name: 'Prompt' }), 'A bather')
  await user.click(screen.getByRole('button', { name: /^Generate/ }))
  const card = within(await screen.findByRole('article'))
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
  await user.type(prompt, 'A lagoon at noon')
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
