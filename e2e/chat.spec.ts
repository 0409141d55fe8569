import { expect, test } from './fixtures'
import { answered, answers, ask, DESK, inspect, live, openNewChat, receipts } from './ui-page'

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
  await inspect(page, testInfo, 'newcomer')

  const words = await answers(page).locator('.prose').innerText()
  await page.reload()
  await expect(answers(page).locator('.prose')).toHaveText(words, { useInnerText: true })
  await expect(page.getByRole('article', { name: 'You' })).toContainText('What is the capital of France?')
  await expect(receipts(page)).toHaveText(/\$0\.0\d+/)
  expect(foreign).toEqual([])
})

test('a second question and another answer to it: each has its receipt, and the chat its total', async ({ page }) => {
  await openNewChat(page)
  await ask(page, 'Name a colour.')
  await answered(page)
  await ask(page, 'Name a fish.')
  await answered(page, 2)
  await page.getByRole('button', { name: 'Regenerate', exact: true }).last().click()
  await expect(page.getByRole('group', { name: 'Versions' }).filter({ hasText: '2/2' })).toBeVisible()
  await answered(page, 2)
  await expect(page.getByText('This chat').locator('visible=true')).toBeVisible()
  await page.getByRole('button', { name: 'Earlier version' }).click()
  await expect(page.getByRole('group', { name: 'Versions' }).filter({ hasText: '1/2' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('group', { name: 'Versions' }).filter({ hasText: '1/2' })).toBeVisible()
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

test('a draft survives a reload', async ({ page }) => {
  await openNewChat(page)
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Half a thought')
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue('Half a thought')
})

test('what is typed before the page answers is kept, and sent', async ({ page }) => {
  const scripts = Promise.withResolvers<void>()
  await page.route('**/_next/static/chunks/*.js', async (route) => {
    await scripts.promise
    await route.continue()
  })
  await page.goto('/', { waitUntil: 'commit' })
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('What is the capital of France?')
  await expect(page.locator('html')).not.toHaveAttribute('data-live')
  scripts.resolve()
  await live(page)
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue(
    'What is the capital of France?',
  )
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
