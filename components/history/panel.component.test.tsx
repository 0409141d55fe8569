import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { HistoryPanel } from '@/components/history/panel'
import { stopSelecting } from '@/components/history/selection'
import { press } from '@/components/testing/press'
import { renderPart } from '@/components/testing/render'
import { Toaster } from '@/components/ui/toast'
import { openHistorySheet } from '@/lib/browser/dialogs'
import { addMessages } from '@/lib/browser/storage/chats'
import { db } from '@/lib/browser/storage/database'

const [HARBOUR, SOUP] = ['Who keeps the harbour?', 'What goes into the soup?']

afterEach(async () => {
  act(() => {
    stopSelecting()
    openHistorySheet(undefined)
  })
  await vi.dynamicImportSettled()
  await Promise.all(db.tables.map((table) => table.clear()))
})

/** Renders the list of two chats. */
async function openPanel(): Promise<UserEvent> {
  for (const [id, title] of [
    ['harbour', HARBOUR],
    ['soup', SOUP],
  ] as const) {
    const message = { ...{ id: `${id}-q`, conversationId: id, parentId: '' }, role: 'user', createdAt: 1 } as const
    await addMessages({ id, title, modelId: 'atlas-large' }, [{ message: { ...message, status: 'done' }, text: title }])
  }
  renderPart(
    <>
      <HistoryPanel />
      <Toaster />
    </>,
  )
  await screen.findByRole('link', { name: HARBOUR })
  return userEvent.setup()
}

const titles = () => screen.queryAllByRole('link').map(({ textContent }) => textContent)
const titlesIn = (group: string) =>
  within(screen.getByRole('region', { name: group }))
    .getAllByRole('link')
    .map(({ textContent }) => textContent)
const link = (name: string) => screen.getByRole('link', { name })

async function pick(user: UserEvent, button: string, ...items: string[]): Promise<void> {
  await press(user, button)
  for (const name of items) await user.click(await screen.findByRole('menuitem', { name }))
}

test('chats are pinned, and tagged by words that then filter the list', async () => {
  const user = await openPanel()
  await pick(user, `More for ${HARBOUR}`, 'Pin')
  await waitFor(() => expect(titlesIn('Pinned')).toEqual([HARBOUR]))
  expect(titlesIn('Today')).toEqual([SOUP])
  await pick(user, `More for ${HARBOUR}`, 'Tags')
  await user.type(await screen.findByRole('combobox', { name: 'New tag' }), 'sea{Enter}')
  await press(user, 'Close')
  await press(user, 'sea')
  await waitFor(() => expect(titles()).toEqual([HARBOUR]))
})

test('a chat is deleted, and comes back with Undo', async () => {
  const user = await openPanel()
  await pick(user, `More for ${HARBOUR}`, 'Delete')
  await waitFor(() => expect(titles()).toEqual([SOUP]))
  await press(user, 'Undo')
  await screen.findByRole('link', { name: HARBOUR })
})

test('chosen chats are archived together, and come back with Undo', async () => {
  const user = await openPanel()
  await pick(user, 'All chats', 'Select')
  await user.click(await screen.findByRole('checkbox', { name: `Select ${SOUP}` }))
  await press(user, 'Archive selected chats')
  await waitFor(() => expect(titles()).toEqual([HARBOUR]))
  await press(user, 'Undo')
  await waitFor(() => expect(titles()).toHaveLength(2))
})

test('Control and Shift with a click choose one and all up to another; deleting leaves an empty list', async () => {
  const user = await openPanel()
  await user.keyboard('{Control>}')
  await user.click(link(SOUP))
  await user.keyboard('{/Control}{Shift>}')
  await user.click(link(HARBOUR))
  await user.keyboard('{/Shift}')
  await screen.findByText('2 selected')
  await press(user, 'Delete selected chats')
  await screen.findByText('Your chats appear here', { exact: false })
  await press(user, 'Undo')
  await waitFor(() => expect(titles()).toHaveLength(2))
})
