import type { Page, TestInfo } from '@playwright/test'
import { strToU8, zipSync } from 'fflate'
import { everything } from './kept-records'
import { answered, answers, ask, DESK, inspect, live, openNewChat, PHONE, receipts } from './ui-page'
import { expect, test } from './ui-scripted'

// What is kept in the browser: found, put away, saved to files, taken back, shared.

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

async function write(page: Page, ...questions: string[]): Promise<void> {
  for (const question of questions) {
    await openNewChat(page)
    await ask(page, question)
    await answered(page)
  }
}

/** Renames the chat that is open, deletes it, and brings it back. */
async function renameAndDelete(page: Page, testInfo: TestInfo, question: string): Promise<void> {
  await row(page, question).hover()
  await inspect(page, testInfo, 'sidebar')
  await menu(page, question, 'Rename')
  await page.getByRole('textbox', { name: 'Chat title' }).fill('Harbour')
  await page.keyboard.press('Enter')
  await expect(list(page).getByRole('link', { name: 'Harbour', exact: true })).toBeVisible()
  await menu(page, 'Harbour', 'Delete')
  await expect(list(page).getByRole('link', { name: 'Harbour', exact: true })).toBeHidden()
  await expect(page).toHaveURL('/')
  if (testInfo.project.name === 'phone') await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page).toHaveURL(/\/c\//)
  await expect(page.getByRole('article', { name: 'You' })).toContainText(question)
}

test(
  'chats are put away, found by their words, opened where they stand, renamed and deleted',
  DESK,
  async ({ page, scripted }, testInfo) => {
    scripted.upstream.next({ text: 'The harbour master keeps a **lantern** for foggy nights.', tokensPerSecond: 0 })
    scripted.upstream.next({ text: 'Salt, leeks and potatoes.', tokensPerSecond: 0 })
    await write(page, 'Who keeps the harbour?', 'What goes into the soup?')
    await expect(list(page).getByRole('heading', { name: 'Today' })).toBeVisible()

    await menu(page, 'What goes into the soup?', 'Move to folder', 'New folder')
    await page.getByRole('textbox', { name: 'Folder name' }).fill('Kitchen')
    await page.keyboard.press('Enter')
    await expect(list(page).getByRole('region', { name: 'Kitchen' }).getByRole('link')).toHaveText(
      'What goes into the soup?',
    )
    await menu(page, 'Who keeps the harbour?', 'Pin')
    await expect(list(page).getByRole('region', { name: 'Pinned' }).getByRole('link')).toHaveText(
      'Who keeps the harbour?',
    )
    await menu(page, 'Who keeps the harbour?', 'Tags')
    await page
      .getByRole('textbox', { name: 'New tag' })
      .or(page.getByRole('combobox', { name: 'New tag' }))
      .fill('sea')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await expect(list(page).getByRole('button', { name: 'sea' })).toBeVisible()
    await inspect(page, testInfo, 'history-list')

    await page.getByRole('combobox', { name: 'Search chats' }).fill('foggy lant')
    const hit = page.getByRole('option', { name: /lantern for foggy/ })
    await expect(hit).toBeVisible()
    await inspect(page, testInfo, 'history-search')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/c\/[\w-]+\?m=/)
    await expect(answers(page).getByText('lantern')).toBeInViewport()
    await expect(page.getByRole('combobox', { name: 'Search chats' })).toHaveValue('')

    await openAll(page, 'Select')
    await page.getByRole('checkbox', { name: 'Select What goes into the soup?' }).check()
    await page.getByRole('button', { name: 'Archive selected chats' }).click()
    await expect(row(page, 'What goes into the soup?')).toBeHidden()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(row(page, 'What goes into the soup?')).toBeVisible()
    await row(page, 'What goes into the soup?').click({ modifiers: ['ControlOrMeta'] })
    await row(page, 'Who keeps the harbour?').click({ modifiers: ['Shift'] })
    await expect(page.getByText('2 selected')).toBeVisible()
    await inspect(page, testInfo, 'history-choose')
    await page.getByRole('button', { name: 'Delete selected chats' }).click()
    await expect(
      list(page)
        .getByText('Your chats appear here', { exact: false })
        .or(list(page).getByText('No chats in this folder.')),
    ).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(row(page, 'Who keeps the harbour?')).toBeVisible()
    await row(page, 'Who keeps the harbour?').click()
    await renameAndDelete(page, testInfo, 'Who keeps the harbour?')
  },
)

test(
  'on a phone the list is a sheet: chats are pinned, chosen, found, opened, renamed and deleted in it',
  PHONE,
  async ({ page, scripted }, testInfo) => {
    scripted.upstream.next({ text: 'The harbour master keeps a **lantern** for foggy nights.', tokensPerSecond: 0 })
    await write(page, 'Who keeps the harbour?', 'What goes into the soup?')
    await page.getByRole('button', { name: 'Open chats' }).click()
    await menu(page, 'Who keeps the harbour?', 'Pin')
    await expect(list(page).getByRole('region', { name: 'Pinned' }).getByRole('link')).toHaveText(
      'Who keeps the harbour?',
    )
    await openAll(page, 'Select')
    await page.getByRole('checkbox', { name: 'Select What goes into the soup?' }).check()
    await inspect(page, testInfo, 'history-choose')
    await page.getByRole('button', { name: 'Delete selected chats' }).click()
    await expect(row(page, 'What goes into the soup?')).toBeHidden()
    await page.getByRole('button', { name: 'Undo' }).click()
    // The chat that was open is shown again, and the sheet makes room for it.
    await expect(page.getByRole('article', { name: 'You' })).toContainText('What goes into the soup?')
    await page.getByRole('button', { name: 'Open chats' }).click()
    await expect(row(page, 'What goes into the soup?')).toBeVisible()
    await openAll(page, 'Import and export')
    await expect(page.getByText('No backup yet.')).toBeVisible()
    await inspect(page, testInfo, 'history-archive')
    await page.getByRole('button', { name: 'Close', exact: true }).last().click()

    await page.getByRole('combobox', { name: 'Search chats' }).fill('foggy lant')
    const hit = page.getByRole('option', { name: /lantern for foggy/ })
    await expect(hit).toBeVisible()
    await inspect(page, testInfo, 'history-search')
    await hit.click()
    await expect(page.getByRole('combobox', { name: 'Search chats' })).toBeHidden()
    await expect(answers(page).getByText('lantern')).toBeInViewport()
    await page.getByRole('button', { name: 'Open chats' }).click()
    await renameAndDelete(page, testInfo, 'Who keeps the harbour?')
  },
)

