import { tabTo } from './by-keys'
import { answered, answers, ask, DESK, inspect, openNewChat, receipts } from './ui-page'
import { expect, test } from './ui-scripted'

const STORY = 'The sea was calm that morning, and the boats lay still. '.repeat(60)
const RICH = `# Tides

Two **bulges** of *water*, see [the tables](https://example.org/tides):

1. near the Moon
2. away from it

| Tide | After | Height |
|---|---|---:|
| high | 0 h | 4.1 m |
| low | 6 h 12 min | 0.9 m |

\`\`\`python
def next_high(last, now):
    return last + HALF_DAY * ((now - last) // HALF_DAY + 1)  # a long comment that goes on and on until it must scroll
\`\`\`

- [x] Moon
- [ ] Sun

> The coast may double it.
`

test('an answer streams in, folds its thinking, and shows what was counted', async ({ page, scripted }, testInfo) => {
  scripted.upstream.next({ reasoning: 'First the Moon. '.repeat(10), text: RICH, tokensPerSecond: 25, cachedTokens: 8 })
  await openNewChat(page)
  await ask(page, 'Why two tides?')
  await expect(page.getByRole('button', { name: /^Thinking for \d+ s/ })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Thought for \d+ s/ })).toBeVisible()
  await expect(answers(page).getByText('near the Moon')).toBeVisible()
  await inspect(page, testInfo, 'streaming')
  await answered(page)
  await expect(page.getByRole('log')).toContainText('The coast may double it.')
  await inspect(page, testInfo, 'answer')

  await receipts(page).click()
  const receipt = page.getByRole('dialog', { name: 'Receipt' })
  await expect(receipt).toContainText(/of which cached\s*8/)
  await expect(receipt).toContainText(/Paid\s*\$0\.000\d+/)
  await inspect(page, testInfo, 'receipt')
  await page.keyboard.press('Escape')
  await expect(receipt).toBeHidden()

  await page.getByRole('button', { name: /^Thought for/ }).click()
  await expect(page.getByText('First the Moon.').first()).toBeVisible()
})

test('stopping ends the work, keeps what came, and the answer can go on', async ({ page, scripted }, testInfo) => {
  scripted.upstream.next({ text: STORY, tokensPerSecond: 40 })
  scripted.upstream.next({ text: 'And so it went on.' })
  await openNewChat(page)
  await ask(page, 'Tell a story')
  await expect(answers(page).locator('.prose')).toContainText('The sea was calm')
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(page.getByText('Stopped. You paid for the text so far.')).toBeVisible()
  await expect.poll(() => scripted.upstream.requests[0]?.wasLeft).toBe(true)
  const kept = await answers(page).locator('.prose').innerText()
  await inspect(page, testInfo, 'stopped')

  await page.reload()
  await expect(answers(page).locator('.prose')).toHaveText(kept, { useInnerText: true })
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(answers(page).locator('.prose')).toContainText('And so it went on.')
  await expect(answers(page).locator('.prose')).toContainText(kept.slice(0, 40))
  await answered(page)
})

test('a reload in the middle of an answer keeps its words', DESK, async ({ page, scripted }) => {
  scripted.upstream.next({ text: STORY, tokensPerSecond: 40 })
  await openNewChat(page)
  await ask(page, 'Tell a story')
  await expect(answers(page).locator('.prose')).toContainText('the boats lay still')
  // What is written is saved every 400 ms.
  await page.waitForTimeout(600)
  await page.reload()
  await expect(page.getByText('Stopped when the page was closed or reloaded.')).toBeVisible()
  await expect(answers(page).locator('.prose')).toContainText('the boats lay still')
  await expect(page.getByRole('button', { name: 'Continue' })).toBeVisible()
})

