import type { Page, TestInfo } from '@playwright/test'
import { RETIRES_ON } from '@/e2e/testing/scripted-server'
import { stallInMiddle } from '@/e2e/testing/scripted-upstream'
import { answered, answers, ask, DESK, inspect, openNewChat, PHONE, receipts } from '@/e2e/testing/ui-page'
import { tabTo } from './by-keys'
import { keepChat } from './kept-turns'
import { countReadings, expectCodeUnderItsHead, longChat } from './long-chat'
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
const isPhone = ({ project }: TestInfo) => project.name === 'phone'

test('the web is searched, no mark of a source is ever seen as it is written, and a failed search is said', async ({
  page,
  scripted,
}, testInfo) => {
  await openNewChat(page)
  await searchAlways(page, testInfo)
  const chat = '**/api/v1/chat/completions'
  await page.route(chat, (route) => route.fulfill({ contentType: 'text/event-stream', body: FAILED_SEARCH }))
  await ask(page, 'What is the capital of Portugal?')
  await expect(page.getByText('Web search failed. This answer does not use the web.')).toBeVisible()
  await answered(page)
  if (!isPhone(testInfo))
    await expect(page.getByRole('button', { name: /Sources: on.*The last web search failed/ })).toBeVisible()
  await page.unroute(chat)

  await page.evaluate(watchForMarks)
  const { promise: looked, resolve: writeOn } = Promise.withResolvers<void>()
  const text = `${CITED} And so on it goes, tide after tide.`
  const stall = { afterPieces: Math.ceil(CITED.length / 4), ended: looked }
  scripted.upstream.next({ text, tokensPerSecond: 60, stall })
  await ask(page, 'When is high water at Saint Malo?')
  const answer = answers(page).last()
  await expect(answer.getByText('Searched the web: 2 sources')).toBeVisible()
  const chips = answer.locator('.prose').getByRole('button', { name: /^Source \d: / })
  await expect(chips).toHaveCount(3)
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible()
  // A search that failed, and an answer that is written with its sources.
  await inspect(page, testInfo, 'web')
  writeOn()
  await answered(page, 2)
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
  await receipts(page).last().click()
  const receipt = page.getByRole('dialog', { name: 'Receipt' })
  await expect(receipt).toContainText(/Web search\s*2 sources/)
  // A cent for what was found, and what the words cost.
  await expect(receipt).toContainText(/Paid\s*\$0\.010\d+/)
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
  scripted.upstream.otherwise({ error: { status: 503, message: 'Loading' } })
  await ask(page, 'And now?')
  await expect(answers(page).last()).toContainText('This model is not available right now.')
  await answers(page).first().getByRole('button', { name: 'Select another model' }).click()
  await picker.getByRole('combobox', { name: 'Search models' }).fill('atlas')
  await expect(picker.getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Model: Atlas Large' })).toBeVisible()

  scripted.upstream.otherwise({ error: { status: 429, message: 'Slow down', retryAfterSeconds: 30 } })
  await ask(page, 'Once more')
  await expect(page.getByText('At capacity right now.')).toBeVisible()
  await expect(page.getByRole('button', { name: /Try again in \d+ s/ })).toBeDisabled()
  await expect(
    answers(page)
      .last()
      .getByRole('button', { name: /^[0-9a-f]{16}-/ }),
  ).toBeVisible()
  // Above it stand the notice of the retirement and a model that is not available.
  await inspect(page, testInfo, 'full')
  scripted.upstream.otherwise({ text: 'Here I am.' })
  await answers(page).last().getByRole('button', { name: 'Switch model', exact: true }).click()
  await page.getByRole('menuitem', { name: /Harbour Mini/ }).click()
  await expect(answers(page).last()).toContainText('Here I am.')
  await answered(page, 2)
  expect(scripted.upstream.requests.at(-1)?.body.model).toBe('mini')
})

test(
  'five hundred messages on a phone: opened, searched, and read where the words stand',
  PHONE,
  async ({ page }, testInfo) => {
    await page.addInitScript(countReadings)
    await openNewChat(page)
    const chat = await keepChat(page, 'Begin', longChat())
    await page.goto(chat)
    await expect(page.getByText('Turn 499 of the long chat')).toBeInViewport()
    // The words, the gauge and the estimate share what was read.
    expect(await page.evaluate(() => window.readings)).toBe(1)
    expect(await page.locator('*').count()).toBeLessThan(2_500)
    await expectCodeUnderItsHead(page)
    await page.getByRole('button', { name: 'Open chats' }).click()
    await page.getByRole('combobox', { name: 'Search chats' }).fill('quokka')
    await page.getByRole('option', { name: /quokka smiles/ }).click()
    await expect(page).toHaveURL(new RegExp(`${chat}\\?m=`))
    const found = answers(page).getByText('smiles at everybody')
    await expect(found).toBeInViewport()
    expect(await page.locator('*').count()).toBeLessThan(2_500)
    await inspect(page, testInfo, 'long-chat')
    await composer(page).pressSequentially('Is it the end?')
    await expect(found).toBeInViewport()
    await composer(page).press('Enter')
    await expect(answers(page).last()).toContainText('The tide comes in')
    await expect(answers(page).last()).toBeInViewport()
  },
)

test('who scrolls up stays there, who is at the end stays at it', DESK, async ({ page, scripted }) => {
  const pauses = [0.45, 0.6, 0.8].map((share) => ({ share, over: Promise.withResolvers<void>() }))
  const stall = pauses.map(({ share, over }) => ({
    afterPieces: Math.round((STORY.length / 4) * share),
    ended: over.promise,
  }))
  const writeOn = () => pauses.shift()?.over.resolve()
  scripted.upstream.next({ text: STORY, tokensPerSecond: 0, stall })
  await openNewChat(page)
  await ask(page, 'Tell a story')
  const area = page.getByRole('region', { name: 'Conversation' })
  const fromEnd = () => area.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
  const jump = page.getByRole('button', { name: 'Jump to latest' })
  // While words come, a reader who scrolls up stays where he reads, and is taken back by a button.
  await expect.poll(() => area.evaluate((box) => box.scrollHeight - box.clientHeight)).toBeGreaterThan(400)
  await expect.poll(fromEnd).toBeLessThan(2)
  await area.hover()
  await page.mouse.wheel(0, -350)
  await expect(jump).toBeVisible()
  await expect.poll(fromEnd).toBeGreaterThan(340)
  const top = await area.evaluate((box) => box.scrollTop)
  const newLines = async () => Number(/(\d+) new lines/.exec((await jump.textContent()) ?? '')?.[1] ?? 0)
  writeOn()
  await expect.poll(newLines).toBeGreaterThan(1)
  const counted = await newLines()
  writeOn()
  await expect.poll(newLines).toBeGreaterThan(counted)
  expect(await area.evaluate((box) => box.scrollTop)).toBe(top)
  await jump.click()
  await expect.poll(fromEnd).toBeLessThan(2)
  writeOn()
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

test(
  'from the first visit to a kept, found and shared chat without a mouse',
  DESK,
  async ({ page, scripted }, info) => {
    const { keyboard } = page
    scripted.upstream.next({ text: STORY, tokensPerSecond: 0, stall: stallInMiddle(STORY) })
    await openNewChat(page)
    await expect(composer(page)).toBeFocused()
    // The first stop of the page leads past the others, and Escape back to the message.
    await tabTo(page, 'Skip to chat', 'Shift+Tab')
    await keyboard.press('Escape')
    await expect(composer(page)).toBeFocused()

    // A model is searched for and chosen.
    await page.getByRole('button', { name: /^Model: / }).press('Enter')
    await expect(page.getByRole('combobox', { name: 'Search models' })).toBeFocused()
    await inspect(page, info, 'picker')
    await keyboard.type('Atla')
    await expect(page.getByRole('option').first()).toContainText('Atlas Large')
    await keyboard.press('Enter')
    await expect(page.getByRole('listbox')).toBeHidden()
    await expect(composer(page)).toBeFocused()

    await keyboard.type('Tell a story')
    await keyboard.press('Shift+Enter')
    await keyboard.type('about the sea.')
    await expect(composer(page)).toHaveValue('Tell a story\nabout the sea.')
    await keyboard.press('Enter')
    await expect(answers(page)).toContainText('The sea was calm')
    await keyboard.press('Escape')
    await expect(page.getByText('Stopped. You paid for the text so far.')).toBeVisible()
    await page.getByRole('region', { name: 'Conversation' }).focus()
    await keyboard.press('l')
    await expect(page.locator('html')).toHaveAttribute('data-ledger', 'hidden')
    await keyboard.press('l')
    await keyboard.press('ControlOrMeta+b')
    await expect(page.getByRole('button', { name: 'Open sidebar (Ctrl B)' })).toBeVisible()
    await keyboard.press('ControlOrMeta+b')
    await keyboard.press('ControlOrMeta+Shift+O')
    await expect(page).toHaveURL('/')
    // The address changes first, and then the page.
    await expect(page.getByRole('heading', { name: 'What would you like to know?' })).toBeVisible()
    await expect(composer(page)).toBeFocused()

    scripted.upstream.next({ text: 'A **lantern**, at dusk.' })
    await keyboard.type('What does the harbour master light?')
    await keyboard.press('Enter')
    await answered(page)
    const chat = page.url()
    await page.getByRole('region', { name: 'Conversation' }).focus()
    await keyboard.press('Alt+ArrowUp')
    await expect(answers(page)).toBeFocused()
    await keyboard.press('Tab')
    await expect(page.getByRole('button', { name: 'Copy answer' })).toBeFocused()
    await keyboard.press('Tab')
    scripted.upstream.next({ text: 'A **foghorn**, by day.' })
    await keyboard.press('Enter')
    await expect(answers(page)).toContainText('foghorn')
    await answered(page)
    await answers(page).focus()
    const versions = page.getByRole('group', { name: 'Versions' })
    await keyboard.press('Alt+ArrowRight')
    await expect(versions.filter({ hasText: '2/2' })).toBeVisible()
    await keyboard.press('Alt+ArrowLeft')
    await expect(versions.filter({ hasText: '1/2' })).toBeVisible()
    await answers(page).focus()
    await tabTo(page, 'Receipt')
    await keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: 'Receipt' })).toBeVisible()
    await keyboard.press('Escape')
    await expect(receipts(page)).toBeFocused()

    await keyboard.press('ControlOrMeta+Shift+O')
    await expect(page).toHaveURL('/')
    await expect(composer(page)).toBeFocused()
    await keyboard.press('ControlOrMeta+k')
    await expect(page.getByRole('combobox', { name: 'Search and commands' })).toBeFocused()
    await keyboard.type('lantern')
    await expect(page.getByRole('option', { name: /lantern/ }).first()).toHaveAttribute('aria-selected', 'true')
    await keyboard.press('Enter')
    await expect(page).toHaveURL(new RegExp(`^${chat}`))
    await expect(answers(page)).toContainText('lantern')
    await keyboard.press('ControlOrMeta+Period')
    await expect(page).toHaveURL(/\/settings/)
    await page.goBack()
    await expect(answers(page)).toContainText('lantern')

    const more = page.getByRole('button', { name: 'More for this answer' })
    await more.focus()
    await keyboard.press('Enter')
    await page.getByRole('menuitem', { name: /^Share/ }).focus()
    await keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: /Share/ })).toBeVisible()
    await tabTo(page, 'Create link')
    await keyboard.press('Enter')
    await expect(page.getByRole('textbox', { name: 'Link' })).toHaveValue(/\/s\/[0-9a-f]{32}#/)
    await keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
  },
)

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
