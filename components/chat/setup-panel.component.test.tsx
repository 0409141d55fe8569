import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { answered, closeChatPage, openChatPage } from '@/components/testing/chat-page'

afterEach(closeChatPage)

test('a chat has its own settings: its requests have them, also as programs, and a reload keeps them', async () => {
  const page = await openChatPage()
  await page.press('Chat settings')
  await page.user.type(await screen.findByRole('textbox', { name: 'System prompt' }), 'Answer like a sailor.')
  await page.user.type(screen.getByRole('textbox', { name: 'Temperature' }), '0.3')
  await page.user.keyboard('{Escape}')
  await screen.findByRole('button', { name: 'Chat settings, changed' })
  await page.ask('Ahoy?')
  await answered()
  const [request] = page.requests
  expect(request?.temperature).toBe(0.3)
  expect(JSON.stringify(request?.messages)).toContain('Answer like a sailor.')
  await page.reload()
  await screen.findByRole('button', { name: 'Chat settings, changed' })
  await answered()

  await page.press('More for this answer')
  await page.user.click(await screen.findByRole('menuitem', { name: 'View API request' }))
  const sheet = await screen.findByRole('dialog', { name: 'View API request' })
  await waitFor(() => expect(sheet.textContent).toContain('Answer like a sailor.'))
  expect(sheet.textContent).toContain('"temperature": 0.3')
  await page.user.click(within(sheet).getByRole('tab', { name: 'Python' }))
  await waitFor(() => expect(sheet.textContent).toContain('temperature=0.3'))
})