test(
  'an answer goes on while another chat is read, and in a second tab it is followed',
  DESK,
  async ({ page, context, scripted }) => {
    scripted.upstream.next({ text: STORY, tokensPerSecond: 100 })
    await openNewChat(page)
    await ask(page, 'Tell a story')
    await expect(answers(page).locator('.prose')).toContainText('The sea was calm')
    const second = await context.newPage()
    await second.goto(page.url())
    await expect(answers(second).locator('.prose')).toContainText('The sea was calm')
    await expect(second.getByText('Connection lost here.')).toBeHidden()
    await page.getByRole('button', { name: 'New chat' }).click()
    await expect(page).toHaveURL('/')
    await expect(receipts(second)).toBeVisible()
    await page.getByRole('link', { name: 'Tell a story' }).click()
    await answered(page)
  },
)

test('without a network the question is kept, and asked when the person says so', DESK, async ({ page }, testInfo) => {
  await openNewChat(page)
  await page.route('**/api/v1/chat/completions', (route) => route.abort('connectionreset'))
  await ask(page, 'Is anybody there?')
  await expect(page.getByText('The connection was lost.')).toBeVisible()
  await expect(page.getByRole('article', { name: 'You' })).toContainText('Is anybody there?')
  await inspect(page, testInfo, 'network-down')

  await page.unroute('**/api/v1/chat/completions')
  await page.getByRole('button', { name: 'Try again' }).click()
  await answered(page)
  await expect(page.getByText('The connection was lost.')).toBeHidden()
})

test('a model that is full says when to try again, and another one can be asked', async ({
  page,
  scripted,
}, testInfo) => {
  scripted.upstream.otherwise({ error: { status: 429, message: 'Slow down', retryAfterSeconds: 30 } })
  await openNewChat(page)
  await ask(page, 'Once more')
  await expect(page.getByText('At capacity right now.')).toBeVisible()
  await expect(page.getByRole('button', { name: /Try again in \d+ s/ })).toBeDisabled()
  await expect(page.getByRole('button', { name: /^[0-9a-f]{16}-/ })).toBeVisible()
  await inspect(page, testInfo, 'full')

  scripted.upstream.otherwise({ text: 'Here I am.' })
  await page.getByRole('button', { name: 'Switch model', exact: true }).click()
  await page.getByRole('menuitem', { name: /Harbour Mini/ }).click()
  await expect(answers(page)).toContainText('Here I am.')
})

test('an answer that breaks off keeps its words and says so', DESK, async ({ page, scripted }, testInfo) => {
  scripted.upstream.otherwise({ text: STORY, tokensPerSecond: 100, cutAfterPieces: 30 })
  await openNewChat(page)
  await ask(page, 'Tell a story')
  await expect(page.getByRole('button', { name: 'Continue' })).toBeVisible()
  await expect(answers(page).locator('.prose')).toContainText('The sea was calm')
  await inspect(page, testInfo, 'broken-off')
})

test('hostile words of a model do nothing', DESK, async ({ page, scripted }, testInfo) => {
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  scripted.upstream.next({
    tokensPerSecond: 0,
    text: [
      '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">',
      '[click](javascript:window.hacked=1) [data](data:text/html,hi) ![pixel](https://tracker.example/p.png)',
      '[good](https://example.org/page)',
      '| a | b |\n|---|---|\n| <b>1</b> | 2 |',
      '```html\n<script>window.hacked = 1</script>\n```',
      '<iframe src="https://tracker.example"></iframe><style>body{display:none}</style>',
    ].join('\n\n'),
  })
  await openNewChat(page)
  await ask(page, 'Be evil.')
  await answered(page)
  const words = answers(page).locator('.prose')
  await expect(words.getByRole('link', { name: 'good' })).toHaveAttribute('rel', 'noopener noreferrer')
  expect(await words.locator('script, iframe, img, style').count()).toBe(0)
  const addresses = await words.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  expect(addresses).toEqual(['https://tracker.example/p.png', 'https://example.org/page'])
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
  expect(requested.filter((url) => url.includes('tracker'))).toEqual([])
  await inspect(page, testInfo, 'hostile')
})

