import { fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { answered, closeChatPage, openChatPage, questions } from '@/components/testing/chat-page'
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
