import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures'
import {
  answered,
  openPlayground,
  pickMethod,
  pickNetwork,
  request,
  response,
  runButton,
  runs,
  shelf,
} from './rpc-page'
import { DESK, inspect } from './ui-page'
import { test as testWithoutGuests } from './ui-wallet'

// A newcomer at the playground, on the machine as it started: local chains stand in for the networks.

const isPhone = (name: string) => name === 'phone'
const methodButton = /^Method: /

test('the first call: three clicks from the start, with its price before and after', async ({ page }, testInfo) => {
  await page.goto('/')
  if (isPhone(testInfo.project.name)) await page.getByRole('button', { name: 'Open chats' }).click()
  await page.getByRole('link', { name: 'RPC', exact: true }).locator('visible=true').click()
  await pickNetwork(page, 'Base Mainnet')
  await expect(page).toHaveURL(/\/rpc\/base-mainnet\/eth_blockNumber$/)
  await expect(page.getByText('20 credits ≈ $0.000014')).toBeVisible()
  await inspect(page, testInfo, 'rpc-first')
  await runButton(page).click()
  await answered(page)
  await expect(response(page)).toContainText('0x')
  await expect(runs(page)).toContainText('eth_blockNumber')
  await expect(runs(page)).toContainText('20 cr $0.000014')
  await expect(page.getByRole('button', { name: /^Credit balance: \$1\.00 test money/ })).toBeVisible()
  await expect(page).toHaveTitle(/^eth_blockNumber on Base Mainnet · /)
  await inspect(page, testInfo, 'rpc-answered')
})

test('nothing of the page is wider than the screen', async ({ page }) => {
  await openPlayground(page, '/rpc/zksync-sepolia/debug_traceBlockByNumber')
  const excess = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(await excess()).toBeLessThanOrEqual(0)
  await runButton(page).click()
  await answered(page)
  expect(await excess()).toBeLessThanOrEqual(0)
  await expect(runButton(page)).toBeInViewport()
})

test('networks are found by search and filter, and say how they do', async ({ page }, testInfo) => {
  await openPlayground(page)
  const opener = page.getByRole('button', { name: /^Network: / })
  if (await opener.isVisible()) await opener.click()
  const rows = page.locator('[data-network]').locator('visible=true')
  await expect(rows).toHaveCount(21)
  await page.getByText('Testnet', { exact: true }).locator('visible=true').first().click()
  await expect(rows).toHaveCount(11)
  await page.getByRole('searchbox', { name: 'Search networks' }).locator('visible=true').fill('8453')
  await expect(page.getByText('No results.').locator('visible=true')).toBeVisible()
  await inspect(page, testInfo, 'rpc-no-network')
  await page.getByRole('button', { name: 'Show all' }).locator('visible=true').click()
  await expect(rows).toHaveCount(21)
  await expect(rows.filter({ hasText: 'Base Mainnet' })).toHaveAccessibleName(/^up: Base Mainnet/)
  await expect(rows.filter({ hasText: 'Starknet Mainnet' })).toHaveAccessibleName(/^not connected: /)
  await inspect(page, testInfo, 'rpc-networks')
})

test(
  'a method that is not offered says why, and what is offered instead is one click away',
  DESK,
  async ({ page }, testInfo) => {
    await openPlayground(page)
    await pickMethod(page, 'newfilter')
    await expect(request(page)).toContainText('eth_newFilter isn’t supported')
    await expect(page.getByText('Not supported. No charge.')).toBeVisible()
    await inspect(page, testInfo, 'rpc-refused')
    await page.getByRole('button', { name: 'Use eth_getLogs' }).click()
    await expect(page.getByRole('button', { name: 'Method: eth_getLogs' })).toBeVisible()
    await runButton(page).click()
    await answered(page)

    await pickMethod(page, 'eth_fooBar')
    await expect(request(page)).toContainText('Unknown method eth_fooBar')
    await runButton(page).click()
    await answered(page, 2)
    await expect(response(page)).toContainText('400')
    await expect(runs(page).first()).toContainText('refused 400')
  },
)

test('a network of another family keeps the method and offers its twin', DESK, async ({ page }) => {
  await openPlayground(page, '/rpc/base-mainnet/eth_getLogs')
  await pickNetwork(page, 'Starknet Sepolia')
  await expect(page).toHaveURL(/\/rpc\/starknet-sepolia\/eth_getLogs/)
  await expect(request(page)).toContainText('eth_getLogs isn’t available on Starknet Sepolia')
  await page.getByRole('button', { name: 'Use starknet_getEvents' }).click()
  await expect(page).toHaveURL(/\/rpc\/starknet-sepolia\/starknet_getEvents$/)
})

