import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { strToU8, zipSync } from 'fflate'
import { stallInMiddle } from '@/e2e/testing/scripted-upstream'
import { answered, answers, DESK, inspect, openNewChat } from '@/e2e/testing/ui-page'
import { askByKeys, chooseFiles, isAt, isHeld, isIn, tabTo, toComposer } from './by-keys'
import { everything } from './kept-records'
import { keepChat } from './kept-turns'
import { countReadings, expectCodeUnderItsHead, longChat } from './long-chat'
import { expect, test } from './ui-scripted'

// What is kept in the browser, by keys alone: a long chat, two tabs, a backup and its way back, a page without a connection.

const STORY = 'The sea was calm that morning, and the boats lay still. '.repeat(20)

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const questions = (page: Page) => page.getByRole('article', { name: 'You' })
const list = (page: Page) => page.getByRole('navigation', { name: 'History' })

test('a chat of 500 messages: opened, read, searched, written to', DESK, async ({ page, scripted }, testInfo) => {
  const { keyboard } = page
  await page.addInitScript(countReadings)
  await openNewChat(page)
  const chat = await keepChat(page, 'Begin', longChat())
  await page.goto(chat)
  await expect(page.getByText('Turn 499 of the long chat')).toBeInViewport()
  // The words, the gauge and the estimate share what was read.
  expect(await page.evaluate(() => window.readings)).toBe(1)
  expect(await page.locator('*').count()).toBeLessThan(2_500)
  await expectCodeUnderItsHead(page)
  await keyboard.press('ControlOrMeta+Shift+O')
  await isAt(composer(page))
  await page.evaluate(() => {
    window.readings = 0
  })
  // A pointer that rests on its name has it read before it is opened, and then not again.
  await list(page).getByRole('link', { name: 'Begin' }).hover()
  await expect.poll(() => page.evaluate(() => window.readings)).toBe(1)
  await tabTo(page, 'Begin', 'Shift+Tab')
  await keyboard.press('Enter')
  await expect(page).toHaveURL(chat)
  await expect(page.getByText('Turn 499 of the long chat')).toBeInViewport()
  expect(await page.evaluate(() => window.readings)).toBe(1)
  await isAt(list(page).getByRole('link', { name: 'Begin' }))

  // What is typed into a turn stays while it is out of sight.
  await toComposer(page)
  await keyboard.press('ArrowUp')
  const editor = page.getByRole('textbox', { name: 'Edit message' })
  await isAt(editor)
  await keyboard.type('Kept. ')
  const thread = page.getByRole('region', { name: 'Conversation' })
  await thread.evaluate((area) => area.scrollTo({ top: area.scrollHeight / 2 }))
  await expect(page.getByText('Turn 499 of the long chat')).toHaveCount(0)
  await keyboard.type('Still ')
  await expect(editor).toHaveValue(/Kept\. Still /)
  await expect(editor).toBeInViewport()
  await keyboard.press('Escape')

  // Read from turn to turn, and from end to end: what has the focus may leave the document, the keys go on.
  await toComposer(page)
  await keyboard.press('Alt+ArrowUp')
  await isAt(answers(page).last())
  await keyboard.press('Alt+ArrowUp')
  await isAt(questions(page).last())
  await expect(questions(page).last()).toContainText('Turn 498')
  await keyboard.press('Home')
  await expect(page.getByText('Turn 0 of the long chat')).toBeInViewport()
  await isHeld(page)
  await keyboard.press('End')
  await expect(page.getByText('Turn 499 of the long chat')).toBeInViewport()
  await isHeld(page)

  await tabTo(page, 'Search chats', 'Shift+Tab')
  await keyboard.type('quokka')
  await expect(page.getByRole('option', { name: /quokka smiles/ })).toHaveAttribute('aria-selected', 'true')
  await keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`${chat}\\?m=`))
  const found = answers(page).filter({ hasText: 'smiles at everybody' })
  await expect(found).toBeInViewport()
  await isAt(found)
  expect(await page.locator('*').count()).toBeLessThan(2_500)
  await inspect(page, testInfo, 'long-chat')
  await keyboard.press('Alt+ArrowUp')
  await isAt(questions(page).filter({ hasText: 'Turn 240 of' }))
  await keyboard.press('Alt+ArrowDown')
  await isAt(found)

  scripted.upstream.next({ text: 'It is still here.' })
  await toComposer(page)
  await keyboard.type('Is it the end?')
  await expect(found).toBeInViewport()
  await keyboard.press('Enter')
  await expect(answers(page).getByText('It is still here.')).toBeInViewport()
  await isAt(composer(page))
  expect(scripted.upstream.requests.at(-1)?.body.messages.at(-1)?.content).toBe('Is it the end?')
})

