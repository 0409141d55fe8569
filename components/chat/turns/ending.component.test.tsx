import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { answered, answers, closeChatPage, openChatPage } from '@/components/testing/chat-page'

afterEach(closeChatPage)

const textOf = (element: HTMLElement | undefined) => element?.textContent ?? ''

test('a model that is not available can be left for another, which answers in its place', async () => {
  const page = await openChatPage()
  page.next({ refusal: 503, code: 'MODEL_OFFLINE' })
  page.next({ text: 'I have room.' })
  await page.ask('And now?')
  await waitFor(() => expect(textOf(answers()[0])).toContain('This model is not available right now.'))
  await page.press('Switch model')
  await page.user.click(await screen.findByRole('menuitem', { name: /Harbour Mini/ }))
  await waitFor(() => expect(textOf(answers()[0])).toContain('I have room.'))
  await answered()
  expect(page.requests.map(({ model }) => model)).toEqual(['atlas-large', 'harbour-mini'])
})

test('a model at capacity says when to try again, and not before', async () => {
  const page = await openChatPage()
  page.next({ refusal: 429, code: 'MODEL_AT_CAPACITY', retryAfterSeconds: 30 })
  await page.ask('Once more')
  await screen.findByText('At capacity right now.')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: /^Try again in \d+ s/ }).disabled).toBe(true)
})

test('what the service says of a model that will be retired stands with its answer, also after a reload', async () => {
  const notice = 'keel-classic will be retired on 2099-12-31; use harbour-mini instead'
  const page = await openChatPage()
  page.next({ text: 'A while.', notice })
  await page.ask('How long will you be here?')
  await answered()
  await waitFor(() => expect(textOf(answers()[0])).toContain(notice))
  await page.reload()
  await waitFor(() => expect(textOf(answers()[0])).toContain(notice))
  expect(screen.getByRole('button', { name: 'Select another model' })).toBeTruthy()
})
