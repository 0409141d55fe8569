import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { KeyRow } from '@/components/keys/key-row'
import { renderPart } from '@/components/testing/render'
import type { AccountKey } from '@/lib/browser/account-data'

const KEY: AccountKey = {
  id: 'k',
  apiKeyType: 'INFERENCE',
  description: 'nightly report',
  last6Chars: 'abcdef',
  createdAt: '2026-01-01T00:00:00Z',
  expiresAt: null,
  lastUsedAt: null,
  consumptionLimits: { usd: null, diem: null },
  limitPeriod: 'MONTH',
  modelPrivacy: 'ALL',
  usage: { trailingSevenDays: { usd: '0', diem: '0' } },
} as AccountKey

afterEach(() => vi.unstubAllGlobals())

test('a key that cannot be revoked stays, and the reason is told in the words of the product', async () => {
  const user = userEvent.setup()
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  renderPart(<KeyRow row={KEY} onChange={() => undefined} />)
  await user.click(screen.getByRole('button', { name: 'Revoke key nightly report' }))
  await user.click(screen.getByRole('button', { name: 'Revoke key' }))
  expect((await screen.findByRole('alert')).textContent).toBe('The service could not be reached.')
  expect(screen.getByRole('group', { name: 'Revoke key nightly report?' })).toBeTruthy()
})
