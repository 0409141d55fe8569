import { expect, test } from './fixtures'
import { answered, answers, ask, inspect, openNewChat, receipts } from './ui-page'

const COMPLETIONS = '**/api/v1/chat/completions'
const LONG_QUESTION = 'Write a very long story about a fisherman and the sea. Do not stop early.'

test('a newcomer asks a question, gets an answer with its price, and finds it again', async ({
  page,
  baseURL,
}, testInfo) => {
  const foreign: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.origin !== baseURL) foreign.push(url.href)
  })
  await openNewChat(page)
  await expect(page.getByRole('heading', { name: 'Ask first. Pay for what you use.' })).toBeVisible()
  await expect(page.getByLabel('Credit balance')).toBeHidden()
  await inspect(page, testInfo, 'empty')

  await ask(page, 'What is the capital of France?')
  await expect(page).toHaveURL(/\/c\/[\w-]+$/)
  await answered(page)
  await expect(answers(page).first()).not.toBeEmpty()
  await expect(receipts(page)).toHaveText(/\$0\.0\d+/)
  await expect(page.getByLabel('Credit balance')).toHaveText(/^\$0\.99\d+ ?test money$/)
  await inspect(page, testInfo, 'answer')

  const words = await answers(page).first().locator('.prose').innerText()
  await page.reload()
  await expect(answers(page).first().locator('.prose')).toHaveText(words, { useInnerText: true })
  await expect(page.getByRole('article', { name: 'You' })).toContainText('What is the capital of France?')
  await expect(receipts(page)).toHaveText(/\$0\.0\d+/)
  expect(foreign).toEqual([])
})

test('the receipt opens into all that was counted', async ({ page }, testInfo) => {
  await openNewChat(page)
  await ask(page, 'Say hello.')
  await answered(page)
  await receipts(page).click()
  const receipt = page.getByRole('dialog', { name: 'Receipt' })
  await expect(receipt).toContainText(/Tokens in\s*\d+/)
  await expect(receipt).toContainText(/Paid\s*\$0\.0\d+/)
  await inspect(page, testInfo, 'receipt')
  await page.keyboard.press('Escape')
  await expect(receipt).toBeHidden()
})

test('stopping keeps what came, and the answer can go on', async ({ page }, testInfo) => {
  await openNewChat(page)
  await ask(page, LONG_QUESTION)
  await expect(answers(page).locator('.prose')).toHaveText(/\w+ \w+ \w+/)
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(page.getByText('You stopped this answer.')).toBeVisible()
  const kept = await answers(page).locator('.prose').innerText()
  expect(kept.length).toBeGreaterThan(5)
  await inspect(page, testInfo, 'stopped')

  await page.reload()
  await expect(answers(page).locator('.prose')).toHaveText(kept, { useInnerText: true })
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect.poll(async () => (await answers(page).innerText()).length).toBeGreaterThan(kept.length + 40)
  await page.getByRole('button', { name: 'Stop' }).click()
})

test('a reload in the middle of an answer keeps its words', async ({ page }) => {
  await openNewChat(page)
  await ask(page, LONG_QUESTION)
  await expect(answers(page).locator('.prose')).toHaveText(/(\w+\W+){8}/)
  // A partial answer is saved every 400 ms.
  await page.waitForTimeout(600)
  const before = await answers(page).locator('.prose').innerText()
  await page.reload()
  await expect(page.getByText('The connection was lost here.')).toBeVisible()
  expect((await answers(page).locator('.prose').innerText()).slice(0, 20)).toBe(before.slice(0, 20))
  await expect(page.getByRole('button', { name: 'Continue' })).toBeVisible()
})

test('an answer can be had again, and both versions stay', async ({ page }) => {
  await openNewChat(page)
  await ask(page, 'Name a colour.')
  await answered(page)
  await page.getByRole('button', { name: 'Answer again', exact: true }).click()
  await expect(page.getByText('2/2')).toBeVisible()
  await answered(page)
  await page.getByRole('button', { name: 'Earlier version' }).click()
  await expect(page.getByText('1/2')).toBeVisible()
  await page.reload()
  await expect(page.getByText('1/2')).toBeVisible()
})

test('a question can be asked differently', async ({ page }) => {
  await openNewChat(page)
  await ask(page, 'Name a colour.')
  await answered(page)
  await page.getByRole('article', { name: 'You' }).hover()
  await page.getByRole('button', { name: 'Edit question' }).click()
  await page.getByRole('textbox', { name: 'Edit question' }).fill('Name a fish.')
  await page.getByRole('button', { name: 'Ask this instead' }).click()
  await expect(page.getByRole('article', { name: 'You' })).toContainText('Name a fish.')
  await answered(page)
})

test('without a network the question is kept, and asked when the person says so', async ({ page }, testInfo) => {
  await openNewChat(page)
  await page.route(COMPLETIONS, (route) => route.abort('connectionreset'))
  await ask(page, 'Is anybody there?')
  await expect(page.getByText('The connection was lost.')).toBeVisible()
  await expect(page.getByRole('article', { name: 'You' })).toContainText('Is anybody there?')
  await inspect(page, testInfo, 'network-down')

  await page.unroute(COMPLETIONS)
  await page.getByRole('button', { name: 'Try again' }).click()
  await answered(page)
  await expect(page.getByText('The connection was lost.')).toBeHidden()
})

