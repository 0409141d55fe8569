import type { Page } from '@playwright/test'
import { expect, test } from '@/e2e/testing/fixtures'
import { DESK, inspect } from '@/e2e/testing/ui-page'
import { answered, openPlayground, pickMethod, pickNetwork, response, runButton, runs } from './rpc-page'
import { test as testWithoutGuests } from './ui-wallet'

// A newcomer at the playground, on the machine as it started: local chains stand in for the networks.

const isPhone = (name: string) => name === 'phone'
const methodButton = /^Method: /

test('the first call: three clicks from the start, and nothing of the page is wider than the screen', async ({
  page,
}, testInfo) => {
  const isOnPhone = isPhone(testInfo.project.name)
  await page.goto('/')
  if (isOnPhone) await page.getByRole('button', { name: 'Open chats' }).click()
  await page.getByRole('link', { name: 'RPC', exact: true }).locator('visible=true').click()
  await pickNetwork(page, 'Base Mainnet')
  await expect(page).toHaveURL(/\/rpc\/base-mainnet\/eth_blockNumber$/)
  await expect(page.getByText('20 credits ≈ $0.000014')).toBeVisible()
  await inspect(page, testInfo, 'rpc-first')
  await runButton(page).click()
  await answered(page)
  await expect(response(page)).toContainText('0x')
  await expect(runs(page)).toContainText('20 cr $0.000014')
  await expect(page.getByRole('button', { name: /^Credit balance: \$1\.00 test money/ })).toBeVisible()
  await expect(page).toHaveTitle(/^eth_blockNumber on Base Mainnet · /)

  const excess = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  await pickNetwork(page, 'zkSync Sepolia')
  await pickMethod(page, 'debug_traceBlockByNumber')
  expect(await excess()).toBeLessThanOrEqual(0)
  await runButton(page).click()
  await answered(page, 2)
  expect(await excess()).toBeLessThanOrEqual(0)
  await expect(runButton(page)).toBeInViewport()

  if (isOnPhone) await page.getByRole('button', { name: /^Network: / }).click()
  const rows = page.locator('[data-network]').locator('visible=true')
  await expect(rows).toHaveCount(21)
  await expect(rows.filter({ hasText: 'Starknet Mainnet' })).toHaveAccessibleName(/^not connected: /)
  // How an operator connects a node is not for visitors.
  await expect(page.locator('body')).not.toContainText('RPC_URLS')
  await expect(page.getByText('Local test copies of each network.').locator('visible=true').first()).toBeVisible()
  // On a desktop they stand beside the call, in every state of the page.
  if (isOnPhone) return inspect(page, testInfo, 'rpc-networks')
  await page.getByRole('searchbox', { name: 'Search networks' }).fill('no such network')
  await expect(page.getByText('No results.').locator('visible=true')).toBeVisible()
  await inspect(page, testInfo, 'rpc-no-network')
})

test('everything can be done with the keyboard alone', DESK, async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible()
  await page.getByRole('main').focus()
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await expect(page).toHaveURL('/rpc')
  await expect(runButton(page)).toBeVisible()
  await page.getByRole('searchbox', { name: 'Search networks' }).focus()
  await page.keyboard.type('sepolia')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/rpc\/base-sepolia\//)
  await page.getByRole('button', { name: methodButton }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('combobox', { name: 'Search methods' })).toBeFocused()
  await page.keyboard.type('getBalance')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Method: eth_getBalance' })).toBeFocused()
  await page.keyboard.press('ControlOrMeta+Enter')
  await answered(page)
  await expect(response(page)).toContainText('0x0')
  await readByKeys(page)
  await page.getByRole('main').focus()
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await expect(page).toHaveURL('/wallet')
})

test(
  'a link runs nothing by itself; what was run and saved survives a reload, and comes back without asking again',
  DESK,
  async ({ page }, testInfo) => {
    let asked = 0
    await page.route('**/api/v1/crypto/rpc/**', (route) => {
      asked += 1
      return route.continue()
    })
    const params = ['0x000000000000000000000000000000000000bEEF', '0x0']
    await openPlayground(page, `/rpc/base-sepolia/eth_getBalance?p=${encodeURIComponent(JSON.stringify(params))}`)
    await expect(page).toHaveTitle(/^eth_getBalance on Base Sepolia · /)
    await save(page, 'Burnt money', 'Sinks')
    await pickMethod(page, 'eth_gasPrice')
    await expect(page).toHaveURL(/\/eth_gasPrice$/)
    expect(asked).toBe(0)
    await runButton(page).click()
    await answered(page)
    await expect(page.locator('.cm-line', { hasText: '"result"' })).toContainText(/"0x[\da-f]+"[\d.,]+ gwei$/)
    await save(page, 'Gas now', '')
    await page.goBack()
    await expect(page).toHaveURL(/\/eth_getBalance\?p=/)
    await expect(page.getByRole('button', { name: 'Method: eth_getBalance' })).toBeVisible()

    await page.reload()
    await expect(runs(page)).toHaveCount(1)
    await runs(page).getByRole('button').first().click()
    await expect(page.getByRole('button', { name: 'Method: eth_gasPrice' })).toBeVisible()
    await expect(response(page)).toContainText('Nothing was sent.')
    expect(asked).toBe(1)
    await inspect(page, testInfo, 'rpc-history')
    await page.getByRole('tab', { name: 'Saved' }).click()
    const rows = page.getByRole('region', { name: 'Saved requests', exact: true }).getByRole('listitem')
    await expect(rows).toHaveCount(2)
    await inspect(page, testInfo, 'rpc-saved')
  },
)

