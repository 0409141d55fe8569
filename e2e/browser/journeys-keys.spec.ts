import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { stallInMiddle } from '@/e2e/testing/scripted-upstream'
import { answered, answers, DESK, openNewChat, receipts } from '@/e2e/testing/ui-page'
import { askByKeys, isAt, isHeld, isIn, tabTo, toComposer } from './by-keys'
import { everythingKept } from './kept-records'
import { expect, test } from './ui-scripted'

// Journeys of docs/chat-app.md that other files show with a mouse, by keys alone. The focus is always on something.

const STORY = 'The sea was calm that morning, and the boats lay still. '.repeat(10)
const CITED = 'High water is at 07:42 [REF]0[/REF], and the harbour master [REF]1[/REF] says so. '

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const words = (page: Page) => answers(page).locator('.prose')

test('a reload and a lost line in the middle of an answer, and it goes on', DESK, async ({ page, scripted }) => {
  const { keyboard } = page
  scripted.upstream.next({ text: STORY, tokensPerSecond: 300, stall: stallInMiddle(STORY) })
  await openNewChat(page)
  await askByKeys(page, 'Tell a story')
  await expect.poll(async () => (await words(page).innerText()).length).toBeGreaterThan(STORY.length * 0.4)
  await isAt(composer(page))
  // What is written is saved every 400 ms.
  await page.waitForTimeout(500)
  await page.reload()
  await expect(page.getByText('Stopped when the page was closed or reloaded.')).toBeVisible()
  await toComposer(page)
  scripted.upstream.next({ text: 'The end.', tokensPerSecond: 20 })
  await tabTo(page, 'Continue', 'Shift+Tab')
  await keyboard.press('Enter')
  await isIn(answers(page))
  await expect(words(page)).toContainText('The end.')
  await answered(page)
  await isIn(answers(page))

  await page.route('**/api/v1/chat/completions', (route) => route.abort('connectionreset'))
  await askByKeys(page, 'Is anybody there?')
  await expect(page.getByText('The connection was lost.')).toBeVisible()
  await isAt(composer(page))
  await page.unroute('**/api/v1/chat/completions')
  await tabTo(page, 'Try again', 'Shift+Tab')
  await keyboard.press('Enter')
  await isIn(answers(page).last())
  await answered(page, 2)
  await expect(page.getByText('The connection was lost.')).toBeHidden()
  await isIn(answers(page).last())

  // A stop by its button leads back to the field.
  scripted.upstream.next({ text: STORY, tokensPerSecond: 20 })
  await askByKeys(page, 'Once more')
  await expect(words(page).last()).toContainText('The sea')
  await tabTo(page, 'Stop')
  await keyboard.press('Enter')
  await expect(page.getByText('Stopped. You paid for the text so far.')).toBeVisible()
  await isAt(composer(page))
  scripted.upstream.next({ text: 'All is told.' })
  await keyboard.press('Alt+ArrowUp')
  await isAt(answers(page).last())
  await tabTo(page, 'Continue')
  await keyboard.press('Enter')
  await isIn(answers(page).last())
  await expect(words(page).last()).toContainText('All is told.')
  await answered(page, 3)
})

test('a search of the web, and its sources while the answer is written', DESK, async ({ page, scripted }) => {
  const { keyboard } = page
  await openNewChat(page)
  await toComposer(page)
  await tabTo(page, 'Sources')
  await keyboard.press('Enter')
  await isIn(page.getByRole('dialog', { name: 'Sources' }))
  const off = page.getByRole('radio', { name: /^Off\b/ })
  await isAt(off)
  await keyboard.press('ArrowUp')
  await isHeld(page)
  await keyboard.press('ArrowDown')
  await keyboard.press('ArrowDown')
  await keyboard.press('ArrowDown')
  await isAt(page.getByRole('radio', { name: /^On\b/ }))
  await expect(page.getByRole('radio', { name: /^On\b/ })).toBeChecked()
  await keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  await isAt(page.getByRole('button', { name: 'Sources: on' }))

  const seen = Promise.withResolvers<void>()
  const stall = { ...stallInMiddle(CITED), afterPieces: Math.ceil(CITED.length / 4), ended: seen.promise }
  scripted.upstream.next({ text: `${CITED}And so on it goes.`, tokensPerSecond: 0, stall })
  await askByKeys(page, 'When is high water at Saint Malo?')
  const chips = words(page).getByRole('button', { name: /^Source \d: / })
  await expect(chips).toHaveCount(2)
  await keyboard.press('Alt+ArrowUp')
  await isAt(answers(page))
  await tabTo(page, 'Source 2: ')
  const card = page.getByRole('dialog', { name: 'Source 2' })
  const stop = page.getByRole('button', { name: 'Stop', exact: true })
  await expect(card).toBeVisible()
  await keyboard.press('Escape')
  await expect(card).toBeHidden()
  await isAt(chips.last())
  await keyboard.press('Enter')
  const panel = page.getByRole('dialog', { name: 'Sources' })
  await expect(panel.getByRole('link')).toHaveCount(2)
  await isIn(panel)
  await tabTo(page, /Tides of/)
  await expect(panel.getByRole('link', { name: /Tides of/ })).toHaveAttribute('href', `${scripted.site.origin}/tides`)
  // One press closes the panel and nothing else: no card is behind it, and the answer goes on.
  await keyboard.press('Escape')
  await expect(panel).toBeHidden()
  await isAt(chips.last())
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(stop).toBeVisible()
  seen.resolve()
  await answered(page)
  await isAt(chips.last())
  await tabTo(page, 'Receipt')
  await keyboard.press('Enter')
  const receipt = page.getByRole('dialog', { name: 'Receipt' })
  await expect(receipt).toContainText(/Web search\s*2 sources/)
  await isIn(receipt)
  await keyboard.press('Escape')
  await expect(receipt).toBeHidden()
  await isAt(receipts(page))
})

