import { answered, answers, ask, inspect, openNewChat, receipts } from '@/e2e/testing/ui-page'
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

test('an answer folds its thinking, and shows what was counted', async ({ page, scripted }, testInfo) => {
  const reasoning = 'First the Moon. '.repeat(10)
  const { promise: thought, resolve: answer } = Promise.withResolvers<void>()
  const stall = { afterPieces: reasoning.length / 4, ended: thought }
  scripted.upstream.next({ reasoning, text: RICH, tokensPerSecond: 0, cachedTokens: 8, stall })
  await openNewChat(page)
  await ask(page, 'Why two tides?')
  await expect(page.getByRole('button', { name: /^Thinking for \d+ s/ })).toBeVisible()
  answer()
  await expect(page.getByRole('button', { name: /^Thought for \d+ s/ })).toBeVisible()
  await expect(answers(page).getByText('near the Moon')).toBeVisible()
  await answered(page)
  await expect(page.getByRole('log')).toContainText('The coast may double it.')
  await page.getByRole('button', { name: /^Thought for/ }).click()
  await expect(page.getByText('First the Moon.').first()).toBeVisible()
  await receipts(page).click()
  const receipt = page.getByRole('dialog', { name: 'Receipt' })
  await expect(receipt).toContainText(/of which cached\s*8/)
  await expect(receipt).toContainText(/Paid\s*\$0\.000\d+/)
  // The answer behind it is looked at, too.
  await inspect(page, testInfo, 'answer-and-receipt')
  await page.keyboard.press('Escape')
  await expect(receipt).toBeHidden()
})