test(
  'what holds calls back is said: no states of the networks, no response, a method that is not offered, a daily limit',
  DESK,
  async ({ page }, testInfo) => {
    await page.route('**/api/rpc/networks', (route) => route.fulfill({ status: 500, json: { error: 'no' } }))
    await page.goto('/rpc/base-mainnet')
    await expect(page.getByText('Network status could not be loaded.').locator('visible=true')).toBeVisible()
    await page.route('**/api/v1/crypto/rpc/**', () => undefined)
    await page.keyboard.press('ControlOrMeta+Enter')
    await expect(page.getByRole('button', { name: /^Cancel/ })).toBeEnabled()
    await expect(response(page)).toContainText('Waiting for the network')
    await page.keyboard.press('Escape')
    await expect(runButton(page)).toBeEnabled()
    await page.unroute('**/api/v1/crypto/rpc/**')

    await page.route('**/api/v1/crypto/rpc/**', (route) => route.abort('connectionreset'))
    await runButton(page).click()
    await expect(runs(page)).toContainText('no response')
    await expect(response(page)).toContainText('The connection was lost.')
    await inspect(page, testInfo, 'rpc-network-down')
    await page.unroute('**/api/v1/crypto/rpc/**')

    // The service refuses what it does not know.
    await pickMethod(page, 'eth_fooBar')
    await runButton(page).click()
    await answered(page, 2)
    await expect(runs(page).first()).toContainText('refused 400')

    await page.evaluate(() => localStorage.setItem('lagoon:capPerDay', '0.0001'))
    const dear = { json: { jsonrpc: '2.0', id: 1, result: '0x1' }, headers: { 'x-service-rpc-cost-usd': '0.0002' } }
    await page.route('**/api/v1/crypto/rpc/**', (route) => route.fulfill(dear))
    await pickMethod(page, 'chainId')
    await runButton(page).click()
    await answered(page, 3)
    await pickMethod(page, 'newfilter')
    await expect(page.getByText('Not supported. No charge.')).toBeVisible()
    // What a call cost is counted after its answer is shown.
    await expect(async () => {
      await runButton(page).click()
      await expect(page.getByText('Daily spending cap of $0.0001 reached.')).toBeVisible({ timeout: 2_000 })
    }).toPass()
    await inspect(page, testInfo, 'rpc-refused-and-cap')
  },
)

testWithoutGuests.describe('without guests', DESK, () => {
  testWithoutGuests(
    'a visitor browses, builds and copies; running asks for a wallet and keeps the call',
    async ({ page }, testInfo) => {
      await openPlayground(page, '/rpc/base-mainnet/eth_getBalance')
      await page.getByRole('button', { name: 'Snippet' }).click()
      await expect(page.getByRole('dialog', { name: 'Snippet' })).toContainText('eth_getBalance')
      await inspect(page, testInfo, 'snippet')
      await page.keyboard.press('Escape')
      await runButton(page).click()
      const choose = page.getByRole('dialog', { name: 'Choose a wallet' })
      await expect(choose).toBeVisible()
      await choose.getByRole('button', { name: 'Close' }).click()
      await expect(page.getByText('Sign in with a wallet to run this call.')).toBeVisible()
      await inspect(page, testInfo, 'rpc-signed-out')
      await expect(page.getByRole('button', { name: 'Method: eth_getBalance' })).toBeVisible()
    },
  )
})

async function save(page: Page, name: string, collection: string): Promise<void> {
  await page.getByRole('button', { name: 'Save request' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save request' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
  await dialog.getByRole('combobox', { name: 'Collection' }).fill(collection)
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(dialog).toBeHidden()
}

/** Reads a response with `"result"` in it, by keyboard alone. */
async function readByKeys(page: Page): Promise<void> {
  const tab = (name: string) => response(page).getByRole('tab', { name })
  await tab('Pretty').focus()
  await page.keyboard.press('ArrowRight')
  await expect(tab('Raw')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('ArrowLeft')
  const text = response(page).getByRole('textbox', { name: 'Formatted response' })
  for (let count = 0; count < 10 && !(await text.evaluate((node) => node === document.activeElement)); count++) {
    await page.keyboard.press('Tab')
  }
  await expect(text).toBeFocused()
  await page.keyboard.press('Control+f')
  await expect(response(page).getByRole('textbox', { name: 'Find in text' })).toBeFocused()
  await page.keyboard.type('result')
  await page.keyboard.press('Enter')
  await expect(response(page).locator('.cm-searchMatch-selected')).toHaveText('result')
  await page.keyboard.press('Escape')
  await expect(text).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(text).not.toBeFocused()
}