test('a refusal says when to try again and which request it was', async ({ page }, testInfo) => {
  await openNewChat(page)
  await page.route(COMPLETIONS, (route) =>
    route.fulfill({
      status: 429,
      headers: { 'content-type': 'application/json', 'retry-after': '30', 'cf-ray': '0123456789abcdef-LOC' },
      body: JSON.stringify({ error: 'Wait for the next window.', code: 'RATE_LIMIT_EXCEEDED' }),
    }),
  )
  await ask(page, 'Once more')
  await expect(page.getByText('Wait for the next window.')).toBeVisible()
  await expect(page.getByRole('button', { name: /Try again in \d+ s/ })).toBeDisabled()
  await expect(page.getByRole('button', { name: '0123456789abcdef-LOC' })).toBeVisible()
  await inspect(page, testInfo, 'refused')
})

test('hostile words of a model do nothing', async ({ page }, testInfo) => {
  const hostile = [
    '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">',
    '[click](javascript:window.hacked=1) [data](data:text/html,hi) ![pixel](https://tracker.example/p.png)',
    '[good](https://example.org/page)',
    '| a | b |\n|---|---|\n| <b>1</b> | 2 |',
    '```html\n<script>window.hacked = 1</script>\n```',
    '<iframe src="https://tracker.example"></iframe>',
  ].join('\n\n')
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  await openNewChat(page)
  await page.route(COMPLETIONS, (route) => {
    const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
    const choices = [{ index: 0, delta: { content: hostile }, finish_reason: 'stop' }]
    const body = `data: ${JSON.stringify({ ...head, choices })}\n\ndata: [DONE]\n\n`
    return route.fulfill({ status: 200, headers: { 'content-type': 'text/event-stream' }, body })
  })
  await ask(page, 'Be evil.')
  const answer = answers(page).first()
  await expect(answer.getByRole('link', { name: 'good' })).toHaveAttribute('rel', 'noopener noreferrer')
  expect(await answer.locator('script, iframe, img, b').count()).toBe(0)
  const hrefs = await answer.locator('a').evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href))
  expect(hrefs).toEqual(['https://tracker.example/p.png', 'https://example.org/page'])
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
  expect(requested.filter((url) => url.includes('tracker'))).toEqual([])
  await inspect(page, testInfo, 'hostile')
})

test('a chat is renamed, deleted and brought back', async ({ page }, testInfo) => {
  await openNewChat(page)
  await page.route(COMPLETIONS, (route) => route.abort())
  await ask(page, 'Remember the harbour')
  await expect(page.getByText('The connection was lost.')).toBeVisible()
  const isPhone = testInfo.project.name === 'phone'
  if (isPhone) await page.getByRole('button', { name: 'Open chats' }).click()
  const list = page.getByRole('navigation', { name: 'History' })
  await inspect(page, testInfo, 'sidebar')

  await list.getByRole('listitem').hover()
  await page.getByRole('button', { name: 'More for Remember the harbour' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Title of the chat' }).fill('Harbour')
  await page.keyboard.press('Enter')
  await expect(list.getByRole('link', { name: 'Harbour' })).toBeVisible()

  await list.getByRole('listitem').hover()
  await page.getByRole('button', { name: 'More for Harbour' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(list.getByRole('link', { name: 'Harbour' })).toBeHidden()
  await expect(page).toHaveURL('/')
  if (isPhone) await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page).toHaveURL(/\/c\//)
  await expect(page.getByRole('article', { name: 'You' })).toContainText('Remember the harbour')
})

test('a draft survives a reload, in its own chat', async ({ page }) => {
  await openNewChat(page)
  await page.getByRole('textbox', { name: 'Message' }).fill('Half a thought')
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('Half a thought')
})

test('a chat that is not on this device says so', async ({ page }, testInfo) => {
  await page.goto('/c/00000000-0000-4000-8000-000000000000')
  await expect(page.getByText('This chat is not on this device.')).toBeVisible()
  await inspect(page, testInfo, 'missing-chat')
  await page.goto('/no/such/page')
  await expect(page.getByText('There is nothing at this address.')).toBeVisible()
  await inspect(page, testInfo, 'not-found')
})

test('the model picker is searched and used with the keyboard', async ({ page }, testInfo) => {
  await openNewChat(page)
  const picker = page.getByRole('button', { name: /^Model: / })
  const name = (await picker.innerText()).trim()
  await picker.press('Enter')
  await expect(page.getByRole('combobox', { name: 'Search models' })).toBeFocused()
  await inspect(page, testInfo, 'picker')
  await page.keyboard.type(name.slice(0, 4))
  await expect(page.getByRole('option').first()).toContainText(name)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('listbox')).toBeHidden()
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeFocused()
})

test('everything can be done with the keyboard alone', async ({ page }, testInfo) => {
  test.skip(testInfo.project.name === 'phone', 'A phone has no keyboard')
  await openNewChat(page)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the chat' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeFocused()

  await page.keyboard.type('Count to three')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('and explain each number at great length.')
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue(/three\nand/)
  await page.keyboard.press('Enter')
  await expect(answers(page).locator('.prose')).not.toBeEmpty()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden()

  await page.getByRole('region', { name: 'Conversation' }).focus()
  await page.keyboard.press('l')
  await expect(page.locator('html')).toHaveAttribute('data-ledger', 'hidden')
  await page.keyboard.press('l')
  await page.keyboard.press('ControlOrMeta+b')
  await expect(page.getByRole('button', { name: 'Open sidebar (Ctrl B)' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+b')
  await page.keyboard.press('ControlOrMeta+Shift+O')
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeFocused()
})