test('two tabs: each sees what the other did, and keeps its place', DESK, async ({ page, context, scripted }) => {
  const other = await context.newPage()
  scripted.upstream.otherwise({ text: 'The tide comes in. '.repeat(8), tokensPerSecond: 0 })
  await Promise.all([openNewChat(page), openNewChat(other)])
  await askByKeys(page, 'From the first')
  await askByKeys(other, 'From the second')
  await Promise.all([answered(page), answered(other)])
  expect(page.url()).not.toBe(other.url())
  for (const tab of [page, other]) await expect(list(tab).getByRole('link')).toHaveCount(2)

  // The second goes to the chat of the first, and drafts there while the first asks.
  await tabTo(other, 'From the first', 'Shift+Tab')
  await other.keyboard.press('Enter')
  await expect(questions(other)).toHaveText(/From the first/)
  await isAt(list(other).getByRole('link', { name: 'From the first' }))
  await toComposer(other)
  await other.keyboard.type('A draft of the second tab')
  await askByKeys(page, 'Once more')
  await expect(answers(other)).toHaveCount(2)
  await answered(other, 2)
  await isAt(composer(other))
  await expect(composer(other)).toHaveValue('A draft of the second tab')
  await other.keyboard.press('Enter')
  await expect(questions(page)).toHaveCount(3)
  await Promise.all([answered(page, 3), answered(other, 3)])
  for (const tab of [page, other]) await isAt(composer(tab))
  await page.reload()
  await answered(page, 3)
  const [one, two] = await Promise.all(
    [page, other].map((tab) => tab.getByRole('region', { name: 'Conversation' }).innerText()),
  )
  expect(one).toContain('A draft of the second tab')
  expect(two).toBe(one)
  expect(scripted.upstream.requests).toHaveLength(4)

  // A tab that opens during an answer follows it, and the answer goes on while its own tab shows another chat.
  const { promise: left, resolve: writeOn } = Promise.withResolvers<void>()
  scripted.upstream.next({ text: STORY, tokensPerSecond: 0, stall: { ...stallInMiddle(STORY), ended: left } })
  await askByKeys(page, 'Tell a story')
  const story = (tab: Page) => answers(tab).last().locator('.prose')
  await expect(story(page)).toContainText('The sea was calm')
  await other.reload()
  await expect(story(other)).toContainText('The sea was calm')
  await expect(other.getByText('Connection lost here.')).toBeHidden()
  await page.keyboard.press('ControlOrMeta+Shift+O')
  await expect(page).toHaveURL('/')
  writeOn()
  await answered(other, 4)
  await tabTo(page, 'From the first', 'Shift+Tab')
  await page.keyboard.press('Enter')
  await answered(page, 4)

  await toComposer(other)
  // The first renames the chat and takes it away while the second looks at it.
  await toComposer(page)
  await tabTo(page, 'More for From the first', 'Shift+Tab')
  await pick(page, 'Rename')
  await isAt(page.getByRole('textbox', { name: 'Chat title' }))
  await page.keyboard.type('Tides')
  await page.keyboard.press('Enter')
  await expect(list(other).getByRole('link', { name: 'Tides' })).toBeVisible()
  await isAt(list(page).getByRole('link', { name: 'Tides' }))
  await tabTo(page, 'More for Tides')
  await pick(page, 'Delete')
  await expect(list(other).getByRole('link', { name: 'Tides' })).toBeHidden()
  await isHeld(page)
  await isHeld(other)
  await tabTo(page, 'Undo')
  await page.keyboard.press('Enter')
  await expect(list(other).getByRole('link', { name: 'Tides' })).toBeVisible()
  await isHeld(page)
  await other.close()
})

