import type { Page, TestInfo } from '@playwright/test'
import { tabTo } from './by-keys'
import { keepTurns } from './kept-turns'
import { RETIRES_ON } from './scripted-server'
import { answered, answers, ask, DESK, inspect, openNewChat, receipts } from './ui-page'
import { expect, test } from './ui-scripted'

// Ways through the whole app that belong to no one part of it.

const CITED =
  'High water is at 07:42 [REF]0[/REF], and the harbour master [REF]1[/REF][REF]0[/REF] says so. A third [REF]9[/REF] does not.'

const STORY = 'The sea was calm that morning, and the boats lay still. '.repeat(160)

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const questions = (page: Page) => page.getByRole('article', { name: 'You' })
const isPhone = ({ project }: TestInfo) => project.name === 'phone'

test('the web is searched, and no mark of a source is ever seen as it is written', async ({
  page,
  scripted,
}, testInfo) => {
  await openNewChat(page)
  await searchAlways(page, testInfo)
  await page.evaluate(watchForMarks)
  scripted.upstream.next({ text: `${CITED} ${'And so on it goes, tide after tide. '.repeat(4)}`, tokensPerSecond: 12 })
  await ask(page, 'When is high water at Saint Malo?')
  const answer = answers(page)
  await expect(answer.getByText('Searched the web: 2 sources')).toBeVisible()
  const chips = answer.locator('.prose').getByRole('button', { name: /^Source \d: / })
  await expect(chips).toHaveCount(3)
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible()
  await inspect(page, testInfo, 'web-streaming')
  await answered(page)
  expect(await page.evaluate(seenMarks)).toEqual([])
  await expect(chips).toHaveCount(3)
  await expect(answer.locator('.prose')).toContainText('A third does not.')
  expect(scripted.site.visits).toContain('/search')
  const told = JSON.stringify(scripted.upstream.requests[0]?.body.messages)
  expect(told).toContain('channel 12')

  if (!isPhone(testInfo)) {
    await chips.first().hover()
    await expect(page.getByRole('dialog', { name: 'Source 1' })).toBeVisible()
  }
  await chips.first().click()
  const panel = page.getByRole('dialog', { name: 'Sources' })
  await expect(panel.getByRole('link')).toHaveCount(2)
  await expect(panel.getByRole('link', { name: /Tides of/ })).toHaveAttribute('href', `${scripted.site.origin}/tides`)
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()
  await receipts(page).click()
  const receipt = page.getByRole('dialog', { name: 'Receipt' })
  await expect(receipt).toContainText(/Web search\s*2 sources/)
  // A cent for what was found, and what the words cost.
  await expect(receipt).toContainText(/Paid\s*\$0\.010\d+/)
  await inspect(page, testInfo, 'web-receipt')
})

