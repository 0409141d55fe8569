import { expect, type Page } from '@playwright/test'

/** The parts of the playground, as its journeys name them. */
export const response = (page: Page) => page.getByRole('region', { name: 'Response', exact: true })
export const runButton = (page: Page) => page.getByRole('button', { name: /^Run( Ctrl|$)/ })
export const runs = (page: Page) => page.getByRole('region', { name: 'Runs' }).getByRole('listitem')

/** Opens the playground and waits until a call can be run. */
export async function openPlayground(page: Page, path = '/rpc'): Promise<void> {
  await page.goto(path)
  await expect(page.getByText(/\d+ credits ≈ \$0\.0000\d+/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Snippet' })).toBeVisible()
}

/** Chooses a network, from the list beside the page or from the sheet. */
export async function pickNetwork(page: Page, name: string): Promise<void> {
  await expect(page.getByRole('heading', { name: 'RPC', exact: true })).toBeVisible()
  const opener = page.getByRole('button', { name: /^Network: / })
  if (await opener.isVisible()) await opener.click()
  await page
    .getByRole('button', { name: new RegExp(name) })
    .and(page.locator('[data-network]'))
    .locator('visible=true')
    .click()
}

/** Chooses a method by a search. */
export async function pickMethod(page: Page, search: string): Promise<void> {
  await page.getByRole('button', { name: /^Method: / }).click()
  await expect(page.getByRole('combobox', { name: 'Search methods' })).toBeFocused()
  await page.keyboard.type(search)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('listbox', { name: 'Methods' })).toBeHidden()
}

/** Waits until `count` runs are kept, and the last one has come to something. */
export async function answered(page: Page, count = 1): Promise<void> {
  await expect(runs(page)).toHaveCount(count)
  await expect(page.getByRole('button', { name: /^Cancel/ })).toBeHidden()
}
