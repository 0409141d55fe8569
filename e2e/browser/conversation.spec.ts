import type { Page } from '@playwright/test'
import { stallInMiddle } from '@/e2e/testing/scripted-upstream'
import { answered, answers, ask, DESK, inspect, openNewChat, PHONE, receipts, takePicture } from '@/e2e/testing/ui-page'
import { everythingKept } from './kept-records'
import { expect, test } from './ui-scripted'

const STORY = 'The sea was calm that morning, and the boats lay still. '.repeat(60)

const questions = (page: Page) => page.getByRole('article', { name: 'You' })
const words = (page: Page) => answers(page).locator('.prose')
const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })

/** The menu of the last answer. */
async function openMenu(page: Page): Promise<void> {
  await answers(page).last().hover()
  await page.getByRole('button', { name: 'More for this answer' }).last().click()
}

test('a stopped answer goes on, what waits stays, and there are other answers, questions and forks', async ({
  page,
  scripted,
}, info) => {
  scripted.upstream.next({ text: STORY, tokensPerSecond: 0, stall: stallInMiddle(STORY) })
  await openNewChat(page)
  await ask(page, 'Tell a story')
  await expect(words(page)).toContainText('The sea was calm')
  await composer(page).fill('And then?')
  await composer(page).press('Enter')
  const waiting = page.getByRole('list', { name: 'Queued messages' })
  await expect(waiting).toContainText('And then?')
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(page.getByText('Stopped. You paid for the text so far.')).toBeVisible()
  await expect.poll(() => scripted.upstream.requests[0]?.wasLeft).toBe(true)
  await expect(waiting).toContainText('And then?')
  const kept = await words(page).innerText()
  await inspect(page, info, 'stopped-with-queue')
  await page.reload()
  await expect(words(page)).toHaveText(kept, { useInnerText: true })
  await expect(waiting).toContainText('And then?')

  // Continuing ends with an answer, and what waits is sent.
  scripted.upstream.next({ text: 'And so it went on.' })
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(words(page).first()).toContainText('And so it went on.')
  await expect(words(page).first()).toContainText(kept.slice(0, 40))
  await answered(page, 2)
  await expect(waiting).toBeHidden()
  await expect(page.getByText('This chat').locator('visible=true')).toBeVisible()

  scripted.upstream.next({ text: 'Another end.' })
  await page.getByRole('button', { name: 'Regenerate with another model' }).last().click()
  await page.getByRole('menuitem', { name: /Harbour Mini/ }).click()
  await expect(words(page).last()).toContainText('Another end.')
  await answered(page, 2)
  await openMenu(page)
  await expect(page.getByRole('menuitem', { name: 'View API request' })).toBeInViewport({ ratio: 1 })
  await takePicture(page, `turn-menu-${info.project.name}-light`)
  const before = page.url()
  await page.getByRole('menuitem', { name: 'This branch with alternatives' }).click()
  await expect(page).not.toHaveURL(before)
  await expect(receipts(page)).toHaveCount(0)
  await expect(page.getByRole('group', { name: 'Versions' }).filter({ hasText: '2/2' })).toBeVisible()

  await questions(page).first().hover()
  await questions(page).first().getByRole('button', { name: 'Edit message' }).click()
  await page.getByRole('textbox', { name: 'Edit message' }).fill('Name a fish.')
  await page.getByRole('button', { name: 'Send edited message' }).click()
  await expect(questions(page)).toHaveCount(1)
  await expect(questions(page)).toContainText('Name a fish.')
  await answered(page)
  await page.getByRole('button', { name: 'Earlier version' }).click()
  await expect(questions(page).first()).toContainText('Tell a story')
  await expect(questions(page)).toHaveCount(2)
})

