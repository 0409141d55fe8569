import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import {
  answered,
  answers,
  type ChatPage,
  closeChatPage,
  openChatPage,
  questions,
} from '@/components/testing/chat-page'

afterEach(closeChatPage)

const textsOf = (turns: HTMLElement[]) => turns.map(({ textContent }) => textContent ?? '')
const versions = () => screen.queryAllByRole('group', { name: 'Versions' }).map(({ textContent }) => textContent)
const last = <T,>(all: T[]): T => {
  const found = all.at(-1)
  if (!found) throw new Error('There is none.')
  return found
}

/** Picks from the menu of the last turn of a kind. */
async function pick({ user }: ChatPage, menu: string, item: string | RegExp): Promise<void> {
  await user.click(last(screen.getAllByRole('button', { name: menu })))
  await user.click(await screen.findByRole('menuitem', { name: item }))
}

/** A question with two answers, the second by another model and with a further question under it. */
async function openVersions(): Promise<ChatPage> {
  const page = await openChatPage()
  page.next({ text: 'And so it went on.' })
  await page.ask('Tell a story')
  await answered()
  page.next({ text: 'Another story.' })
  await pick(page, 'Regenerate with another model', /Harbour Mini/)
  await waitFor(() => expect(textsOf(answers())[0]).toContain('Another story.'))
  await answered()
  await page.ask('And then?')
  await answered(2)
  return page
}

test('another model answers again, and each version has what was said under it, also after a reload', async () => {
  const page = await openVersions()
  expect(page.requests.map(({ model }) => model)).toEqual(['atlas-large', 'harbour-mini', expect.any(String)])
  expect(versions()).toEqual(['2/2'])
  expect(screen.getByText('This chat')).toBeTruthy()
  await page.press('Earlier version')
  await waitFor(() => expect(answers()).toHaveLength(1))
  expect(textsOf(answers())[0]).toContain('And so it went on.')
  expect(versions()).toEqual(['1/2'])
  await page.reload()
  await waitFor(() => expect(versions()).toEqual(['1/2']))
  expect(textsOf(answers())[0]).toContain('And so it went on.')
  await page.press('Later version')
  await waitFor(() => expect(questions()).toHaveLength(2))
  expect(versions()).toEqual(['2/2'])
})

test('a fork with alternatives is a chat of its own with all versions and no receipts', async () => {
  const page = await openVersions()
  const before = window.location.pathname
  await pick(page, 'More for this answer', 'This branch with alternatives')
  await waitFor(() => expect(window.location.pathname).not.toBe(before))
  await waitFor(() => expect(questions()).toHaveLength(2))
  expect(versions()).toEqual(['2/2'])
  expect(screen.queryAllByRole('button', { name: /^Receipt/ })).toEqual([])
})

test('a message is deleted with what follows it, and comes back with Undo', async () => {
  const page = await openVersions()
  await pick(page, 'More for this message', 'Delete')
  await waitFor(() => expect(questions()).toHaveLength(1))
  await page.press('Undo')
  await waitFor(() => expect(questions()).toHaveLength(2))
})

test('a question is asked differently: typing begins at its end, and earlier versions stay', async () => {
  const page = await openChatPage()
  for (const text of ['A long story.', 'A plain story.', 'A herring.']) page.next({ text })
  await page.ask('Tell a story')
  await answered()
  await page.press('Edit message')
  await page.user.keyboard(' Use plain words.{Enter}')
  await waitFor(() => expect(textsOf(answers())).toEqual([expect.stringContaining('A plain story.')]))
  expect(textsOf(questions())).toEqual([expect.stringContaining('Tell a story Use plain words.')])
  await answered()
  await page.press('Edit message')
  const editor = screen.getByRole('textbox', { name: 'Edit message' })
  await page.user.clear(editor)
  await page.user.type(editor, 'Name a fish.')
  await page.press('Send edited message')
  await waitFor(() => expect(textsOf(answers())).toEqual([expect.stringContaining('A herring.')]))
  expect(page.requests.at(-1)?.messages).toEqual([{ role: 'user', content: 'Name a fish.' }])
  expect(textsOf(questions())[0]).toContain('Name a fish.')
  await answered()
  await page.press('Earlier version')
  await waitFor(() => expect(textsOf(questions())[0]).toContain('Tell a story Use plain words.'))
  await page.press('Earlier version')
  await waitFor(() => expect(textsOf(questions())[0]).toMatch(/Tell a story(?! Use)/))
})
