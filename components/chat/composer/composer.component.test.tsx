import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { answered, closeChatPage, openChatPage, questions } from '@/components/testing/chat-page'
import { stubWorkers } from '@/lib/browser/files/testing'
import { writePreference } from '@/lib/browser/preferences'

const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' })

afterEach(closeChatPage)

test('Enter does not send while an input method composes', async () => {
  const page = await openChatPage()
  await page.user.type(field(), 'しお')
  for (const composing of [{ isComposing: true }, { keyCode: 229 }]) {
    const isLeftAlone = fireEvent.keyDown(field(), { key: 'Enter', ...composing })
    expect(isLeftAlone).toBe(true)
    expect(field().value).toBe('しお')
    expect(window.location.pathname).toBe('/')
  }
  // Without either, the same key sends.
  expect(fireEvent.keyDown(field(), { key: 'Enter' })).toBe(false)
  await answered()
  expect(page.requests).toHaveLength(1)
  expect(questions()[0]?.textContent).toContain('しお')
})

test('where Enter begins a new line, Control and Enter send', async () => {
  writePreference('enterSends', 'off')
  const page = await openChatPage()
  await page.user.type(field(), 'One line{Enter}')
  expect(field().value).toBe('One line\n')
  expect(page.requests).toEqual([])
  await page.user.keyboard('{Control>}{Enter}{/Control}')
  await answered()
  await waitFor(() => expect(field().value).toBe(''))
})

test('a model is named in the message and chosen by keys, and Escape leaves what is written', async () => {
  const page = await openChatPage()
  await page.user.type(field(), 'Ask @harb')
  await screen.findByRole('option', { name: /Harbour Mini/ })
  await page.user.tab()
  await screen.findByRole('button', { name: 'Model: Harbour Mini' })
  expect(field().value).toBe('Ask ')
  await page.user.type(field(), '@nobody')
  await screen.findByText(/^No matching model or character\./)
  await page.user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('listbox')).toBeNull())
  expect(field().value).toBe('Ask @nobody')
})

test('ArrowUp in an empty field edits the last question', async () => {
  const page = await openChatPage()
  await page.ask('What is new in the harbour?')
  await answered()
  await page.user.type(field(), 'Half a word{ArrowUp}')
  expect(screen.queryByRole('textbox', { name: 'Edit message' })).toBeNull()
  await page.user.clear(field())
  await page.user.keyboard('{ArrowUp}')
  const editor = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Edit message' })
  expect(editor.value).toBe('What is new in the harbour?')
})

test('a long paste becomes a file, and can be text again', async () => {
  stubWorkers()
  const page = await openChatPage()
  const words = 'tide '.repeat(900)
  fireEvent.paste(field(), { clipboardData: { getData: () => words, files: [] } })
  const tray = await screen.findByRole('list', { name: 'Attached files' })
  expect(within(tray).getAllByRole('listitem')).toHaveLength(1)
  expect(field().value).toBe('')
  await page.press('Undo')
  await waitFor(() => expect(screen.queryByRole('list', { name: 'Attached files' })).toBeNull())
  expect(field().value).toBe(words)
})

test('without a connection a new chat does not begin; its message stays and is sent when there is one', async () => {
  const isOnline = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  const page = await openChatPage()
  await page.user.type(field(), 'Kept while offline{Enter}')
  expect(await screen.findByText('Not sent: you’re offline. Your draft is saved.')).toBeTruthy()
  expect(field().value).toBe('Kept while offline')
  expect(page.requests).toEqual([])
  isOnline.mockReturnValue(true)
  await page.user.keyboard('{Enter}')
  await answered()
  expect(page.requests[0]?.messages.at(-1)).toMatchObject({ content: 'Kept while offline' })
})