test('a question can be asked differently, and the first version stays', DESK, async ({ page, scripted }) => {
  await openNewChat(page)
  await ask(page, 'Name a colour.')
  await answered(page)
  await page.getByRole('article', { name: 'You' }).hover()
  await page.getByRole('button', { name: 'Edit message' }).click()
  await page.getByRole('textbox', { name: 'Edit message' }).fill('Name a fish.')
  await page.getByRole('button', { name: 'Send edited message' }).click()
  await expect(page.getByRole('article', { name: 'You' })).toContainText('Name a fish.')
  // The answer to the first version may still be on screen with its receipt.
  const asked = () => scripted.upstream.requests[1]?.body.messages.filter(({ role }) => role !== 'system')
  await expect.poll(asked).toEqual([{ role: 'user', content: 'Name a fish.' }])
  await answered(page)
  await page.getByRole('button', { name: 'Earlier version' }).click()
  await expect(page.getByRole('article', { name: 'You' })).toContainText('Name a colour.')
})

test('a chat is renamed, deleted and brought back', async ({ page }, testInfo) => {
  const isPhone = testInfo.project.name === 'phone'
  await openNewChat(page)
  await ask(page, 'Remember the harbour')
  await answered(page)
  if (isPhone) await page.getByRole('button', { name: 'Open chats' }).click()
  const list = page.getByRole('navigation', { name: 'History' })
  await list.getByRole('listitem').hover()
  await inspect(page, testInfo, 'sidebar')
  await page.getByRole('button', { name: 'More for Remember the harbour' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Chat title' }).fill('Harbour')
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

test('a long chat keeps a small document and opens at its end', DESK, async ({ page, scripted }) => {
  await openNewChat(page)
  await ask(page, 'Begin')
  await answered(page)
  await page.evaluate(fillChat, { id: page.url().split('/').at(-1)!, turns: 500 })
  await page.reload()
  await expect(page.getByText('Turn 499 of the long chat')).toBeInViewport()
  expect(await page.locator('*').count()).toBeLessThan(2500)
  scripted.upstream.next({ text: 'The end of it all.' })
  await ask(page, 'And then?')
  await expect(answers(page).getByText('The end of it all.')).toBeInViewport()
})

test('everything can be done with the keyboard alone', DESK, async ({ page, scripted }) => {
  scripted.upstream.next({ text: STORY, tokensPerSecond: 40 })
  await openNewChat(page)
  const composer = page.getByRole('textbox', { name: 'Message', exact: true })
  await expect(composer).toBeFocused()
  // The first stop of the page leads past the others, and Escape back to the message.
  await tabTo(page, 'Skip to chat', 'Shift+Tab')
  await page.keyboard.press('Escape')
  await expect(composer).toBeFocused()

  await page.keyboard.type('Tell a story')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('about the sea.')
  await expect(composer).toHaveValue('Tell a story\nabout the sea.')
  await page.keyboard.press('Enter')
  await expect(answers(page).locator('.prose')).toContainText('The sea was calm')
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
  await expect(composer).toBeFocused()
})

/** Writes turns into the page's database, as if they had been asked one by one. Runs in the page. */
async function fillChat({ id, turns }: { id: string; turns: number }): Promise<void> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open('lagoon')
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
  const transaction = database.transaction(['messages', 'parts'], 'readwrite')
  const messages = transaction.objectStore('messages')
  const parts = transaction.objectStore('parts')
  const known = await new Promise<{ id: string; createdAt: number }[]>((resolve) => {
    const all = messages.getAll()
    all.onsuccess = () => resolve(all.result)
  })
  const last = known.sort((a, b) => a.createdAt - b.createdAt).at(-1)!
  let parentId = last.id
  for (let at = 0; at < turns; at++) {
    const message = {
      id: `long-${at}`,
      conversationId: id,
      parentId,
      status: 'done',
      createdAt: last.createdAt + 1 + at,
    }
    messages.add({ ...message, role: at % 2 ? 'assistant' : 'user' })
    const payload = `Turn ${at} of the long chat\n\n\`\`\`js\nconst a = ${at}\n\`\`\``
    parts.add({ messageId: message.id, conversationId: id, i: 0, type: 'text', payload })
    parentId = message.id
  }
  await new Promise<void>((resolve) => {
    transaction.oncomplete = () => resolve()
  })
  database.close()
}
