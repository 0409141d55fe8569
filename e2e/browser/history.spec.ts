import type { Page } from '@playwright/test'
import { answered, answers, ask, DESK, inspect, openNewChat, PHONE, receipts } from '@/e2e/testing/ui-page'
import { keepChat } from './kept-turns'
import { expect, test } from './ui-scripted'

// What is kept in the browser: found, put away, shared. Saved to files and taken back: journeys-keys-history.spec.ts.

const HARBOUR = 'Who keeps the harbour?'
const SOUP = 'What goes into the soup?'

const list = (page: Page) => page.getByRole('navigation', { name: 'History' })
const row = (page: Page, title: string) => list(page).getByRole('link', { name: title })

async function menu(page: Page, title: string, ...picks: string[]): Promise<void> {
  await row(page, title).hover()
  await page.getByRole('button', { name: `More for ${title}` }).click()
  for (const pick of picks) await page.getByRole('menuitem', { name: pick }).click()
}

async function openAll(page: Page, pick: string): Promise<void> {
  await page.getByRole('button', { name: 'All chats' }).click()
  await page.getByRole('menuitem', { name: pick }).click()
}

/** Two chats, of which the second is on screen. */
async function openChats(page: Page): Promise<void> {
  const turns = (question: string, answer: string) => [
    { role: 'user' as const, text: question },
    { role: 'assistant' as const, text: answer },
  ]
  await openNewChat(page)
  const lantern = 'The harbour master keeps a **lantern** for foggy nights.'
  await keepChat(page, HARBOUR, turns(HARBOUR, lantern))
  const soup = await keepChat(page, SOUP, turns(SOUP, 'Salt, leeks and potatoes.'))
  await page.goto(soup)
}

test(
  'chats are put away, found by their words, opened where they stand, chosen and deleted',
  DESK,
  async ({ page }, testInfo) => {
    await openChats(page)
    await expect(list(page).getByRole('heading', { name: 'Today' })).toBeVisible()
    await menu(page, SOUP, 'Move to folder', 'New folder')
    await page.getByRole('textbox', { name: 'Folder name' }).fill('Kitchen')
    await page.keyboard.press('Enter')
    await expect(list(page).getByRole('region', { name: 'Kitchen' }).getByRole('link')).toHaveText(SOUP)
    await menu(page, HARBOUR, 'Pin')
    await expect(list(page).getByRole('region', { name: 'Pinned' }).getByRole('link')).toHaveText(HARBOUR)
    await row(page, HARBOUR).hover()
    await inspect(page, testInfo, 'history-list')

    await page.getByRole('combobox', { name: 'Search chats' }).fill('foggy lant')
    await expect(page.getByRole('option', { name: /lantern for foggy/ })).toBeVisible()
    await inspect(page, testInfo, 'history-search')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/c\/[\w-]+\?m=/)
    await expect(answers(page).getByText('lantern')).toBeInViewport()
    await expect(page.getByRole('combobox', { name: 'Search chats' })).toHaveValue('')

    await row(page, SOUP).click({ modifiers: ['ControlOrMeta'] })
    await row(page, HARBOUR).click({ modifiers: ['Shift'] })
    await expect(page.getByText('2 selected')).toBeVisible()
    await inspect(page, testInfo, 'history-choose')
    await page.getByRole('button', { name: 'Delete selected chats' }).click()
    await expect(list(page).getByRole('link')).toHaveCount(0)
    await expect(page).toHaveURL('/')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(page).toHaveURL(/\/c\//)
    await expect(page.getByRole('article', { name: 'You' })).toContainText(HARBOUR)
    await expect(list(page).getByRole('link')).toHaveCount(2)
    await menu(page, HARBOUR, 'Rename')
    await page.getByRole('textbox', { name: 'Chat title' }).fill('Harbour')
    await page.keyboard.press('Enter')
    await expect(list(page).getByRole('link', { name: 'Harbour', exact: true })).toBeVisible()
  },
)