test('a network without a node says so, and nothing can be sent to it', DESK, async ({ page }) => {
  await page.goto('/rpc/starknet-mainnet')
  await expect(request(page)).toContainText('Starknet Mainnet isn’t connected to this server.')
  await expect(page.locator('body')).not.toContainText('RPC_URLS')
  await expect(runButton(page)).toBeDisabled()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('button', { name: '+ Batch' }).click()
  await expect(page.getByRole('button', { name: 'Run 1 call' })).toBeDisabled()
  await expect(runs(page)).toHaveCount(0)
})

test('a newcomer sees what a value means, that the networks are local, and mainnets first', async ({
  page,
}, testInfo) => {
  await openPlayground(page, '/rpc/base-mainnet/eth_gasPrice')
  await runButton(page).click()
  await answered(page)
  await expect(page.locator('.cm-line', { hasText: '"result"' })).toContainText(/"0x[\da-f]+"[\d.,]+ gwei$/)

  if (testInfo.project.name === 'phone') await page.getByRole('button', { name: /^Network: / }).click()
  await expect(page.getByText('Local test copies of each network.').locator('visible=true').first()).toBeVisible()
  const avalanche = page.getByRole('region', { name: 'Avalanche' }).locator('visible=true')
  await expect(avalanche.getByRole('listitem').first()).toContainText('Mainnet')
  await expect(avalanche.getByRole('listitem').last()).toContainText('Fuji')
  await inspect(page, testInfo, 'rpc-newcomer')
})

test('headers are looked at for one response: the next opens on its result', DESK, async ({ page }) => {
  await openPlayground(page, '/rpc/base-mainnet/eth_chainId')
  await runButton(page).click()
  await answered(page)
  await page.getByRole('tab', { name: 'Headers' }).click()
  await expect(page.getByRole('tab', { name: 'Headers' })).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('button', { name: '+ Batch' }).click()
  await page.getByRole('button', { name: 'Add call' }).click()
  await page.getByRole('button', { name: 'Run 2 calls' }).click()
  await expect(page.getByRole('list', { name: 'Batch items' })).toBeVisible()
  await expect(page.getByRole('tab', { name: 'Pretty' })).toHaveAttribute('aria-selected', 'true')

  // What was put together is there again after another page, and after a reload.
  await page.goto('/settings')
  await page.goto('/rpc/base-mainnet/eth_chainId')
  await page.getByRole('button', { name: '+ Batch' }).click()
  await expect(page.getByRole('button', { name: 'Run 2 calls' })).toBeVisible()
  await page.reload()
  await page.getByRole('button', { name: '+ Batch' }).click()
  await expect(page.getByRole('button', { name: 'Run 2 calls' })).toBeVisible()
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
  await page.getByRole('main').focus()
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await expect(page).toHaveURL('/wallet')
})

test('history survives a reload, is searched, and brings request and answer back without asking again', async ({
  page,
}, testInfo) => {
  await openPlayground(page, '/rpc/base-mainnet/eth_chainId')
  await runButton(page).click()
  await answered(page)
  await expect(response(page)).toContainText('0x2105')
  await pickMethod(page, 'gasPrice')
  await runButton(page).click()
  await answered(page, 2)

  await page.reload()
  await expect(runs(page)).toHaveCount(2)
  let asked = 0
  await page.route('**/api/v1/crypto/rpc/**', (route) => {
    asked += 1
    return route.continue()
  })
  await page.getByRole('searchbox', { name: 'Search history' }).fill('chainid')
  await expect(runs(page)).toHaveCount(1)
  await runs(page).getByRole('button').first().click()
  await expect(page.getByRole('button', { name: 'Method: eth_chainId' })).toBeVisible()
  await expect(response(page)).toContainText('0x2105')
  await expect(response(page)).toContainText('Nothing was sent.')
  expect(asked).toBe(0)
  await inspect(page, testInfo, 'rpc-history')

  await page.getByRole('searchbox', { name: 'Search history' }).fill('')
  await page.getByRole('button', { name: 'Clear history' }).click()
  await expect(shelf(page)).toContainText('Your calls appear here')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(runs(page)).toHaveCount(2)
})