test(
  'chats are saved, wiped and taken back as they were; other services’ come in',
  DESK,
  async ({ page }, testInfo) => {
    const { keyboard } = page
    await openNewChat(page)
    for (const question of ['Who keeps the harbour?', 'Name a fish.']) {
      await keyboard.press('ControlOrMeta+Shift+O')
      await expect(page.getByRole('heading', { name: 'What would you like to know?' })).toBeVisible()
      await askByKeys(page, question)
      await answered(page)
    }
    await tabTo(page, 'More for Name a fish.', 'Shift+Tab')
    await pick(page, 'Pin')
    await expect(list(page).getByRole('region', { name: 'Pinned' }).getByRole('link')).toHaveText('Name a fish.')
    await isHeld(page)
    const before = await everything(page)
    await openArchive(page)
    await expect(page.getByText('No backup yet.')).toBeVisible()
    await inspect(page, testInfo, 'history-archive')
    await tabTo(page, 'Create backup')
    const download = page.waitForEvent('download')
    await keyboard.press('Enter')
    const backup = await readFile(await (await download).path())
    await expect(page.getByText('Last backup: less than an hour ago.')).toBeVisible()
    await isIn(page.getByRole('dialog', { name: 'Import and export' }))

    await tabTo(page, 'Delete all local data')
    await keyboard.press('Enter')
    // A setting that is led to is marked at its heading.
    await expect(page.locator('#wipe')).toBeFocused()
    await tabTo(page, 'Delete all data')
    await keyboard.press('Enter')
    await isAt(page.getByRole('button', { name: 'Keep everything' }))
    await keyboard.press('Enter')
    await isAt(page.getByRole('button', { name: 'Delete all data', exact: true }))
    await keyboard.press('Enter')
    await tabTo(page, 'Delete permanently')
    await keyboard.press('Enter')
    await expect(page).toHaveURL(/\/$/)
    await expect(page.getByRole('button', { name: /^Model: (?!loading)/ })).toBeVisible()
    await toComposer(page)
    await openArchive(page)
    await expect(page.getByText('No backup yet.')).toBeVisible()
    expect((await everything(page)).conversations).toEqual([])

    const sheet = page.getByRole('dialog', { name: 'Import and export' })
    await tabTo(page, 'Choose a file')
    await chooseFiles(page, [{ name: 'backup.zip', mimeType: 'application/zip', buffer: backup }])
    await expect(sheet.getByText('2 chats imported, with 4 messages')).toBeVisible()
    await isIn(sheet)
    expect(await everything(page)).toEqual(before)
    await tabTo(page, 'Choose a file')
    await chooseFiles(page, [{ name: 'backup.zip', mimeType: 'application/zip', buffer: backup }])
    await expect(sheet.getByText('2 duplicate chats skipped')).toBeVisible()
    expect(await everything(page)).toEqual(before)

    await tabTo(page, 'Choose a file')
    await chooseFiles(page, [{ name: 'chatgpt.zip', mimeType: 'application/zip', buffer: otherService() }])
    await expect(sheet.getByText('1 chat imported, with 2 messages')).toBeVisible()
    await isIn(sheet)
    await tabTo(page, '2 files')
    await keyboard.press('Enter')
    await expect(sheet.getByText('chat.html: Contains no chats.')).toBeVisible()
    await keyboard.press('Escape')
    await expect(sheet).toBeHidden()
    await isHeld(page)
    await tabTo(page, 'Search chats')
    await keyboard.type('imported answer')
    await expect(page.getByRole('listbox', { name: 'Results in your chats' }).getByRole('option').first()).toBeVisible()
    await keyboard.press('Enter')
    await expect(answers(page)).toContainText('Imported answer')
    await expect(list(page).getByRole('link', { name: '<img src=x onerror=alert(1)>' })).toBeVisible()
    await isIn(answers(page))
  },
)

