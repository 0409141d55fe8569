import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { KeysPage } from '@/components/keys/keys-page'
import { renderPart } from '@/components/testing/render'
import { GUEST_SESSION } from '@/components/testing/replies'
import { SESSION_KEY } from '@/lib/browser/session'

type Call = { line: string; body?: unknown }

/** An account without keys that makes each key it is asked for. */
function serve(): Call[] {
  const calls: Call[] = []
  vi.stubGlobal('fetch', async (path: string, { method = 'GET', body }: RequestInit = {}) => {
    calls.push({ line: `${method} ${path}`, ...(typeof body === 'string' && { body: JSON.parse(body) }) })
    if (method === 'POST') return Response.json({ success: true, data: { apiKey: 'SERVICE_INFERENCE_KEY_secret' } })
    if (path.endsWith('/rate_limits')) return Response.json({ data: { accessPermitted: true, rateLimits: [] } })
    return Response.json({ object: 'list', data: [] })
  })
  return calls
}

afterEach(() => vi.unstubAllGlobals())

test('whoever is signed out reads what keys are for, and can connect a wallet', () => {
  serve()
  renderPart(<KeysPage />, [[SESSION_KEY, null]])
  expect(screen.getByRole('heading', { name: 'One API key per app.' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Connect a wallet' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'New key' })).toBeNull()
})

test('a key is asked for with its name and limit, and its secret is gone once it is saved', async () => {
  const user = userEvent.setup()
  const calls = serve()
  renderPart(<KeysPage />, [[SESSION_KEY, GUEST_SESSION.session]])
  expect(await screen.findByText('No API keys yet.')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'New key' }))
  const sheet = within(await screen.findByRole('dialog', { name: 'New key' }))
  await user.click(sheet.getByRole('button', { name: 'Create key' }))
  expect(sheet.getByText('Name the app that will use this key.')).toBeTruthy()
  expect(calls.some(({ line }) => line.startsWith('POST'))).toBe(false)
  await user.type(sheet.getByRole('textbox', { name: 'Name' }), 'books')
  await user.type(sheet.getByRole('textbox', { name: 'Spending limit ($)' }), '0.50')
  await user.click(sheet.getByRole('radio', { name: /^Admin/ }))
  await user.click(sheet.getByRole('button', { name: 'Create key' }))
  expect((await screen.findByTestId('new-key')).textContent).toBe('SERVICE_INFERENCE_KEY_secret')
  expect(calls.find(({ line }) => line.startsWith('POST'))?.body).toMatchObject({
    apiKeyType: 'ADMIN',
    description: 'books',
    consumptionLimit: { usd: 0.5, diem: null },
  })
  await user.click(screen.getByRole('button', { name: 'I’ve saved the key' }))
  await waitFor(() => expect(document.body.textContent).not.toContain('SERVICE_INFERENCE_KEY_secret'))
})