test(
  'receipts of answers that were left, stopped, cut and whole add up to the ledger',
  DESK,
  async ({ page, scripted }) => {
    scripted.upstream.next({ text: STORY, tokensPerSecond: 0, stall: stallInMiddle(STORY) })
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

    scripted.upstream.next({ text: STORY, tokensPerSecond: 0, stall: stallInMiddle(STORY) })
    await ask(page, 'Another')
    await expect(words(page)).toHaveCount(2)
    await expect(words(page).last()).toContainText('The sea')
    await page.keyboard.press('Escape')
    await expect(receipts(page)).toHaveCount(2, { timeout: 20_000 })
    scripted.upstream.next({ text: STORY, tokensPerSecond: 200, cutAfterPieces: 20 })
    await ask(page, 'A third')
    await expect(receipts(page)).toHaveCount(3, { timeout: 20_000 })
    await expect(answers(page).last().getByRole('button', { name: 'Continue' })).toBeVisible()
    await expect(words(page).last()).toContainText('The sea was calm')
    await ask(page, 'A fourth')
    await expect(receipts(page)).toHaveCount(4, { timeout: 20_000 })
    await expect.poll(() => paid(page)).toEqual(await charged(page))
  },
)

test('a temporary chat leaves no byte behind', DESK, async ({ page, scripted }, info) => {
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

test(
  'on a phone a temporary chat is begun and said to be one, and is gone with its page',
  PHONE,
  async ({ page }, info) => {
    await openNewChat(page)
    await page.getByRole('button', { name: /^Temporary chat/ }).tap()
    await expect(page.getByRole('note')).toContainText('Temporary chat.')
    await inspect(page, info, 'temporary')
    await ask(page, 'A secret question')
    await answered(page)
    await page.reload()
    await expect(page.getByText('This temporary chat has been deleted.')).toBeVisible()
  },
)

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
  const { promise: read, resolve: readOn } = Promise.withResolvers<void>()
  scripted.upstream.next({ text: STORY.slice(0, 600), tokensPerSecond: 0 })
  scripted.upstream.next({
    text: STORY.slice(0, 600),
    tokensPerSecond: 0,
    stall: { ...stallInMiddle(STORY.slice(0, 600)), ended: read },
  })
  await ask(page, 'Tell a story')
  await expect(words(page)).toHaveCount(2)
  // One has answered and can be kept, the other is still writing.
  await expect(receipts(page)).toHaveCount(1)
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible()
  await inspect(page, info, 'comparing')
  readOn()
  await answered(page, 2)
  await expect(strip).toBeHidden()
  await page.getByRole('button', { name: 'Keep this answer: Harbour Mini' }).click()
  await expect(answers(page)).toHaveCount(1)
  await expect(page.getByRole('group', { name: 'Versions' }).filter({ hasText: '2/2' })).toBeVisible()
  await expect.poll(() => paid(page)).toEqual(await charged(page))
})

test('the settings of a chat, the request of an answer, and its follow-ups', async ({ page, scripted }, info) => {
  await openNewChat(page)
  await page.getByRole('button', { name: 'Chat settings' }).click()
  await page.getByRole('textbox', { name: 'System prompt' }).fill('Answer like a sailor.')
  await inspect(page, info, 'setup')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Chat settings, changed' })).toBeVisible()
  await ask(page, 'Ahoy?')
  await answered(page)
  expect(JSON.stringify(scripted.upstream.requests[0]?.body.messages)).toContain('Answer like a sailor.')

  await openMenu(page)
  await page.getByRole('menuitem', { name: 'View API request' }).click()
  await expect(page.getByRole('dialog', { name: 'View API request' })).toContainText('Answer like a sailor.')
  await inspect(page, info, 'request')
  await page.keyboard.press('Escape')

  scripted.upstream.next({ text: 'Here you are:\n1. Why <b>twice</b> a day?\n2. How high?' })
  await openMenu(page)
  await page.getByRole('menuitem', { name: 'Suggest follow-ups' }).click()
  const next = page.getByRole('list', { name: 'Suggested follow-ups' }).getByRole('button')
  await expect(next).toHaveText(['Why <b>twice</b> a day?', 'How high?'])
  await inspect(page, info, 'next-questions')
  await next.last().click()
  await expect(composer(page)).toHaveValue('How high?')
  await expect(composer(page)).toBeFocused()
  await page.reload()
  await expect(composer(page)).toHaveValue('How high?')
  await answered(page)
  await expect(next).toHaveCount(0)
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
