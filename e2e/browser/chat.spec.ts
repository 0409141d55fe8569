import { expect, test } from '@/e2e/testing/fixtures'
import { answered, answers, ask, DESK, inspect, live, openNewChat, receipts } from '@/e2e/testing/ui-page'

// A newcomer, with the embedded model: real weights, so nothing here depends on what it says or how long it takes.

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
  await expect(page.getByRole('heading', { name: 'What would you like to know?' })).toBeVisible()
  await expect(page.getByLabel('Credit balance')).toBeHidden()
  await inspect(page, testInfo, 'empty')

  await ask(page, 'What is the capital of France?')
  await expect(page).toHaveURL(/\/c\/[\w-]+$/)
  await answered(page)
  await expect(answers(page).locator('.prose')).not.toBeEmpty()
  await expect(receipts(page)).toHaveText(/\$0\.0\d+/)
  await expect(page.getByLabel('Credit balance')).toHaveAttribute('title', /^\$0\.99\d+$/)

  const words = await answers(page).locator('.prose').innerText()
  await page.reload()
  await expect(answers(page).locator('.prose')).toHaveText(words, { useInnerText: true })
  await expect(page.getByRole('article', { name: 'You' })).toContainText('What is the capital of France?')
  await expect(receipts(page)).toHaveText(/\$0\.0\d+/)
  expect(foreign).toEqual([])
})

test('the model picker is searched and used with the keyboard', DESK, async ({ page }, testInfo) => {
  await openNewChat(page)
  const picker = page.getByRole('button', { name: /^Model: / })
  // Below the name may stand that it is a demo.
  const name = (await picker.innerText()).trim().split('\n')[0]!
  await picker.press('Enter')
  await expect(page.getByRole('combobox', { name: 'Search models' })).toBeFocused()
  await inspect(page, testInfo, 'picker')
  await page.keyboard.type(name.slice(0, 4))
  await expect(page.getByRole('option').first()).toContainText(name)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('listbox')).toBeHidden()
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeFocused()
})

test('what is typed on arrival is the message, before the page answers, too', DESK, async ({ page }) => {
  const composer = page.getByRole('textbox', { name: 'Message', exact: true })
  let held = Promise.withResolvers<void>()
  await page.route('**/_next/static/**/*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  const typeEarly = async (going: Promise<unknown>, words: string) => {
    await going
    await composer.waitFor()
    await expect(page.locator('html')).not.toHaveAttribute('data-live')
    await page.keyboard.type(words)
    held.resolve()
    await live(page)
  }
  await typeEarly(page.goto('/', { waitUntil: 'commit' }), 'Llama? ')
  await expect(composer).toHaveValue('Llama? ')
  await expect(composer).toBeFocused()
  // A click beside everything takes the focus away; letters are no shortcuts then.
  await page.getByRole('heading', { level: 1 }).click()
  await expect(composer).not.toBeFocused()
  await page.keyboard.type('let')
  await expect(composer).toHaveValue('Llama? let')
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.locator('html')).not.toHaveAttribute('data-ledger', 'hidden')
  // A draft is kept a moment after the last key.
  await expect.poll(() => page.evaluate(() => localStorage.getItem('lagoon:draft:new'))).toBe('Llama? let')

  held = Promise.withResolvers<void>()
  await typeEarly(page.reload({ waitUntil: 'commit' }), 's go')
  await expect(composer).toHaveValue('Llama? lets go')
  await page.getByRole('button', { name: 'Send' }).click()
  await answered(page)
})

test('what is not here is said plainly', async ({ page }, testInfo) => {
  await page.goto('/c/00000000-0000-4000-8000-000000000000')
  await expect(page.getByText('This chat is not on this device.')).toBeVisible()
  await inspect(page, testInfo, 'missing-chat')
  await page.goto('/no/such/page')
  await expect(page.getByText('Page not found.')).toBeVisible()
  await inspect(page, testInfo, 'not-found')
})
