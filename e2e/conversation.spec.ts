import type { Page } from '@playwright/test'
import { tabTo } from './by-keys'
import { everythingKept } from './kept-records'
import { stallInMiddle } from './scripted-upstream'
import { answered, answers, ask, DESK, inspect, openNewChat, receipts, takePicture } from './ui-page'
import { expect, test } from './ui-scripted'

const STORY = 'The sea was calm that morning, and the boats lay still. '.repeat(60)

const questions = (page: Page) => page.getByRole('article', { name: 'You' })
const words = (page: Page) => answers(page).locator('.prose')
const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })

/** The menu of the last turn of a kind. */
async function openMenu(page: Page, name: 'More for this answer' | 'More for this message'): Promise<void> {
  await (name === 'More for this answer' ? answers(page) : questions(page)).last().hover()
  await page.getByRole('button', { name }).last().click()
}

/** Opens the editor of the first question. */
async function edit(page: Page): Promise<void> {
  await questions(page).first().hover()
  await questions(page).first().getByRole('button', { name: 'Edit message' }).click()
}

test('stop, go on, answer again, ask differently, and fork: every version stays', async ({ page, scripted }, info) => {
  scripted.upstream.next({ text: STORY, tokensPerSecond: 60 })
  await openNewChat(page)
  await ask(page, 'Tell a story')
  await expect(words(page)).toContainText('The sea was calm')
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(page.getByText('Stopped. You paid for the text so far.')).toBeVisible()
  await expect.poll(() => scripted.upstream.requests[0]?.wasLeft).toBe(true)
  const kept = await words(page).innerText()
  await inspect(page, info, 'stopped')
  await page.reload()
  await expect(words(page)).toHaveText(kept, { useInnerText: true })
  scripted.upstream.next({ text: 'And so it went on.' })
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(words(page)).toContainText('And so it went on.')
  await expect(words(page)).toContainText(kept.slice(0, 40))
  await answered(page)

  scripted.upstream.next({ text: 'Another story.' })
  await page.getByRole('button', { name: 'Regenerate with another model' }).click()
  await page.getByRole('menuitem', { name: /Harbour Mini/ }).click()
  await expect(words(page)).toContainText('Another story.')
  await answered(page)
  expect(scripted.upstream.requests.at(-1)?.body.model).toBe('mini')
  await ask(page, 'And then?')
  await answered(page, 2)
  await expect(page.getByText('This chat').locator('visible=true')).toBeVisible()

  // The keys go through the versions, and what was said under one is back with it. A reload shows the same version.
  const versions = page.getByRole('group', { name: 'Versions' })
  await page.getByRole('region', { name: 'Conversation' }).focus()
  await page.keyboard.press('Alt+ArrowLeft')
  await expect(answers(page)).toHaveCount(1)
  await expect(words(page)).toContainText('And so it went on.')
  await expect(versions.filter({ hasText: '1/2' })).toBeVisible()
  await page.reload()
  await expect(versions.filter({ hasText: '1/2' })).toBeVisible()
  await page.getByRole('region', { name: 'Conversation' }).focus()
  await page.keyboard.press('Alt+ArrowRight')
  await expect(questions(page)).toHaveCount(2)

  await openMenu(page, 'More for this answer')
  await expect(page.getByRole('menuitem', { name: 'View API request' })).toBeInViewport({ ratio: 1 })
  await takePicture(page, `turn-menu-${info.project.name}-light`)
  const before = page.url()
  await page.getByRole('menuitem', { name: 'This branch with alternatives' }).click()
  await expect(page).not.toHaveURL(before)
  await expect(questions(page)).toHaveCount(2)
  await expect(versions.filter({ hasText: '2/2' })).toBeVisible()
  await expect(receipts(page)).toHaveCount(0)

  await openMenu(page, 'More for this message')
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(questions(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(questions(page)).toHaveCount(2)

  // The first question is asked differently, twice: typing begins at its end.
  await edit(page)
  await page.keyboard.type(' Use plain words.')
  await page.keyboard.press('Enter')
  await expect(questions(page)).toHaveCount(1)
  await expect(questions(page)).toContainText('Tell a story Use plain words.')
  await answered(page)
  await edit(page)
  await page.getByRole('textbox', { name: 'Edit message' }).fill('Name a fish.')
  await page.getByRole('button', { name: 'Send edited message' }).click()
  await expect(questions(page)).toContainText('Name a fish.')
  // The answer to the first version may still be on screen with its receipt.
  const asked = () => scripted.upstream.requests.at(-1)?.body.messages.filter(({ role }) => role !== 'system')
  await expect.poll(asked).toEqual([{ role: 'user', content: 'Name a fish.' }])
  await answered(page)
  await page.getByRole('button', { name: 'Earlier version' }).click()
  await expect(questions(page)).toContainText('Tell a story Use plain words.')
  await page.getByRole('button', { name: 'Earlier version' }).first().click()
  await expect(questions(page).first()).toHaveText(/Tell a story(?! Use)/)
})

test(
  'a reload in the middle keeps the words, and "Continue" finishes them; receipts add up to the ledger',
  DESK,
  async ({ page, scripted }, info) => {
    scripted.upstream.next({ text: STORY, tokensPerSecond: 200, stall: stallInMiddle(STORY) })
    await openNewChat(page)
    await ask(page, 'Tell a story')
    await expect.poll(async () => (await words(page).innerText()).length).toBeGreaterThan(STORY.length * 0.4)
    // What is written is saved every 400 ms.
    await page.waitForTimeout(500)
    await page.reload()
    await expect(page.getByText('Stopped when the page was closed or reloaded.')).toBeVisible()
    await expect(words(page)).toContainText('the boats lay still')
    expect((await words(page).innerText()).length).toBeGreaterThan(STORY.length * 0.3)
    await expect(receipts(page)).toHaveCount(1, { timeout: 20_000 })
    scripted.upstream.next({ text: 'The end.' })
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(words(page)).toContainText('The end.')
    await answered(page)

    // One that is stopped at once, one that breaks off, one that is full, one that ends well.
    scripted.upstream.next({ text: STORY, tokensPerSecond: 40 })
    await ask(page, 'Another')
    await expect(words(page)).toHaveCount(2)
    await expect(words(page).last()).toContainText('The sea')
    await page.keyboard.press('Escape')
    await expect(receipts(page)).toHaveCount(2, { timeout: 20_000 })
    scripted.upstream.next({ text: STORY, tokensPerSecond: 100, cutAfterPieces: 20 })
    await ask(page, 'A third')
    await expect(receipts(page)).toHaveCount(3, { timeout: 20_000 })
    await expect(answers(page).last().getByRole('button', { name: 'Continue' })).toBeVisible()
    await expect(words(page).last()).toContainText('The sea was calm')
    await inspect(page, info, 'broken-off')
    await ask(page, 'A fourth')
    await expect(receipts(page)).toHaveCount(4, { timeout: 20_000 })
    await expect.poll(() => paid(page)).toEqual(await charged(page))
  },
)

test('questions wait while an answer is written, and survive a reload', async ({ page, scripted }, info) => {
  scripted.upstream.next({ text: STORY, tokensPerSecond: 150 })
  await openNewChat(page)
  await ask(page, 'First')
  await expect(words(page)).toContainText('The sea')
  await composer(page).fill('Second')
  await composer(page).press('Enter')
  const waiting = page.getByRole('list', { name: 'Queued messages' })
  await expect(waiting).toContainText('Second')
  await inspect(page, info, 'queue')
  await answered(page, 2)
  await expect(waiting).toBeHidden()
  await expect(questions(page).last()).toContainText('Second')

  scripted.upstream.next({ text: STORY, tokensPerSecond: 40 })
  await ask(page, 'Third')
  await expect(words(page)).toHaveCount(3)
  await composer(page).fill('Fourth')
  await composer(page).press('Enter')
  await expect(waiting).toContainText('Fourth')
  // After a stop it waits, also over a reload.
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(waiting).toContainText('Fourth')
  await page.reload()
  await expect(waiting).toContainText('Fourth')
  await page.getByRole('button', { name: 'Stop the answer and send now' }).click()
  await expect(questions(page).last()).toContainText('Fourth')
  await expect(waiting).toBeHidden()
})

test('a temporary chat leaves no byte behind', async ({ page, scripted }, info) => {
  await openNewChat(page)
  await ask(page, 'A kept one')
  await answered(page)
  await page.getByRole('button', { name: 'New chat' }).locator('visible=true').first().click()
  await expect(page).toHaveURL('/')
  // What the page writes by itself, it has written.
  await page.waitForTimeout(1_000)
  const before = await everythingKept(page)
  await page.keyboard.press('ControlOrMeta+Shift+Quote')
  await expect(page.getByRole('note')).toContainText('Temporary chat.')
  await inspect(page, info, 'temporary')
  scripted.upstream.next({ reasoning: 'Hm.', text: 'A secret answer.' })
  await ask(page, 'A secret question')
  await expect(words(page)).toContainText('A secret answer.')
  await answered(page)
  await composer(page).fill('A secret draft')
  await page.waitForTimeout(1_000)
  expect(await everythingKept(page)).toEqual(before)
  expect(page.url()).toContain('/c/temporary-')

  await page.reload()
  await expect(page.getByText('This temporary chat has been deleted.')).toBeVisible()
  expect(await everythingKept(page)).toEqual(before)
  await inspect(page, info, 'temporary-gone')
})

test('two models answer one question beside each other, and one is kept', async ({ page, scripted }, info) => {
  await openNewChat(page)
  if (info.project.name === 'phone') {
    await page.getByRole('button', { name: 'Add to this message' }).click()
    await page.getByRole('button', { name: /^Second model/ }).click()
  } else await page.getByRole('button', { name: 'Compare with another model' }).click()
  await page.getByRole('option', { name: /Harbour Mini/ }).click()
  const strip = page.getByRole('region', { name: 'Two models' })
  await expect(strip).toContainText('Atlas Large')
  await expect(strip).toContainText('$0.08')
  scripted.upstream.otherwise({ text: STORY, tokensPerSecond: 150 })
  await ask(page, 'Tell a story')
  await expect(words(page)).toHaveCount(2)
  await inspect(page, info, 'comparing')
  await answered(page, 2)
  await expect(strip).toBeHidden()
  await inspect(page, info, 'compared')
  await page.getByRole('button', { name: 'Keep this answer: Harbour Mini' }).click()
  await expect(answers(page)).toHaveCount(1)
  await expect(page.getByRole('group', { name: 'Versions' }).filter({ hasText: '2/2' })).toBeVisible()
  await expect.poll(() => paid(page)).toEqual(await charged(page))
})

test('a chat has its own setup; each answer shows its request, and suggests follow-ups that a click writes', async ({
  page,
  scripted,
}, info) => {
  await openNewChat(page)
  await page.getByRole('button', { name: 'Chat settings' }).click()
  await page.getByRole('textbox', { name: 'System prompt' }).fill('Answer like a sailor.')
  await page.getByRole('textbox', { name: 'Temperature' }).fill('0.3')
  await inspect(page, info, 'setup')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Chat settings, changed' })).toBeVisible()
  await ask(page, 'Ahoy?')
  await answered(page)
  const { body } = scripted.upstream.requests[0]!
  expect(body.temperature).toBe(0.3)
  expect(JSON.stringify(body.messages)).toContain('Answer like a sailor.')
  await page.reload()
  await expect(page.getByRole('button', { name: 'Chat settings, changed' })).toBeVisible()

  await openMenu(page, 'More for this answer')
  await page.getByRole('menuitem', { name: 'View API request' }).click()
  const sheet = page.getByRole('dialog', { name: 'View API request' })
  await expect(sheet).toContainText('Answer like a sailor.')
  await expect(sheet).toContainText('"temperature": 0.3')
  await sheet.getByRole('tab', { name: 'Python' }).click()
  await expect(sheet).toContainText('temperature=0.3')
  await inspect(page, info, 'request')

  // Follow-ups are suggested once from the menu, or under each answer.
  scripted.upstream.next({ text: 'Here you are:\n1. Why <b>twice</b> a day?\n2. How high?' })
  await page.keyboard.press('Escape')
  await openMenu(page, 'More for this answer')
  await page.getByRole('menuitem', { name: 'Suggest follow-ups' }).click()
  const next = page.getByRole('list', { name: 'Suggested follow-ups' }).getByRole('button')
  await expect(next).toHaveText(['Why <b>twice</b> a day?', 'How high?'])
  await inspect(page, info, 'next-questions')
  await next.last().click()
  await expect(composer(page)).toHaveValue('How high?')
  await expect(composer(page)).toBeFocused()
  expect(scripted.upstream.requests).toHaveLength(2)

  await page.goto('/settings/models')
  await page.getByRole('group', { name: 'Follow-up suggestions' }).getByText('On', { exact: true }).click()
  await page.goBack()
  await expect(composer(page)).toHaveValue('How high?')
  await expect(next).toHaveCount(0)
  scripted.upstream.next({ text: 'Twelve metres.' })
  scripted.upstream.next({ text: 'Where?\nWhen?' })
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(next).toHaveText(['Where?', 'When?'])
  expect(scripted.upstream.requests).toHaveLength(4)
})

test('a conversation by keyboard alone', DESK, async ({ page, scripted }) => {
  scripted.upstream.next({ text: STORY, tokensPerSecond: 40 })
  await openNewChat(page)
  await expect(composer(page)).toBeFocused()
  // The first stop of the page leads past the others, and Escape back to the message.
  await tabTo(page, 'Skip to chat', 'Shift+Tab')
  await page.keyboard.press('Escape')
  await expect(composer(page)).toBeFocused()

  await page.keyboard.type('Tell a story')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('about the sea.')
  await expect(composer(page)).toHaveValue('Tell a story\nabout the sea.')
  await page.keyboard.press('Enter')
  await expect(words(page)).toContainText('The sea was calm')
  await page.keyboard.press('Escape')
  await expect(page.getByText('Stopped. You paid for the text so far.')).toBeVisible()

  await page.getByRole('region', { name: 'Conversation' }).focus()
  await page.keyboard.press('l')
  await expect(page.locator('html')).toHaveAttribute('data-ledger', 'hidden')
  await page.keyboard.press('l')
  await page.keyboard.press('ControlOrMeta+b')
  await expect(page.getByRole('button', { name: 'Open sidebar (Ctrl B)' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+b')
  await page.keyboard.press('ControlOrMeta+Shift+O')
  await expect(page).toHaveURL('/')
  await expect(composer(page)).toBeFocused()

  await page.keyboard.type('Name a fish.')
  await page.keyboard.press('Enter')
  await answered(page)
  scripted.upstream.next({ text: 'A herring.' })
  await page.getByRole('region', { name: 'Conversation' }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await expect(answers(page)).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Copy answer' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(words(page)).toContainText('A herring.')
  await answered(page)
  await answers(page).focus()
  await page.keyboard.press('Alt+ArrowLeft')
  await expect(page.getByRole('group', { name: 'Versions' }).filter({ hasText: '1/2' })).toBeVisible()
  await page.keyboard.press('Alt+ArrowRight')
  await expect(page.getByRole('group', { name: 'Versions' }).filter({ hasText: '2/2' })).toBeVisible()
})

/** What all receipts of this browser add up to, in nano-dollars. */
function paid(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('lagoon')
      opening.onsuccess = () => resolve(opening.result)
      opening.onerror = () => reject(opening.error)
    })
    const all = database.transaction('receipts').objectStore('receipts').getAll()
    const receipts = await new Promise<{ cost?: bigint }[]>((resolve) => {
      all.onsuccess = () => resolve(all.result)
    })
    database.close()
    return String(receipts.reduce((sum, { cost = 0n }) => sum + cost, 0n))
  })
}

/** What the service charged this browser's account, in nano-dollars, by its own books. */
function charged(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const csv = await (await fetch('/api/wallet/transactions.csv')).text()
    const [head = '', ...rows] = csv.trim().split('\r\n')
    const at = (name: string) => head.split(',').indexOf(name)
    const charges = rows.map((row) => row.split(',')).filter((row) => row[at('type')] === 'CHARGE')
    const nano = charges.map((row) => BigInt((row[at('amount_usd')] ?? '').replace('-', '').replace('.', '')))
    return String(nano.reduce((sum, one) => sum + one, 0n))
  })
}
