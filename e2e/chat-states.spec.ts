import { answered, answers, ask, DESK, inspect, openNewChat, receipts } from './ui-page'
import { expect, test } from './ui-scripted'

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
