import type { Locator, Page } from '@playwright/test'
import { expect, test } from '@/e2e/testing/fixtures'
import { DESK, inspect } from '@/e2e/testing/ui-page'

/** A person reads the documentation: walks through it, searches it, reads it without scripts. */

/** No page without scripts becomes live. */
const LOADED = { waitUntil: 'load' } as const
const OPERATION = '/docs/reference/chat/create-chat-completion'

const isPhone = (page: Page): boolean => (page.viewportSize()?.width ?? 0) < 600
const article = (page: Page): Locator => page.getByRole('article')

/** Opens the list of pages where it is a sheet. */
async function pagesOf(page: Page): Promise<Locator> {
  if (!isPhone(page)) return page.getByRole('navigation', { name: 'Documentation' })
  await page.getByRole('link', { name: 'Documentation pages' }).click()
  return page.getByRole('dialog').getByRole('navigation', { name: 'Documentation' })
}

/** Leaves of a long list its beginning: to check every element takes seconds, and the others are of the same kinds. */
const shorten = (items: Locator): Promise<void> =>
  items.evaluateAll((all) => {
    for (const item of all.slice(10)) (item as HTMLElement).hidden = true
  })

test('a reader begins at the beginning, chooses a language once, and reads on', async ({ page, baseURL }, testInfo) => {
  await page.goto('/')
  if (isPhone(page)) await page.getByRole('button', { name: 'Open chats' }).click()
  await page.getByRole('link', { name: 'Docs', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Documentation' })).toBeVisible()
  await expect(article(page)).toHaveAttribute('lang', 'en')
  await expect(article(page).getByText(`${baseURL}/api/v1`, { exact: true })).toBeVisible()
  await inspect(page, testInfo, 'docs-start')

  const language = page.getByRole('radiogroup', { name: 'Language' })
  await language.getByText('TypeScript').click()
  await expect(article(page).getByText("import OpenAI from 'openai'")).toBeVisible()
  await expect(article(page).getByText('-H "Authorization')).toBeHidden()

  await (await pagesOf(page)).getByRole('link', { name: 'Streaming' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Streaming' })).toBeVisible()
  await expect(language.first().getByRole('radio', { name: 'TypeScript' })).toBeChecked()
  await inspect(page, testInfo, 'docs-guide')

  // Where there is no room beside the text, its contents are folded above it.
  const folded = article(page).getByText('On this page')
  if (await folded.isVisible()) await folded.click()
  await page.getByRole('link', { name: 'Cancel a stream' }).first().click()
  await expect(page).toHaveURL(/#cancel-a-stream$/)
  await expect(page.getByRole('heading', { name: 'Cancel a stream' })).toBeInViewport()

  await page.getByRole('navigation', { name: 'Previous and next page' }).getByRole('link').last().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Media, files and the web' })).toBeInViewport()
})

test('a programmer finds a field, what it may be, and what goes wrong', async ({ page, context }, testInfo) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(OPERATION)
  await expect(page.getByRole('heading', { level: 1, name: 'Create a chat completion' })).toBeVisible()
  await article(page).locator('.docs-samples').getByRole('button', { name: 'Copy code' }).click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(/^curl '.*\/api\/v1\/chat\/completions'/)

  const field = article(page)
    .locator('.docs-fields > li')
    .filter({ has: page.getByText('temperature', { exact: true }) })
  await expect(field.first()).toContainText('0 to 2')
  const forms = article(page)
    .locator('details', { has: page.getByText('5 forms of messages') })
    .first()
  await forms.locator('summary').first().click()
  await forms.getByText('role: "tool"').click()
  await expect(forms.locator('.docs-field-name', { hasText: /^tool_call_id$/ })).toBeVisible()
  await shorten(article(page).locator('.docs-fields > li:not(li li)'))
  await inspect(page, testInfo, 'docs-operation')

  await article(page).locator('a', { hasText: 'MODEL_OVERLOADED' }).click()
  await expect(page).toHaveURL(/\/docs\/reference\/errors#model-overloaded$/)
  await expect(page.getByText('The model is overloaded.')).toBeInViewport()
  await shorten(article(page).locator('.docs-codes > div, .docs-fields > li:not(li li)'))
  await inspect(page, testInfo, 'docs-errors')
})

test('the pages that a 402 names are there, those of the map too, and no others', DESK, async ({ request }) => {
  const refused = await request.post('/api/v1/chat/completions')
  expect(refused.status()).toBe(402)
  const { authOptions } = (await refused.json()) as { authOptions: Record<string, Record<string, string>> }
  const { apiKey, x402Wallet } = authOptions
  for (const address of [apiKey?.docs, apiKey?.getKey, x402Wallet?.docs]) {
    const reply = await request.get(address!)
    expect([address, reply.status()]).toEqual([address, 200])
  }
  const map = await (await request.get('/sitemap.xml')).text()
  const pages = [...map.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address]) => new URL(address!).pathname)
  expect(pages).toEqual(expect.arrayContaining(['/docs', '/docs/guides/wallets', OPERATION]))
  for (const path of ['/docs/guides/nothing', '/docs/reference/chat/nothing', '/docs/reference/nothing']) {
    expect((await request.get(path)).status()).toBe(404)
  }
})

test('by keyboard: a word, an arrow, Enter', DESK, async ({ page }, testInfo) => {
  await page.goto('/docs')
  const field = page.getByRole('combobox', { name: 'Search docs' })
  await field.focus()
  await page.keyboard.type('wallet')
  const options = page.getByRole('option')
  await expect(options.first()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('ArrowDown')
  await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true')
  await expect(field).toBeFocused()
  await inspect(page, testInfo, 'docs-search')
  await page.keyboard.press('Escape')
  await expect(options).toHaveCount(0)

  await field.fill('INSUFFICIENT_BALANCE')
  await expect(options.first()).toContainText('INSUFFICIENT_BALANCE')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/errors#insufficient-balance$/)
  await expect(page.getByText('The credit of the account does not cover')).toBeInViewport()

  await field.fill('zebra crossing')
  await expect(page.getByText('No results.')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/docs\/search\?q=zebra\+crossing$/)
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })

  test('everything can be read, chosen and searched', DESK, async ({ page }) => {
    await page.goto('/docs/guides/first-call', LOADED)
    await expect(page.getByRole('heading', { level: 1, name: 'Quickstart' })).toBeVisible()
    await page.getByRole('radiogroup', { name: 'Language' }).first().getByText('Python').click()
    await expect(article(page).getByText('from openai import OpenAI')).toBeVisible()
    // Colours are there too: they come from the server.
    await expect(article(page).locator('.code-keyword').first()).toBeAttached()

    await page.goto(OPERATION, LOADED)
    await article(page).locator('summary', { hasText: '5 forms of messages' }).first().click()
    await expect(article(page).getByText('role: "user"')).toBeVisible()

    await page.goto('/docs/search', LOADED)
    await page.getByRole('main').getByRole('searchbox').last().fill('idempotency')
    await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
    await page.getByRole('main').getByRole('link', { name: 'IDEMPOTENCY_IN_PROGRESS' }).click()
    await expect(article(page).getByText('IDEMPOTENCY_IN_PROGRESS', { exact: true })).toBeInViewport()
  })
})
