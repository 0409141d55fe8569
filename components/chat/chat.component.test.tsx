import { act, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { Starters } from '@/components/chat/chat'
import { renderPart } from '@/components/testing/render'
import { setNextTemporary } from '@/lib/browser/temporary-chat'

afterEach(() => act(() => setNextTemporary(false)))

test('a chat that is kept says where', () => {
  renderPart(<Starters />)
  expect(screen.getByText('Chats stay on this device')).toBeTruthy()
})

test('a temporary chat says that nothing is stored, and not that it stays', async () => {
  renderPart(<Starters />)
  await act(() => setNextTemporary(true))
  expect(screen.getByText('Nothing is stored on this device')).toBeTruthy()
  expect(screen.queryByText('Chats stay on this device')).toBeNull()
})