test('a model that will be retired says when, and another is a step away; so it is when one is full', async ({
  page,
  scripted,
}, testInfo) => {
  await openNewChat(page)
  await page.getByRole('button', { name: /^Model: / }).click()
  const picker = page.getByRole('dialog', { name: 'Choose a model' })
  await picker.getByRole('combobox', { name: 'Search models' }).fill('classic')
  await expect(picker.getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Model: Keel Classic' })).toBeVisible()
  await ask(page, 'How long will you be here?')
  await answered(page)
  const answer = answers(page)
  await expect(answer).toContainText(`keel-classic will be retired on ${RETIRES_ON}; use harbour-mini instead`)
  await inspect(page, testInfo, 'model-retiring')
  await page.reload()
  await expect(answer).toContainText(`will be retired on ${RETIRES_ON}`)

  scripted.upstream.otherwise({ error: { status: 503, message: 'Loading' } })
  await ask(page, 'And now?')
  await expect(answers(page).last()).toContainText('This model is not available right now.')
  scripted.upstream.otherwise({ text: 'I have room.' })
  await page.getByRole('button', { name: 'Switch model', exact: true }).click()
  await page.getByRole('menuitem', { name: /Harbour Mini/ }).click()
  await expect(answers(page).last()).toContainText('I have room.')
  await answered(page, 2)
  expect(scripted.upstream.requests.at(-1)?.body.model).toBe('mini')

  await answers(page).first().getByRole('button', { name: 'Select another model' }).click()
  await picker.getByRole('combobox', { name: 'Search models' }).fill('atlas')
  await expect(picker.getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Model: Atlas Large' })).toBeVisible()
})

test('five hundred messages: opened, searched, read where the words stand, and written to', async ({
  page,
  scripted,
}, testInfo) => {
  await page.addInitScript(countReadings)
  await openNewChat(page)
  await ask(page, 'Begin')
  await answered(page)
  const chat = page.url()
  await keepTurns(
    page,
    Array.from({ length: 500 }, (_, at) => ({
      role: at % 2 ? ('assistant' as const) : ('user' as const),
      text: at === 241 ? 'The **quokka** smiles at everybody.' : `Turn ${at} of the long chat\n\n- one\n- two`,
    })),
  )
  await expect(page.getByText('Turn 499 of the long chat')).toBeInViewport()
  // The words, the gauge and the estimate share what was read.
  expect(await page.evaluate(() => window.readings)).toBe(1)
  await page.goto('/')
  if (isPhone(testInfo)) await page.getByRole('button', { name: 'Open chats' }).click()
  else {
    const name = page.locator(`a[href="${new URL(chat).pathname}"]`)
    await name.hover()
    // A pointer that rests on its name has it read before the click, and then not again.
    await expect.poll(() => page.evaluate(() => window.readings)).toBe(1)
    await name.click()
    await expect(page.getByText('Turn 499 of the long chat')).toBeInViewport()
    expect(await page.evaluate(() => window.readings)).toBe(1)
  }
  await page.getByRole('combobox', { name: 'Search chats' }).fill('quokka')
  await page.getByRole('option', { name: /quokka smiles/ }).click()
  await expect(page).toHaveURL(new RegExp(`^${chat}\\?m=`))
  const found = answers(page).getByText('smiles at everybody')
  await expect(found).toBeInViewport()
  expect(await page.locator('*').count()).toBeLessThan(2_500)
  await inspect(page, testInfo, 'long-chat')

  scripted.upstream.next({ text: 'It is still here.' })
  await composer(page).pressSequentially('Is it the end?')
  await expect(found).toBeInViewport()
  await composer(page).press('Enter')
  await expect(answers(page).getByText('It is still here.')).toBeInViewport()
  expect(scripted.upstream.requests.at(-1)?.body.messages.at(-1)?.content).toBe('Is it the end?')
})

test(
  'two tabs write in different chats, and in the same one, and each sees what the other did',
  DESK,
  async ({ page, context, scripted }) => {
    const other = await context.newPage()
    scripted.upstream.otherwise({ text: 'The tide comes in. '.repeat(8), tokensPerSecond: 30 })
    await Promise.all([openNewChat(page), openNewChat(other)])
    await Promise.all([ask(page, 'From the first'), ask(other, 'From the second')])
    await Promise.all([answered(page), answered(other)])
    expect(page.url()).not.toBe(other.url())
    for (const tab of [page, other]) {
      await expect(tab.getByRole('navigation', { name: 'History' }).getByRole('link')).toHaveCount(2)
    }

    await other.goto(page.url())
    await expect(questions(other)).toHaveText(/From the first/)
    await composer(other).fill('A draft of the second tab')
    await ask(page, 'Once more')
    await expect(answers(other)).toHaveCount(2)
    await answered(other, 2)
    await expect(composer(other)).toHaveValue('A draft of the second tab')
    await other.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(questions(page)).toHaveCount(3)
    await Promise.all([answered(page, 3), answered(other, 3)])
    for (const tab of [page, other]) {
      await tab.reload()
      await expect(questions(tab)).toHaveCount(3)
      await answered(tab, 3)
    }
    const [one, two] = await Promise.all(
      [page, other].map((tab) => tab.getByRole('region', { name: 'Conversation' }).innerText()),
    )
    expect(one).toContain('A draft of the second tab')
    expect(two).toBe(one)
    expect(scripted.upstream.requests).toHaveLength(4)
    await other.close()
  },
)

test(
  'who scrolls up stays there, who is at the end stays at it; a shared chat names the model that answered',
  DESK,
  async ({ page, scripted }, testInfo) => {
    scripted.upstream.next({ text: STORY, tokensPerSecond: 250 })
    await openNewChat(page)
    await ask(page, 'Tell a story')
    const area = page.getByRole('region', { name: 'Conversation' })
    const fromEnd = () => area.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
    const jump = page.getByRole('button', { name: 'Jump to latest' })
    // While words come, a reader who scrolls up stays where he reads, and is taken back by a button.
    await expect.poll(() => area.evaluate((box) => box.scrollHeight - box.clientHeight)).toBeGreaterThan(400)
    await area.hover()
    await page.mouse.wheel(0, -350)
    await expect(jump).toBeVisible()
    const top = await area.evaluate((box) => box.scrollTop)
    await page.waitForTimeout(600)
    expect(await area.evaluate((box) => box.scrollTop)).toBe(top)
    const newLines = async () => Number(/(\d+) new lines/.exec((await jump.textContent()) ?? '')?.[1] ?? 0)
    await expect.poll(newLines).toBeGreaterThan(1)
    const counted = await newLines()
    await expect.poll(newLines).toBeGreaterThan(counted)
    await jump.click()
    await expect.poll(fromEnd).toBeLessThan(2)
    await answered(page)
    await expect.poll(fromEnd).toBeLessThan(2)
    // A wheel that moves nothing is no leaving.
    await area.evaluate((box) => box.dispatchEvent(new WheelEvent('wheel', { deltaY: -20 })))
    await page.setViewportSize({ width: 1280, height: 420 })
    await expect.poll(fromEnd).toBeLessThan(2)
    await expect(jump).toBeHidden()
    // Somebody who reads a little above the end is shown the way back once the end is far.
    await page.setViewportSize({ width: 1280, height: 800 })
    await area.hover()
    await page.mouse.wheel(0, -120)
    await expect.poll(fromEnd).toBeGreaterThan(100)
    await expect(jump).toBeHidden()
    await page.setViewportSize({ width: 1280, height: 520 })
    await expect(jump).toBeVisible()
    await page.setViewportSize({ width: 1280, height: 800 })
    await jump.click()
    await expect(jump).toBeHidden()

    await page.getByRole('navigation', { name: 'History' }).getByRole('link', { name: 'Tell a story' }).hover()
    await page.getByRole('button', { name: 'More for Tell a story' }).click()
    await page.getByRole('menuitem', { name: 'Share by link' }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.goto(await page.getByRole('textbox', { name: 'Link' }).inputValue())
    await expect(page.getByRole('article', { name: 'Answer' }).first().getByText('Atlas Large')).toBeVisible()
    await inspect(page, testInfo, 'shared-names')
  },
)

test('from the first visit to a kept, found and shared chat without a mouse', DESK, async ({ page, scripted }) => {
  scripted.upstream.next({ text: 'A **lantern**, at dusk.' })
  await openNewChat(page)
  await page.keyboard.press('Escape')
  await expect(composer(page)).toBeFocused()
  await page.keyboard.type('What does the harbour master light?')
  await page.keyboard.press('Enter')
  await answered(page)
  await page.getByRole('region', { name: 'Conversation' }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await expect(answers(page)).toBeFocused()
  await tabTo(page, 'Receipt')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Receipt' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(receipts(page)).toBeFocused()

  await page.keyboard.press('ControlOrMeta+Shift+O')
  await expect(page).toHaveURL('/')
  await expect(composer(page)).toBeFocused()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox', { name: 'Search and commands' })).toBeFocused()
  await page.keyboard.type('lantern')
  await expect(page.getByRole('option', { name: /lantern/ }).first()).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(answers(page)).toContainText('lantern')
  await page.keyboard.press('ControlOrMeta+Period')
  await expect(page).toHaveURL(/\/settings/)
  await page.goBack()
  await expect(answers(page)).toContainText('lantern')

  const more = page.getByRole('button', { name: 'More for this answer' })
  await more.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: /^Share/ }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: /Share/ })).toBeVisible()
  await tabTo(page, 'Create link')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Link' })).toHaveValue(/\/s\/[0-9a-f]{32}#/)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
})