test(
  'on a phone the list is a sheet: chats are pinned, chosen, deleted, found, opened and shared in it',
  PHONE,
  async ({ page }, testInfo) => {
    await openChats(page)
    await page.getByRole('button', { name: 'Open chats' }).click()
    await menu(page, HARBOUR, 'Pin')
    await expect(list(page).getByRole('region', { name: 'Pinned' }).getByRole('link')).toHaveText(HARBOUR)
    await inspect(page, testInfo, 'sidebar')
    await openAll(page, 'Select')
    await page.getByRole('checkbox', { name: `Select ${SOUP}` }).check()
    await inspect(page, testInfo, 'history-choose')
    await page.getByRole('button', { name: 'Delete selected chats' }).click()
    await expect(row(page, SOUP)).toBeHidden()
    await page.getByRole('button', { name: 'Undo' }).click()
    // The chat that was open is shown again, and the sheet makes room for it.
    await expect(page.getByRole('article', { name: 'You' })).toContainText(SOUP)
    await page.getByRole('button', { name: 'Open chats' }).click()
    await expect(row(page, SOUP)).toBeVisible()

    await page.getByRole('combobox', { name: 'Search chats' }).fill('foggy lant')
    const hit = page.getByRole('option', { name: /lantern for foggy/ })
    await expect(hit).toBeVisible()
    await inspect(page, testInfo, 'history-search')
    await hit.click()
    await expect(page.getByRole('combobox', { name: 'Search chats' })).toBeHidden()
    await expect(answers(page).getByText('lantern')).toBeInViewport()
    // The list stays open over a deleted chat, and its toast is reached once the list is closed.
    await page.getByRole('button', { name: 'Open chats' }).click()
    await menu(page, HARBOUR, 'Delete')
    await expect(row(page, HARBOUR)).toBeHidden()
    await expect(page).toHaveURL('/')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(page.getByRole('article', { name: 'You' })).toContainText(HARBOUR)

    await page.getByRole('button', { name: 'Open chats' }).click()
    await menu(page, HARBOUR, 'Rename')
    await page.getByRole('textbox', { name: 'Chat title' }).fill('Harbour')
    await page.keyboard.press('Enter')
    await expect(list(page).getByRole('link', { name: 'Harbour', exact: true })).toBeVisible()
    await menu(page, 'Harbour', 'Share by link')
    await expect(page.getByText('the 2 messages of this branch.')).toBeVisible()
    await inspect(page, testInfo, 'share')
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = await page.getByRole('textbox', { name: 'Link' }).inputValue()
    await page.goto(link)
    await expect(page.getByRole('article', { name: 'Answer' })).toContainText('lantern')
    await inspect(page, testInfo, 'shared')
  },
)

test(
  'a model names the chat, which is charged; an answer that ends unseen is marked',
  DESK,
  async ({ page, scripted }) => {
    await openNewChat(page)
    await page.evaluate(() => localStorage.setItem('lagoon:titles', 'model'))
    scripted.upstream.next({ text: 'Two bulges of water.', tokensPerSecond: 0 })
    scripted.upstream.next({ text: '**"Tides and the Moon."**', tokensPerSecond: 0 })
    await ask(page, 'why does the sea rise')
    await answered(page)
    await expect(row(page, 'Tides and the Moon')).toBeVisible()
    expect(scripted.upstream.requests).toHaveLength(2)
    // The title has its line in the ledger, and the lines add up.
    const foot = page.locator('.ledger').filter({ has: page.getByText('This chat', { exact: true }) })
    await expect(foot).toContainText(/Title\s*\$0\.0\d+/)
    const nano = (text: string) => Math.round(Number(/\$([\d.]+)/.exec(text)?.[1]) * 1e9)
    const [title = '', total = ''] = (await foot.innerText()).split('This chat')
    expect(nano(title) + nano(await receipts(page).innerText())).toBe(nano(total))

    // An answer that ends while its chat is not looked at.
    scripted.upstream.next({ text: 'A slow answer that ends elsewhere.', tokensPerSecond: 8 })
    await ask(page, 'And twice a day?')
    await page.getByRole('button', { name: 'New chat', exact: true }).click()
    await expect(row(page, 'Tides and the Moon')).toContainText('new answer')
    await expect(page).toHaveTitle(/^\(1\) /)
    await row(page, 'Tides and the Moon').click()
    await expect(row(page, 'Tides and the Moon')).not.toContainText('new answer')
  },
)

test(
  'a chat is shared by link: the service has ciphertext, the reader has the chat and the name of its model',
  DESK,
  async ({ page, browser, baseURL, scripted }, testInfo) => {
    scripted.upstream.next({ text: 'The **lantern** is lit at dusk.', tokensPerSecond: 0 })
    await openNewChat(page)
    await ask(page, HARBOUR)
    await answered(page)
    await menu(page, HARBOUR, 'Share by link')
    await expect(page.getByText('the 2 messages of this branch.')).toBeVisible()
    await inspect(page, testInfo, 'share')
    await page.getByRole('radio', { name: '1 hour' }).check()
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = await page.getByRole('textbox', { name: 'Link' }).inputValue()
    const [, id = '', key = ''] = /\/s\/([0-9a-f]{32})#([\w-]{43})$/.exec(link) ?? []
    expect(id).not.toBe('')

    const asked: string[] = []
    const reader = await browser.newContext({ ...(baseURL && { baseURL }) })
    const guest = await reader.newPage()
    guest.on('request', (request) => asked.push(request.url() + (request.postData() ?? '')))
    const [reply] = await Promise.all([
      guest.waitForResponse((response) => response.url().includes(`/api/shares/${id}`)),
      guest.goto(link),
    ])
    expect((await reply.body()).toString('latin1')).not.toMatch(/lantern|harbour/i)
    await expect(guest.getByRole('article', { name: 'Answer' })).toContainText('lantern')
    await expect(guest.getByRole('article', { name: 'Answer' }).getByText('Atlas Large')).toBeVisible()
    expect(asked.filter((url) => url.includes(key) && !url.includes('#'))).toEqual([])
    await inspect(guest, testInfo, 'shared')
    await guest.getByRole('button', { name: 'Continue in your own chats' }).click()
    await expect(guest).toHaveURL(/\/c\/share-/)
    await expect(answers(guest)).toContainText('lantern')

    await page.getByRole('button', { name: 'Stop sharing' }).click()
    await expect(page.getByRole('button', { name: 'Create link' })).toBeVisible()
    await guest.goto(link)
    await expect(guest.getByText('This link no longer works.')).toBeVisible()
    await reader.close()
  },
)