test('a temporary chat leaves no byte', DESK, async ({ page, scripted }) => {
  const { keyboard } = page
  await openNewChat(page)
  await askByKeys(page, 'A kept one')
  await answered(page)
  await keyboard.press('ControlOrMeta+Shift+O')
  await expect(page).toHaveURL('/')
  await isAt(composer(page))
  // What the page writes by itself, it has written.
  await page.waitForTimeout(1_000)
  const before = await everythingKept(page)
  await tabTo(page, 'Temporary chat', 'Shift+Tab')
  await keyboard.press('Enter')
  await expect(page.getByRole('note')).toContainText('Temporary chat.')
  await isAt(page.getByRole('button', { name: 'Turn off temporary chat' }))
  await keyboard.press('Enter')
  await expect(page.getByRole('note')).toBeHidden()
  await keyboard.press('ControlOrMeta+Shift+Quote')
  await expect(page.getByRole('note')).toContainText('Temporary chat.')
  await isAt(composer(page))
  scripted.upstream.next({ reasoning: 'Hm.', text: 'A secret answer.' })
  await keyboard.type('A secret question')
  await keyboard.press('Enter')
  await expect(words(page)).toContainText('A secret answer.')
  await answered(page)
  await isAt(composer(page))
  await keyboard.type('A secret draft')
  await page.waitForTimeout(1_000)
  expect(await everythingKept(page)).toEqual(before)
  expect(page.url()).toContain('/c/temporary-')

  await page.reload()
  await expect(page.getByText('This temporary chat has been deleted.')).toBeVisible()
  expect(await everythingKept(page)).toEqual(before)
  await tabTo(page, 'New chat', 'Shift+Tab')
  await isIn(page.getByRole('main'))
  await keyboard.press('Enter')
  await expect(page).toHaveURL('/')
  await isAt(composer(page))
})

test(
  'by keys alone: a key is made and kept, a program spends with it, and usage is read',
  DESK,
  async ({ page, scripted }) => {
    const { keyboard } = page
    await page.goto('/keys')
    await page.getByRole('main').getByRole('button', { name: 'Connect a wallet' }).press('Enter')
    await expect(page.getByRole('dialog', { name: 'Choose a wallet' })).toBeVisible()
    await tabTo(page, 'Use test wallet')
    await keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Sign message' })).toBeEnabled()
    await tabTo(page, 'Sign message')
    await keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: 'You are signed in' })).toBeVisible()
    await keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
    await tabTo(page, 'New key')
    await keyboard.press('Enter')
    const name = page.getByRole('dialog', { name: 'New key' }).getByRole('textbox', { name: 'Name' })
    await name.focus()
    await keyboard.type('by keys')
    await keyboard.press('Enter')
    await expect(page.getByTestId('new-key')).toHaveText(/^SERVICE_INFERENCE_KEY_/)
    const secret = (await page.getByTestId('new-key').textContent()) ?? ''
    await tabTo(page, 'I’ve saved the key')
    await keyboard.press('Enter')
    await expect(page.locator('body')).not.toContainText(secret)
    const reply = await fetch(`${scripted.origin}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'atlas-large', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(reply.status).toBe(200)
    await reply.text()

    await page.getByRole('main').focus()
    await keyboard.press('g')
    await keyboard.press('u')
    await expect(page).toHaveURL('/usage')
    await expect(page.getByRole('main')).toContainText(/\$0\.0000\d/)
    const download = page.waitForEvent('download')
    await tabTo(page, /CSV/)
    await keyboard.press('Enter')
    expect(await readFile(await (await download).path(), 'utf8')).toMatch(/0\.0000\d/)
  },
)