test(
  'without a connection what is sent waits, and what is written stays',
  DESK,
  async ({ page, context, scripted }) => {
    const { keyboard } = page
    scripted.upstream.next({ text: 'The quokka lives on Rottnest Island.' })
    scripted.upstream.otherwise({ text: 'A second answer.' })
    await openNewChat(page)
    await askByKeys(page, 'Where do quokkas live?')
    await answered(page)

    // What is sent meanwhile waits above the field, where it can be changed or taken out.
    await context.setOffline(true)
    await expect(page.getByText('You’re offline.', { exact: false })).toBeVisible()
    const waiting = page.getByRole('list', { name: 'Queued messages' })
    for (const question of ['Are you there?', 'Not this', 'Nor this']) await askByKeys(page, question)
    await expect(waiting.getByRole('listitem')).toHaveCount(3)
    await expect(waiting).toContainText('sends when you’re online')
    await isAt(composer(page))
    await tabTo(page, 'Remove from queue', 'Shift+Tab')
    await keyboard.press('Enter')
    await expect(waiting.getByRole('listitem')).toHaveCount(2)
    await isAt(composer(page))
    await tabTo(page, 'Edit queued message', 'Shift+Tab')
    await keyboard.press('Enter')
    await expect(composer(page)).toHaveValue('Not this')
    await isAt(composer(page))
    await context.setOffline(false)
    await answered(page, 2)
    await expect(waiting).toBeHidden()
    await expect(answers(page).last()).toContainText('A second answer.')
    expect(scripted.upstream.requests).toHaveLength(2)
    await isAt(composer(page))

    // What is written meanwhile is there when the page is loaded again, and so is the place that was found.
    await context.setOffline(true)
    await keyboard.press('ControlOrMeta+a')
    await keyboard.type('Kept while offline')
    await context.setOffline(false)
    await keyboard.press('ControlOrMeta+k')
    await isAt(page.getByRole('combobox', { name: 'Search and commands' }))
    await keyboard.type('rottnest')
    await expect(page.getByRole('option', { selected: true })).toContainText('Rottnest')
    await keyboard.press('Enter')
    await isIn(answers(page).first())
    await page.reload()
    await isIn(answers(page).first())
    await toComposer(page)
    await expect(composer(page)).toHaveValue('Kept while offline')
    await keyboard.press('Enter')
    await answered(page, 3)
    await isAt(composer(page))
  },
)

/** Opens the menu that has the focus and picks from it by the first letters of a name. */
async function pick(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Enter')
  const item = page.getByRole('menuitem', { name, exact: true })
  await expect(item).toBeVisible()
  await isAt(page.getByRole('menu').locator('[role^="menuitem"]').first())
  await page.keyboard.type(name)
  await isAt(item)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menu')).toBeHidden()
}

async function openArchive(page: Page): Promise<void> {
  await tabTo(page, 'All chats', 'Shift+Tab')
  await pick(page, 'Import and export')
  await isIn(page.getByRole('dialog', { name: 'Import and export' }))
}

/** One chat of another service, and a file that holds none. */
function otherService(): Buffer {
  const node = (id: string, parent: string, role: string, words: string) => ({
    [id]: { id, parent, message: { author: { role }, content: { content_type: 'text', parts: [words] } } },
  })
  const chat = {
    conversation_id: 'c1',
    title: '<img src=x onerror=alert(1)>',
    current_node: 'a',
    mapping: { ...node('q', '', 'user', 'Imported question'), ...node('a', 'q', 'assistant', 'Imported answer') },
  }
  return Buffer.from(zipSync({ 'conversations.json': strToU8(JSON.stringify([chat])), 'chat.html': strToU8('x') }))
}