/** Every question of this chat is looked up. */
async function searchAlways(page: Page, testInfo: TestInfo): Promise<void> {
  await page.getByRole('button', { name: isPhone(testInfo) ? 'Add to this message' : 'Sources', exact: true }).click()
  await page.getByRole('radio', { name: /^On\b/ }).check()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
}

type Watched = Window & { seenMarks?: string[] }

/** Looks at the words of the page at each change of them. Runs in the page. */
function watchForMarks(): void {
  const seen: string[] = []
  ;(window as Watched).seenMarks = seen
  new MutationObserver(() => {
    const words = document.querySelector('main')?.textContent ?? ''
    const mark = /.{0,10}\[\/?R.{0,6}/i.exec(words)
    if (mark) seen.push(mark[0])
  }).observe(document.body, { childList: true, characterData: true, subtree: true })
}

const seenMarks = () => (window as Watched).seenMarks

declare global {
  interface Window {
    readings: number
  }
}

/** Runs in the page: counts how often the words of a whole chat are read. */
function countReadings(): void {
  window.readings = 0
  const { getAll } = IDBIndex.prototype
  IDBIndex.prototype.getAll = function (this: IDBIndex, ...given: Parameters<typeof getAll>) {
    if (this.objectStore.name === 'parts') window.readings += 1
    return getAll.apply(this, given)
  }
}