test(
  'a request is saved into a collection, exported, deleted, brought back, and imported',
  DESK,
  async ({ page }, testInfo) => {
    await openPlayground(page, '/rpc/base-mainnet/eth_getBalance')
    await save(page, 'Burnt money', 'Sinks')
    await pickMethod(page, 'eth_gasPrice')
    await save(page, 'Gas now', '')
    await page.getByRole('tab', { name: 'Saved' }).click()
    const rows = page.getByRole('region', { name: 'Saved requests', exact: true }).getByRole('listitem')
    await expect(rows).toHaveCount(2)
    await inspect(page, testInfo, 'rpc-saved')

    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const file = await readFile(await (await downloading).path(), 'utf8')
    expect(JSON.parse(file)).toMatchObject({
      requests: [{ name: 'Gas now' }, { name: 'Burnt money', folder: 'Sinks' }],
    })

    await page.getByRole('button', { name: 'Delete Sinks' }).click()
    await expect(rows).toHaveCount(1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(rows).toHaveCount(2)
    await page.getByRole('button', { name: 'More actions for Gas now' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Request name' }).fill('Gas price')
    await page.keyboard.press('Enter')
    await expect(rows.filter({ hasText: 'Gas price' })).toBeVisible()

    await page.getByRole('button', { name: 'Delete Sinks' }).click()
    await expect(rows).toHaveCount(1)
    const broken = JSON.parse(file) as { requests: unknown[] }
    broken.requests.push({ name: '<img src=x>', network: 'nowhere', calls: [] })
    await importText(page, JSON.stringify(broken))
    await expect(shelf(page)).toContainText('2 added.')
    await expect(shelf(page)).toContainText('Request 3: unknown network “nowhere”.')
    await expect(rows).toHaveCount(3)
    await importText(page, '{"kind":"else"}')
    await expect(shelf(page)).toContainText('contains no saved requests')

    await rows.filter({ hasText: 'Burnt money' }).getByRole('button').first().click()
    await expect(page).toHaveURL(/\/rpc\/base-mainnet\/eth_getBalance/)
  },
)

test('a link opens the call as it was, and runs nothing by itself', DESK, async ({ page }) => {
  let asked = 0
  await page.route('**/api/v1/crypto/rpc/**', (route) => {
    asked += 1
    return route.continue()
  })
  const address = '0x000000000000000000000000000000000000bEEF'
  await openPlayground(
    page,
    `/rpc/base-sepolia/eth_getBalance?p=${encodeURIComponent(JSON.stringify([address, '0x0']))}`,
  )
  await expect(page).toHaveTitle(/^eth_getBalance on Base Sepolia · /)
  await pickMethod(page, 'eth_gasPrice')
  await expect(page).toHaveURL(/\/eth_gasPrice$/)
  await page.goBack()
  await expect(page).toHaveURL(/\/eth_getBalance\?p=/)
  await expect(page.getByRole('button', { name: 'Method: eth_getBalance' })).toBeVisible()
  expect(asked).toBe(0)
  const sent = page.waitForRequest('**/api/v1/crypto/rpc/base-sepolia')
  await runButton(page).click()
  expect((await sent).postDataJSON()).toMatchObject({ method: 'eth_getBalance', params: [address, '0x0'] })

  await page.goto('/rpc/nowhere/eth_call?p=%7B')
  await expect(page.getByText('Unknown network “nowhere”.')).toBeVisible()
  await page.goto('/rpc/base-mainnet/eth_sendRawTransaction?p=%5B%220xf86c%22%5D')
  await expect(page.getByText('The link contained a signed transaction, which was removed.')).toBeVisible()
})

test('a broadcast asks first, and says what it will do', DESK, async ({ page }, testInfo) => {
  await openPlayground(page, '/rpc/base-sepolia/eth_sendRawTransaction')
  const anyway = page.getByRole('button', { name: 'Run anyway' })
  if (await anyway.isVisible()) await anyway.click()
  else await runButton(page).click()
  const dialog = page.getByRole('dialog', { name: 'Send to Base Sepolia?' })
  await expect(dialog).toContainText('A signed transaction will be sent to Base Sepolia.')
  await inspect(page, testInfo, 'rpc-confirm')
  const sent = page.waitForRequest('**/api/v1/crypto/rpc/base-sepolia')
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  expect((await sent).headers()['idempotency-key']).toMatch(/^[A-Za-z0-9]{32}$/)
  await answered(page)
})

test('too many calls: the page counts down, and the call goes out by itself', DESK, async ({ page }, testInfo) => {
  test.setTimeout(180_000)
  await openPlayground(page, '/rpc/base-mainnet/eth_chainId')
  await runButton(page).click()
  await answered(page)
  // The minute may end between the last call of `useUp` and the press: then both are tried again.
  await expect(async () => {
    await page.evaluate(useUp)
    await runButton(page).click()
    await expect(page.getByRole('button', { name: /^Run in \d+ s$/ })).toBeDisabled({ timeout: 5_000 })
    await page.getByRole('checkbox', { name: 'Run automatically' }).check({ timeout: 5_000 })
  }).toPass()
  const before = await runs(page).count()
  await inspect(page, testInfo, 'rpc-too-many')
  await expect(runs(page)).toHaveCount(before + 1, { timeout: 90_000 })
  await expect(runs(page).first()).toContainText('result')
})

test('without a connection the call is kept, and said so', DESK, async ({ page }, testInfo) => {
  await openPlayground(page)
  await page.route('**/api/v1/crypto/rpc/**', (route) => route.abort('connectionreset'))
  await runButton(page).click()
  await expect(runs(page)).toContainText('no response')
  await expect(response(page)).toContainText('The connection was lost.')
  await inspect(page, testInfo, 'rpc-network-down')
  await page.unroute('**/api/v1/crypto/rpc/**')
  await runButton(page).click()
  await answered(page, 2)
})

test('Escape ends a call that hangs', DESK, async ({ page }) => {
  await openPlayground(page)
  await page.route('**/api/v1/crypto/rpc/**', () => undefined)
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByRole('button', { name: /^Cancel/ })).toBeEnabled()
  await expect(response(page)).toContainText('Waiting for the network')
  await page.keyboard.press('Escape')
  await expect(runButton(page)).toBeEnabled()
})

test('the cap of a day holds calls back, and can be waived once', DESK, async ({ page }, testInfo) => {
  await page.addInitScript(() => localStorage.setItem('lagoon:capPerDay', '0.0001'))
  await openPlayground(page, '/rpc/base-mainnet/trace_replayBlockTransactions')
  for (const count of [1, 2]) {
    await runButton(page).click()
    await answered(page, count)
  }
  await pickMethod(page, 'chainId')
  const isOver = page.getByText('Daily spending limit of $0.0001 reached.')
  for (let count = 3; !(await isOver.isVisible()) && count < 25; count++) {
    await runButton(page).click()
    await expect(isOver.or(runs(page).nth(count - 1))).toBeVisible()
  }
  await inspect(page, testInfo, 'rpc-cap')
  const before = await runs(page).count()
  await page.getByRole('button', { name: 'Run once anyway' }).click()
  await answered(page, before + 1)
})

test('when the states of the networks cannot be read, the page says so and works', DESK, async ({ page }, testInfo) => {
  await page.route('**/api/rpc/networks', (route) => route.fulfill({ status: 500, json: { error: 'no' } }))
  await page.goto('/rpc/base-mainnet')
  const opener = page.getByRole('button', { name: /^Network: / })
  if (await opener.isVisible()) await opener.click()
  await expect(page.getByText('Network status could not be loaded.').locator('visible=true')).toBeVisible()
  await inspect(page, testInfo, 'rpc-states-failed')
  await page.keyboard.press('Escape')
  await runButton(page).click()
  await answered(page)
})

testWithoutGuests.describe('without guests', DESK, () => {
  testWithoutGuests(
    'a visitor browses, builds and copies; running asks for a wallet and keeps the call',
    async ({ page }, testInfo) => {
      await openPlayground(page, '/rpc/base-mainnet/eth_getBalance')
      await page.getByRole('button', { name: 'Snippet' }).click()
      await expect(page.getByRole('dialog', { name: 'Snippet' })).toContainText('eth_getBalance')
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

async function importText(page: Page, text: string): Promise<void> {
  await page
    .getByLabel('Saved requests file')
    .setInputFiles({ name: 'saved.json', mimeType: 'application/json', buffer: Buffer.from(text) })
}

/** Calls until the minute's requests are used up. Runs in the page. */
async function useUp(): Promise<void> {
  const call = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"method":"eth_chainId"}' }
  // Four at a time, as many as a guest may have open: one after the other they may take longer than the minute.
  for (let round = 0; round < 30; round++) {
    const replies = await Promise.all(Array.from({ length: 4 }, () => fetch('/api/v1/crypto/rpc/base-mainnet', call)))
    if (replies.some(({ status, headers }) => status === 429 && headers.get('x-ratelimit-remaining') === '0')) return
  }
  throw new Error('There was no end to it.')
}
