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

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'atlas-large' }
const chunk = (fields: object) => `data: ${JSON.stringify({ ...HEAD, ...fields })}\n\n`
/** A stream of the service whose web search failed. */
const FAILED_SEARCH = [
  chunk({ choices: [], service_parameters: { web_search_citations: [], web_search_status: 'failed' } }),
  chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Porto.' }, finish_reason: null }] }),
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  chunk({
    choices: [],
    usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    cost: { usd: 0.000002 },
    service_parameters: { web_search_status: 'failed' },
  }),
  'data: [DONE]\n\n',
].join('')

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const questions = (page: Page) => page.getByRole('article', { name: 'You' })
const isPhone = ({ project }: TestInfo) => project.name === 'phone'

test('the web is searched, no mark of a source is ever seen as it is written, and a failed search is said', async ({
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
  await page.keyboard.press('Escape')
  await expect(receipt).toBeHidden()

  // A search that fails is said with the answer, also after a reload.
  await page.route('**/api/v1/chat/completions', (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: FAILED_SEARCH }),
  )
  await ask(page, 'What is the capital of Portugal?')
  const failed = page.getByText('Web search failed. This answer does not use the web.')
  await expect(failed).toBeVisible()
  await answered(page, 2)
  if (!isPhone(testInfo))
    await expect(page.getByRole('button', { name: /Sources: on.*The last web search failed/ })).toBeVisible()
  await inspect(page, testInfo, 'search-failed')
  await page.reload()
  await expect(failed).toBeVisible()
  await expect(receipts(page)).toHaveCount(2)
})

test('a model that will be retired says when; one that is full says when to try again; another is a step away', async ({
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

  scripted.upstream.otherwise({ error: { status: 429, message: 'Slow down', retryAfterSeconds: 30 } })
  await ask(page, 'Once more')
  await expect(page.getByText('At capacity right now.')).toBeVisible()
  await expect(page.getByRole('button', { name: /Try again in \d+ s/ })).toBeDisabled()
  await expect(page.getByRole('button', { name: /^[0-9a-f]{16}-/ })).toBeVisible()
  await inspect(page, testInfo, 'full')
  scripted.upstream.otherwise({ text: 'Here I am.' })
  await page.getByRole('button', { name: 'Switch model', exact: true }).click()
  await page.getByRole('menuitem', { name: /Harbour Mini/ }).click()
  await expect(answers(page).last()).toContainText('Here I am.')
})

test('five hundred messages: opened, read, searched, read where the words stand, and written to', async ({
  page,
  scripted,
}, testInfo) => {
  await page.addInitScript(countReadings)
  await openNewChat(page)
  await ask(page, 'Begin')
  await answered(page)
  const chat = page.url()
  // Code in a chat that is drawn in part: each block lies under its head.
  const code = `\`\`\`ts\nconst one = 1\n\`\`\`\n\n\`\`\`ts\n${'const line = 1\n'.repeat(8)}\`\`\``
  await keepTurns(
    page,
    Array.from({ length: 70 }, (_, at) => ({
      role: at % 2 ? ('assistant' as const) : ('user' as const),
      text: at % 2 ? `Code ${at}\n\n${code}` : `Ask ${at}`,
    })),
  )
  await expect(page.getByText('Code 69')).toBeAttached()
  const area = page.getByRole('region', { name: 'Conversation' })
  await expect.poll(async () => (await area.evaluate(seenCode)).whole).toBeGreaterThan(0)
  expect((await area.evaluate(seenCode)).covered).toBe(0)
  await area.focus()
  await page.keyboard.press('PageUp')
  await page.keyboard.press('PageUp')
  await expect.poll(async () => (await area.evaluate(seenCode)).whole).toBeGreaterThan(0)
  expect((await area.evaluate(seenCode)).covered).toBe(0)

  // The last answers are tall: their heights say nothing of those above.
  const textAt = (at: number) => {
    if (at === 241) return 'The **quokka** smiles at everybody.'
    return `Turn ${at} of the long chat\n\n- one\n- two${at > 430 && at % 2 ? `\n\n${code}` : ''}`
  }
  await keepTurns(
    page,
    Array.from({ length: 500 }, (_, at) => ({
      role: at % 2 ? ('assistant' as const) : ('user' as const),
      text: textAt(at),
    })),
  )
  await expect(page.getByText('Turn 499 of the long chat')).toBeInViewport()
  // The words, the gauge and the estimate share what was read.
  expect(await page.evaluate(() => window.readings)).toBe(1)
  expect(await page.locator('*').count()).toBeLessThan(2_500)
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
  'two tabs write in different chats, and in the same one; each sees what the other did, and follows its answer',
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

    // A tab that opens during an answer follows it, and the answer goes on while its own tab shows another chat.
    scripted.upstream.next({ text: STORY.slice(0, 3_400), tokensPerSecond: 100 })
    await ask(page, 'Tell a story')
    const story = (tab: Page) => answers(tab).last().locator('.prose')
    await expect(story(page)).toContainText('The sea was calm')
    await other.reload()
    await expect(story(other)).toContainText('The sea was calm')
    await expect(other.getByText('Connection lost here.')).toBeHidden()
    await page.getByRole('button', { name: 'New chat' }).click()
    await expect(page).toHaveURL('/')
    await expect(receipts(other)).toHaveCount(4)
    await page.getByRole('link', { name: 'From the first' }).click()
    await answered(page, 4)
    await other.close()
  },
)

test('who scrolls up stays there, who is at the end stays at it', DESK, async ({ page, scripted }) => {
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
})

test('from the first visit to a kept, found and shared chat without a mouse', DESK, async ({ page, scripted }) => {
  scripted.upstream.next({ text: 'A **lantern**, at dusk.' })
  await openNewChat(page)
  await page.keyboard.press('Escape')
  await expect(composer(page)).toBeFocused()
  await page.keyboard.type('What does the harbour master light?')
  await page.keyboard.press('Enter')
  await answered(page)
  const chat = page.url()
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
  await expect(page.getByRole('option', { name: /lantern/ }).first()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`^${chat}`))
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

/** Counts the code blocks that are wholly on screen, and those whose head lies over their lines. Runs in the page. */
function seenCode(scroller: Element): { whole: number; covered: number } {
  const view = scroller.getBoundingClientRect()
  const seen = [...scroller.querySelectorAll('.code-block')].filter((block) => {
    const { top, bottom } = block.getBoundingClientRect()
    return top >= view.top && bottom <= view.bottom
  })
  const isCovered = (block: Element) => {
    const [head, words] = [block.firstElementChild, block.querySelector('pre')]
    return !head || !words || head.getBoundingClientRect().bottom > words.getBoundingClientRect().top + 1
  }
  return { whole: seen.length, covered: seen.filter(isCovered).length }
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
