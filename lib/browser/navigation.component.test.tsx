import { act, render, screen } from '@testing-library/react'
import { PathnameContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime'
import { afterEach, expect, test } from 'vitest'
import { openChat, useChatId } from '@/lib/browser/navigation'

const Open = () => <output>{useChatId() ?? 'new chat'}</output>

/** The page while the router has `pathname`, whatever the address is already. */
const page = (pathname: string) => (
  <PathnameContext value={pathname}>
    <Open />
  </PathnameContext>
)

const shown = () => screen.getByRole('status').textContent

afterEach(() => window.history.replaceState(null, '', '/'))

test('a chat is open at once, also while the router still has the path of another', () => {
  window.history.replaceState(null, '', '/c/tides')
  const { rerender } = render(page('/c/tides'))
  expect(shown()).toBe('tides')
  act(() => openChat(null))
  expect(shown()).toBe('new chat')

  // Two in a row: the router comes to the first of them, then to the second.
  act(() => openChat('boats'))
  rerender(page('/'))
  expect(shown()).toBe('boats')
  rerender(page('/c/boats'))
  expect(shown()).toBe('boats')
})

test('the router decides where the address changes without it: by Back, and on other screens', () => {
  window.history.replaceState(null, '', '/c/tides')
  const { rerender } = render(page('/c/tides'))
  act(() => openChat('boats'))
  window.history.replaceState(null, '', '/c/tides')
  act(() => void window.dispatchEvent(new PopStateEvent('popstate')))
  expect(shown()).toBe('tides')

  act(() => openChat('boats'))
  window.history.replaceState(null, '', '/rpc')
  rerender(page('/rpc'))
  expect(shown()).toBe('new chat')
  window.history.replaceState(null, '', '/c/tides')
  rerender(page('/c/tides'))
  expect(shown()).toBe('tides')
})
