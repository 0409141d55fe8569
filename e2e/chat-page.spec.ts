import type { Page } from '@playwright/test'
import { keepTurns } from './kept-turns'
import { answered, answers, ask, DESK, inspect, live, openNewChat, receipts } from './ui-page'
import { expect, test } from './ui-scripted'

// What a hand does without looking: reads code in a long chat, stops, edits, types on arrival, presses Enter in a search.

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const questions = (page: Page) => page.getByRole('article', { name: 'You' })
const versions = (page: Page) => page.getByRole('group', { name: 'Versions' })

test('code of a long chat lies under its head, whole', async ({ page, scripted }) => {
  scripted.upstream.next({ text: 'Ready.', tokensPerSecond: 0 })
  await openNewChat(page)
  await ask(page, 'Begin')
  await answered(page)
  const code = (at: number) =>
    `Turn ${at}\n\n\`\`\`ts\nconst one = ${at}\n\`\`\`\n\n\`\`\`ts\n${'const line = 1\n'.repeat(8)}\`\`\``
  await keepTurns(
    page,
    Array.from({ length: 70 }, (_, at) => ({
      role: at % 2 ? 'assistant' : 'user',
      text: at % 2 ? code(at) : `Ask ${at}`,
    })),
  )
  await expect(page.getByText('Turn 69')).toBeAttached()
  /** How many blocks lie wholly on the screen, and how many of those have a head over their lines. */
  const look = () =>
    page.getByRole('region', { name: 'Conversation' }).evaluate((scroller) => {
      const view = scroller.getBoundingClientRect()
      const seen = [...scroller.querySelectorAll('.code-block')].filter((block) => {
        const { top, bottom } = block.getBoundingClientRect()
        return top >= view.top && bottom <= view.bottom
      })
      const isCovered = (block: Element) => {
        const [head, words] = [block.firstElementChild, block.querySelector('pre')]
        return !head || !words || head.getBoundingClientRect().bottom > words.getBoundingClientRect().top + 1
      }
      return { seen: seen.length, covered: seen.filter(isCovered).length }
    })
  await expect.poll(async () => (await look()).seen).toBeGreaterThan(0)
  expect((await look()).covered).toBe(0)
  await page.getByRole('region', { name: 'Conversation' }).focus()
  await page.keyboard.press('PageUp')
  await page.keyboard.press('PageUp')
  await expect.poll(async () => (await look()).seen).toBeGreaterThan(0)
  expect((await look()).covered).toBe(0)
})

test('an answer that is stopped before its first word gives the old one back', async ({ page, scripted }) => {
  scripted.upstream.next({ text: 'The old answer.' })
  await openNewChat(page)
  await ask(page, 'Tell me')
  await answered(page)
  scripted.upstream.next({ text: 'never', stall: { afterPieces: 0, ms: 60_000 } })
  await page.getByRole('button', { name: 'Regenerate', exact: true }).click()
  await expect(answers(page)).not.toContainText('The old answer.')
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(answers(page)).toContainText('The old answer.')
  await expect(page.getByRole('button', { name: 'Regenerate', exact: true })).toBeEnabled()
  await expect(page.getByText('Nothing was written')).toBeHidden()
  await expect(versions(page)).toBeHidden()

  // A version that failed stays, with the way back to the one before.
  scripted.upstream.next({ error: { status: 400, message: 'No.' } })
  await page.getByRole('button', { name: 'Regenerate', exact: true }).click()
  await expect(versions(page)).toContainText('2/2')
  await page.getByRole('button', { name: 'Earlier version' }).click()
  await expect(answers(page)).toContainText('The old answer.')
})

test('a question is edited from its end', DESK, async ({ page, scripted }) => {
  scripted.upstream.otherwise({ text: 'Yes.' })
  await openNewChat(page)
  await ask(page, 'Explain tides.')
  await answered(page)
  await questions(page).hover()
  await page.getByRole('button', { name: 'Edit message' }).click()
  await page.keyboard.type(' Use plain words.')
  await page.keyboard.press('Enter')
  await expect(questions(page)).toContainText('Explain tides. Use plain words.')
})

test('what is typed on arrival is the message, before the page answers, too', DESK, async ({ page }) => {
  await openNewChat(page)
  await expect(composer(page)).toBeFocused()
  await page.keyboard.type('Llama? ')
  // A click beside everything takes the focus away; letters are no shortcuts then.
  await page.getByRole('heading', { level: 1 }).click()
  await expect(composer(page)).not.toBeFocused()
  await page.keyboard.type('let')
  await expect(composer(page)).toHaveValue('Llama? let')
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.locator('html')).not.toHaveAttribute('data-ledger', 'hidden')
  // A draft is kept a moment after the last key.
  await expect.poll(() => page.evaluate(() => localStorage.getItem('lagoon:draft:new'))).toBe('Llama? let')

  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/_next/static/**/*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.reload({ waitUntil: 'commit' })
  await composer(page).waitFor()
  await expect(page.locator('html')).not.toHaveAttribute('data-live')
  await page.keyboard.type('s go')
  release()
  await live(page)
  await expect(composer(page)).toHaveValue('Llama? lets go')
})