test(
  'a model names the chat, which is charged, and another tab sees all of it',
  DESK,
  async ({ page, context, scripted }) => {
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

    const other = await context.newPage()
    await other.goto('/')
    await expect(row(other, 'Tides and the Moon')).toBeVisible()
    await menu(other, 'Tides and the Moon', 'Rename')
    await other.getByRole('textbox', { name: 'Chat title' }).fill('Tides')
    await other.keyboard.press('Enter')
    await expect(row(page, 'Tides')).toHaveText('Tides')
    await other.close()

    // An answer that ends while its chat is not looked at.
    scripted.upstream.next({ text: 'A slow answer that ends elsewhere.', tokensPerSecond: 8 })
    await ask(page, 'And twice a day?')
    await page.getByRole('button', { name: 'New chat', exact: true }).click()
    await expect(row(page, 'Tides')).toContainText('new answer')
    await expect(page).toHaveTitle(/^\(1\) /)
    await row(page, 'Tides').click()
    await expect(row(page, 'Tides')).not.toContainText('new answer')
  },
)

test(
  'everything is saved, wiped and taken back as it was; other services’ chats come in',
  DESK,
  async ({ page }, testInfo) => {
    await write(page, 'Who keeps the harbour?', 'Name a fish.')
    await menu(page, 'Name a fish.', 'Pin')
    const before = await everything(page)
    await openAll(page, 'Import and export')
    await expect(page.getByText('No backup yet.')).toBeVisible()
    await inspect(page, testInfo, 'history-archive')
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Create backup' }).click(),
    ])
    const file = await saved.path()
    await expect(page.getByText('Last backup: less than an hour ago.')).toBeVisible()

    // The sheet leads to the one place where everything is deleted.
    await page.getByRole('link', { name: 'Delete all local data' }).click()
    await expect(page.locator('#wipe')).toBeFocused()
    await page.getByRole('button', { name: 'Delete all data', exact: true }).click()
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await expect(page).toHaveURL(/\/$/)
    await live(page)
    await openAll(page, 'Import and export')
    await expect(page.getByText('No backup yet.')).toBeVisible()
    expect((await everything(page)).conversations).toEqual([])

    const input = page.getByLabel('File to import')
    await input.setInputFiles({
      name: 'backup.zip',
      mimeType: 'application/zip',
      buffer: await import('node:fs').then((fs) => fs.readFileSync(file)),
    })
    await expect(page.getByText('2 chats imported, with 4 messages')).toBeVisible()
    expect(await everything(page)).toEqual(before)
    await input.setInputFiles(file)
    await expect(page.getByText('2 duplicate chats skipped')).toBeVisible()
    expect(await everything(page)).toEqual(before)

    const node = (id: string, parent: string, role: string, words: string) => ({
      [id]: { id, parent, message: { author: { role }, content: { content_type: 'text', parts: [words] } } },
    })
    const chat = {
      conversation_id: 'c1',
      title: '<img src=x onerror=alert(1)>',
      current_node: 'a',
      mapping: { ...node('q', '', 'user', 'Imported question'), ...node('a', 'q', 'assistant', 'Imported answer') },
    }
    const zip = zipSync({ 'conversations.json': strToU8(JSON.stringify([chat])), 'chat.html': strToU8('x') })
    await input.setInputFiles({ name: 'chatgpt.zip', mimeType: 'application/zip', buffer: Buffer.from(zip) })
    await expect(page.getByText('1 chat imported, with 2 messages')).toBeVisible()
    await page.getByText('2 files').click()
    await expect(page.getByText('chat.html: Contains no chats.')).toBeVisible()
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByRole('combobox', { name: 'Search chats' }).fill('imported answer')
    await page.getByRole('listbox', { name: 'Results in your chats' }).getByRole('option').first().click()
    await expect(answers(page)).toContainText('Imported answer')
    await expect(row(page, '<img src=x onerror=alert(1)>')).toBeVisible()
  },
)

test('a chat is shared by link: the service has ciphertext, the reader has the chat and the name of its model', async ({
  page,
  browser,
  baseURL,
  scripted,
}, testInfo) => {
  scripted.upstream.next({ text: 'The **lantern** is lit at dusk.', tokensPerSecond: 0 })
  await openNewChat(page)
  await ask(page, 'Who keeps the harbour?')
  await answered(page)
  if (testInfo.project.name === 'phone') await page.getByRole('button', { name: 'Open chats' }).click()
  await menu(page, 'Who keeps the harbour?', 'Share by link')
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
  await guest.goto('/')
  await guest.goto(link)
  await expect(guest.getByText('This link no longer works.')).toBeVisible()
  await reader.close()
})
