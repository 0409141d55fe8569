import { act, cleanup, render, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { useDocumentTitle, useTitleCount } from '@/lib/browser/document-title'

function Part({ title }: { title: string | undefined }) {
  useDocumentTitle(title)
  return null
}

function Unread({ count }: { count: number }) {
  useTitleCount(count)
  return null
}

beforeEach(() => {
  document.title = 'RPC · Lagoon'
})

/** As the router does: its title may come with the page, or long after it. */
const route = (title: string) =>
  act(() => {
    document.title = title
  })

test('a title stays when that of the router comes late, and gives way to it when the part is gone', async () => {
  const { rerender } = render(<Part title={undefined} />)
  expect(document.title).toBe('RPC · Lagoon')
  rerender(<Part title="eth_call on Base" />)
  expect(document.title).toBe('eth_call on Base · Lagoon')
  await route('RPC on Base · Lagoon')
  await waitFor(() => expect(document.title).toBe('eth_call on Base · Lagoon'))
  rerender(<Part title="eth_chainId on Base" />)
  expect(document.title).toBe('eth_chainId on Base · Lagoon')
  cleanup()
  expect(document.title).toBe('RPC on Base · Lagoon')
})

test('the router has the last word on a page that is left', async () => {
  const { unmount } = render(<Part title="Tides" />)
  await act(() => {
    document.title = 'Wallet · Lagoon'
    unmount()
  })
  expect(document.title).toBe('Wallet · Lagoon')
})

test('the number of unread chats stands before any title, once', async () => {
  const unread = render(<Unread count={2} />)
  expect(document.title).toBe('(2) RPC · Lagoon')
  const part = render(<Part title="Tides" />)
  expect(document.title).toBe('(2) Tides · Lagoon')
  unread.rerender(<Unread count={3} />)
  await route('Wallet · Lagoon')
  await waitFor(() => expect(document.title).toBe('(3) Tides · Lagoon'))
  part.unmount()
  expect(document.title).toBe('(3) Wallet · Lagoon')
  unread.rerender(<Unread count={0} />)
  expect(document.title).toBe('Wallet · Lagoon')
})