test('Enter opens what a search found late, inside a message', DESK, async ({ page, scripted }) => {
  scripted.upstream.next({ text: 'A periwinkle is a sea snail.' })
  await openNewChat(page)
  await ask(page, 'What lives there?')
  await answered(page)
  const chat = page.url()
  await page.goto('/')
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Search and commands' }).fill('periwinkle')
  await expect(page.getByRole('option', { name: /sea snail/ })).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`^${chat}`))
})

/** A stream of the service whose search ended so. */
const searched = (status: string) => {
  const chunk = (fields: object) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'atlas-large', ...fields })}\n\n`
  return [
    chunk({ choices: [], service_parameters: { web_search_citations: [], web_search_status: status } }),
    chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Porto.' }, finish_reason: null }] }),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    chunk({
      choices: [],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
      cost: { usd: 0.000002 },
      service_parameters: { web_search_status: status },
    }),
    'data: [DONE]\n\n',
  ].join('')
}

test('an answer says how its search went, and keeps saying it', async ({ page }, testInfo) => {
  await openNewChat(page)
  const replies = ['failed', 'nothing_found', 'not_needed']
  await page.route('**/api/v1/chat/completions', (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: searched(replies.shift() ?? '') }),
  )
  const isPhone = testInfo.project.name === 'phone'
  await page.getByRole('button', { name: isPhone ? 'Add to this message' : 'Sources', exact: true }).click()
  await page.getByRole('radio', { name: /^On/ }).check()
  await page.keyboard.press('Escape')
  await ask(page, 'What is the capital of Portugal?')
  await expect(page.getByText('Web search failed. This answer does not use the web.')).toBeVisible()
  await answered(page)
  if (!isPhone)
    await expect(page.getByRole('button', { name: /Sources: on.*The last web search failed/ })).toBeVisible()
  await inspect(page, testInfo, 'search-failed')
  await ask(page, 'And of Spain?')
  await expect(page.getByText('Searched the web: no results found')).toBeVisible()
  await answered(page, 2)
  await ask(page, 'What is two and two?')
  await expect(page.getByText('Web search not needed')).toBeVisible()
  await answered(page, 3)
  await page.reload()
  await expect(page.getByText('Web search failed. This answer does not use the web.')).toBeVisible()
  await expect(receipts(page)).toHaveCount(3)
})

test('a record that cannot be shown costs its own turn, not the page', DESK, async ({ page, scripted }) => {
  scripted.upstream.next({ text: 'Ready.' })
  await openNewChat(page)
  await ask(page, 'Begin')
  await answered(page)
  await keepTurns(page, [
    { role: 'user', text: 'Broken one?' },
    { role: 'assistant', text: 'Lost.', citations: 'none' as never },
    { role: 'user', text: 'And after it?' },
    { role: 'assistant', text: 'Here.' },
  ])
  await expect(page.getByText('This message can’t be shown.')).toBeVisible()
  await expect(page.getByText('Here.')).toBeVisible()
})

test('a file that keeps the message back is first, in sight, and named with its reason', async ({ page }, testInfo) => {
  await openNewChat(page)
  const notes = [1, 2, 3].map((at) => ({
    name: `note-${at}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from('High water.'),
  }))
  const broken = {
    name: 'broken.png',
    mimeType: 'image/png',
    buffer: Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
      'base64',
    ),
  }
  await page.getByLabel('Files for this message').setInputFiles([...notes, broken])
  const tray = page.getByRole('list', { name: 'Attached files' })
  await expect(tray.getByRole('listitem')).toHaveCount(4)
  await expect(tray.getByRole('listitem').first()).toContainText('broken.png')
  await expect(tray.getByRole('listitem').first()).toBeInViewport({ ratio: 1 })
  await expect(page.getByText(/^broken\.png: ./)).toBeVisible()
  await expect(page.getByText('Remove the files marked in red to send.')).toBeVisible()
  await inspect(page, testInfo, 'files-refused')
})

test('the lines of the ledger add up to what the chat took', DESK, async ({ page, scripted }) => {
  await page.addInitScript(() => localStorage.setItem('lagoon:titles', 'model'))
  scripted.upstream.otherwise({ text: 'Tides and moons' })
  await openNewChat(page)
  await ask(page, 'Explain tides')
  await answered(page)
  const foot = page.locator('.ledger').filter({ has: page.getByText('This chat', { exact: true }) })
  await expect(foot).toContainText(/Title\s*\$0\.0\d+/)
  const nano = (text: string) => Math.round(Number(/\$([\d.]+)/.exec(text)?.[1]) * 1e9)
  const [title = '', total = ''] = (await foot.innerText()).split('This chat')
  expect(nano(title) + nano(await receipts(page).innerText())).toBe(nano(total))
})

test('an answer of a comparison can be kept while the other is written', DESK, async ({ page, scripted }) => {
  await openNewChat(page)
  await page.getByRole('button', { name: 'Compare with another model' }).click()
  await page.getByRole('option', { name: /Harbour Mini/ }).click()
  scripted.upstream.next({ text: 'Quick.' })
  scripted.upstream.next({ text: 'slow', stall: { afterPieces: 0, ms: 60_000 } })
  await ask(page, 'Who is first?')
  const keep = page.getByRole('button', { name: /^Keep this answer/, disabled: false })
  await expect(keep).toHaveCount(1)
  await keep.click()
  await expect(answers(page)).toHaveCount(1)
  await expect(answers(page)).toContainText('Quick.')
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden()
})
