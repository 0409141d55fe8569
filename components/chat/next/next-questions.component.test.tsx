import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { NewChats } from '@/components/settings/new-chats'
import { answered, closeChatPage, openChatPage } from '@/components/testing/chat-page'
import { renderPart } from '@/components/testing/render'
import { readPreference, writePreference } from '@/lib/browser/preferences'
import { modelsQuery } from '@/lib/browser/queries'

afterEach(closeChatPage)

const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' })
const suggested = () => {
  const list = screen.queryByRole('list', { name: 'Suggested follow-ups' })
  return list
    ? within(list)
        .getAllByRole('button')
        .map(({ textContent }) => textContent)
    : []
}

test('follow-ups are asked for once from the menu, and a click writes one without sending it', async () => {
  const page = await openChatPage()
  await page.ask('Why two tides?')
  await answered()
  page.next({ text: 'Here you are:\n1. Why <b>twice</b> a day?\n2. How high?' })
  await page.press('More for this answer')
  await page.user.click(await screen.findByRole('menuitem', { name: 'Suggest follow-ups' }))
  await waitFor(() => expect(suggested()).toEqual(['Why <b>twice</b> a day?', 'How high?']))
  await page.press('How high?')
  expect(field().value).toBe('How high?')
  expect(document.activeElement).toBe(field())
  expect(page.requests).toHaveLength(2)
  await page.reload()
  await answered()
  expect(field().value).toBe('How high?')
})

test('where they are switched on, each answer has follow-ups; one of before is gone', async () => {
  writePreference('suggestions', 'on')
  const page = await openChatPage()
  page.next({ text: 'Twelve metres.' })
  page.next({ text: 'Where?\nWhen?' })
  await page.ask('How high?')
  await waitFor(() => expect(suggested()).toEqual(['Where?', 'When?']))
  page.next({ text: 'At noon.' })
  page.next({ text: 'And tomorrow?' })
  await page.ask('When?')
  await waitFor(() => expect(suggested()).toEqual(['And tomorrow?']))
  expect(page.requests).toHaveLength(4)
})

test('a setting switches them on', async () => {
  renderPart(<NewChats />, [[modelsQuery().queryKey, []]])
  const group = within(screen.getByRole('group', { name: 'Follow-up suggestions' }))
  await userEvent.click(group.getByText('On'))
  expect(readPreference('suggestions')).toBe('on')
})
