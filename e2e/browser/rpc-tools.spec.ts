import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { answered, answers, DESK, inspect } from '@/e2e/testing/ui-page'
import { NETWORKS } from '@/lib/contract/rpc-networks'
import { openPlayground, response, runButton } from './rpc-page'
import { expect, test } from './ui-scripted'

// A developer and the tools of the playground: local chains stand in for the networks, the model plays scripts.

test.describe.configure({ timeout: 180_000 })

const ADDRESS = '0x00000000219ab540356cBB839Cbe05303d7705Fa'
const EVM_SLUGS = NETWORKS.filter(({ family }) => family === 'evm').map(({ slug }) => slug)
const isPhone = (name: string): boolean => name === 'phone'

const matrix = (page: Page) => page.getByRole('region', { name: 'Matrix' })
const matrixAnswers = (page: Page) => page.getByRole('region', { name: 'Responses' })

test('matrix: all EVM networks answer as they come, nothing jumps, and the CSV has a row of each', async ({
  page,
}, testInfo) => {
  await page.goto('/rpc/matrix')
  await expect(matrix(page).getByText('19 calls · 400 credits ≈ $0.00028')).toBeVisible()
  if (isPhone(testInfo.project.name)) await inspect(page, testInfo, 'matrix-empty')
  await page.evaluate(watchMatrix)
  await page.getByRole('button', { name: 'Run 19 calls' }).click()
  await expect(matrixAnswers(page)).toContainText('19 of 19 responded · 19 results · 400 credits · $0.00028')
  const seen = await page.evaluate(() => (window as unknown as { matrixSeen: MatrixSeen }).matrixSeen)
  expect(new Set(seen.counts).size).toBeGreaterThan(2)
  expect(new Set(seen.heights).size).toBe(1)
  await inspect(page, testInfo, 'matrix-done')
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(excess).toBeLessThanOrEqual(0)

  if (isPhone(testInfo.project.name)) {
    await page.getByLabel('Sort by').selectOption('latency')
    const texts = await matrixAnswers(page).getByRole('listitem').allInnerTexts()
    const latencies = texts.map((text) => Number(/([\d,]+) ms/.exec(text)?.[1]?.replaceAll(',', '')))
    expect(latencies).toHaveLength(19)
    expect(latencies).toEqual(latencies.toSorted((one, other) => one - other))
    return
  }
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const text = await readFile(await (await download).path(), 'utf8')
  const [head, ...records] = text.trimEnd().split('\r\n')
  expect(head).toBe('network,chain_id,outcome,result,decoded,error,block_height,latency_ms,credits,cost_usd')
  expect(new Set(records.map((record) => record.split(',')[0])).size).toBe(19)

  await page.getByRole('link', { name: 'Open zkSync Sepolia in the playground' }).click()
  await expect(page).toHaveURL(/\/rpc\/zksync-sepolia\/eth_blockNumber\?p=/)
})

test(
  'matrix: networks without a node, no connection and the rate limit are said, and a jump to another page is not called off',
  DESK,
  async ({ page, context }, testInfo) => {
    await page.goto('/rpc/matrix?m=starknet_blockNumber&p=%5B%5D')
    const failure = page.getByRole('region', { name: 'Error details' })
    await page.getByRole('button', { name: 'Run 2 calls' }).click()
    const nothing = '2 of 2 responded · 0 results · 2 errors · 0 credits · $0'
    await expect(matrixAnswers(page)).toContainText(nothing)

    await context.setOffline(true)
    await page.getByRole('button', { name: 'Run 2 calls' }).click()
    await expect(failure).toContainText('You’re offline.')
    // The answers of before are still there.
    await expect(matrixAnswers(page)).toContainText(nothing)
    await inspect(page, testInfo, 'matrix-offline')
    await context.setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(failure).toBeHidden()

    // Too many calls in a minute are refused as a whole.
    await chooseMethod(page, 'eth_chainId')
    const run = page.getByRole('button', { name: /^Run 19 calls/ })
    const wait = page.getByRole('button', { name: /^Wait \d+ s/ })
    await expect(async () => {
      await page.evaluate(useUpMinute, EVM_SLUGS)
      if (await run.isVisible()) await run.click({ timeout: 1_000 })
      await expect(wait).toBeVisible({ timeout: 2_000 })
    }).toPass({ timeout: 80_000 })
    await expect(failure).toContainText('Rate limit reached.')
    await expect(wait).toBeDisabled()
    await expect(matrixAnswers(page)).toContainText(nothing)

    // A jump to another page is not called off by the address that follows late: the next page takes longer than that.
    await expect(page).toHaveURL(/m=eth_chainId/)
    await page.route(/\/rpc(\/[\w-]+)?\?.*_rsc=/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_200))
      await route.continue()
    })
    await page.getByRole('button', { name: /^Mainnets/ }).click()
    await page.getByRole('link', { name: 'RPC', exact: true }).last().click()
    await expect(page).toHaveURL(/\/rpc(\/[\w-]+)*(\?.*)?$/)
    await expect(matrix(page)).toBeHidden()
    expect(new URL(page.url()).pathname).not.toBe('/rpc/matrix')
  },
)

/** Runs in the page: calls all these networks until the service refuses. */
async function useUpMinute(networks: string[]): Promise<void> {
  const body = JSON.stringify({ networks, method: 'eth_chainId', params: [] })
  let isRefused = false
  while (!isRefused) {
    const response = await fetch('/api/rpc/matrix', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    await response.text()
    isRefused = response.status === 429
  }
}

async function chooseMethod(page: Page, method: string): Promise<void> {
  await matrix(page)
    .getByRole('button', { name: /^Method: / })
    .click()
  const search = page.getByRole('combobox', { name: 'Search methods' })
  await search.fill(method)
  await search.press('Enter')
}

test(
  'batch: two calls put together and run by keyboard alone, one of them with an error, are there after a reload',
  DESK,
  async ({ page }, testInfo) => {
    await openPlayground(page, '/rpc/base-sepolia/eth_blockNumber')
    await tabTo(page, page.getByRole('button', { name: '+ Batch' }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('button', { name: 'Add call' }))
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('Method of call 2')).toBeFocused()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('eth_getTransactionByHash')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('["0x1"]')
    await expect(page.getByText(/will probably fail\. An error costs 5 credits/)).toBeVisible()

    await tabTo(page, page.getByRole('button', { name: 'Move call 2 up' }))
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('Method of call 1')).toHaveValue('eth_getTransactionByHash')
    // At the end of the list the button that moved it there can move no more.
    await tabTo(page, page.getByRole('button', { name: 'Move call 1 down' }))
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('Method of call 2')).toHaveValue('eth_getTransactionByHash')

    await tabTo(page, page.getByLabel('Parameters of call 2'))
    await page.keyboard.press('Control+Enter')
    const items = response(page).getByRole('list', { name: 'Batch items' }).getByRole('listitem')
    await expect(items.filter({ hasText: 'eth_blockNumber' })).toHaveCount(1)
    await expect(items.filter({ hasText: 'eth_getTransactionByHash' })).toHaveCount(1)
    // A result and an error.
    await expect(response(page)).toContainText('25 credits')
    await inspect(page, testInfo, 'batch')

    await page.reload()
    await page.getByRole('button', { name: '+ Batch' }).click()
    await expect(page.getByRole('button', { name: 'Run 2 calls' })).toBeVisible()
  },
)

test('batch: one that a program sends is pasted, and a call that is not offered holds it back', async ({
  page,
}, testInfo) => {
  await openPlayground(page, '/rpc/base-sepolia/eth_blockNumber')
  await page.getByRole('button', { name: '+ Batch' }).click()
  await page.getByRole('button', { name: 'Paste JSON' }).click()
  const sheet = page.getByRole('dialog', { name: 'Paste batch' })
  await sheet.getByRole('textbox', { name: 'Batch as JSON' }).click()
  await page.keyboard.insertText('[{"method":"eth_chainId"},{"method":"eth_newFilter","params":[{}]}]')
  await expect(sheet).toContainText('2 calls')
  await inspect(page, testInfo, 'batch-paste')
  await sheet.getByRole('button', { name: 'Replace calls' }).click()
  await expect(page.getByLabel('Method of call 2')).toHaveValue('eth_newFilter')
  await expect(page.getByText('use eth_getLogs with a block range')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Run 2 calls' })).toBeDisabled()
  if (isPhone(testInfo.project.name)) await inspect(page, testInfo, 'batch-refused')

  // Taken by its handle, the second call goes above the first.
  const row = page.getByRole('listitem', { name: 'Call 2' })
  await row.scrollIntoViewIfNeeded()
  await row.getByTitle('Drag to reorder').hover()
  await page.mouse.down()
  const first = await page.getByRole('listitem', { name: 'Call 1' }).boundingBox()
  await page.mouse.move((first?.x ?? 0) + 20, (first?.y ?? 0) + 5, { steps: 8 })
  await page.mouse.up()
  await expect(page.getByLabel('Method of call 1')).toHaveValue('eth_newFilter')
  await expect(page.getByLabel('Method of call 2')).toHaveValue('eth_chainId')
})

test('a broadcast from a link asks first; a transfer of test money is signed, sent, and its receipt shown', async ({
  page,
}, testInfo) => {
  const isOnPhone = isPhone(testInfo.project.name)
  await openPlayground(page, '/rpc/base-sepolia/eth_sendRawTransaction?p=%5B%220xf86c%22%5D')
  await expect(page.getByText('The link contained a signed transaction, which was removed.')).toBeVisible()
  if (!isOnPhone) {
    await runButton(page).click()
    const dialog = page.getByRole('dialog', { name: 'Send to Base Sepolia?' })
    await expect(dialog).toContainText('A signed transaction will be sent to Base Sepolia.')
    await inspect(page, testInfo, 'rpc-confirm')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  }

  await page.getByRole('button', { name: 'Sign and send' }).click()
  const draft = page.getByRole('dialog', { name: 'Sign transaction' })
  await draft.getByLabel('To', { exact: true }).fill(ADDRESS)
  await draft.getByLabel('Amount').fill('0.25')
  await draft.getByRole('button', { name: 'Get test ETH' }).click()
  await expect(page.getByText(/^10 test ETH sent to 0x/)).toBeVisible()
  if (isOnPhone) await inspect(page, testInfo, 'sign-draft')
  await draft.getByRole('button', { name: 'Next' }).click()

  const check = page.getByRole('dialog', { name: 'Review and sign' })
  await expect(check).toContainText('Send 0.25 ETH to 0x0000…05Fa on Base Sepolia.')
  await expect(check).toContainText('10 ETH')
  if (!isOnPhone) await inspect(page, testInfo, 'sign-check')
  await check.getByRole('button', { name: 'Sign and send' }).click()

  const sent = page.getByRole('dialog', { name: 'Transaction' })
  await expect(sent.getByText(/^Confirmed in block \d+\.$/)).toBeVisible()
  await expect(sent).toContainText('21,000')
  if (isOnPhone) await inspect(page, testInfo, 'sign-receipt')
  const hash = /0x[\da-f]{64}/.exec(await sent.innerText())?.[0] ?? ''
  await sent.getByRole('link', { name: 'Open receipt' }).click()
  await expect(page).toHaveURL(new RegExp(`/rpc/base-sepolia/eth_getTransactionReceipt\\?p=.*${hash}`))
  // The answer of the broadcast is the node's own, and stands where answers stand.
  await expect(response(page)).toContainText(hash.slice(0, 20))
})

test(
  'a response becomes a question, and what a chat says of chains opens in the playground',
  DESK,
  async ({ page, context, scripted }, testInfo) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await openPlayground(page, '/rpc/base-sepolia/eth_chainId')
    await runButton(page).click()
    await expect(response(page)).toContainText('0x14a34')
    await page.getByRole('button', { name: 'Ask about this response' }).click()

    const message = page.getByRole('textbox', { name: 'Message', exact: true })
    await expect(message).toHaveValue('Explain this eth_chainId response from Base Sepolia.')
    await expect(page.getByText('eth_chainId-base-sepolia.json')).toBeVisible()
    await expect(page).toHaveURL(/\/$/)
    expect(scripted.upstream.requests).toEqual([])

    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [ADDRESS, 'latest'] })
    const text = `It is the id of Base Sepolia. The deposit contract is ${ADDRESS} there.\n\n\`\`\`json\n${call}\n\`\`\``
    scripted.upstream.next({ text, tokensPerSecond: 0 })
    await page.getByRole('button', { name: 'Send' }).click()
    await answered(page)
    await expect(answers(page).getByRole('link', { name: 'Open in RPC' })).toHaveAttribute(
      'href',
      /^\/rpc\/base-sepolia\/eth_getBalance\?p=/,
    )
    await inspect(page, testInfo, 'chat-open-in-rpc')

    // What is copied is what the model wrote, by the button and by hand.
    await page.getByRole('button', { name: 'Copy answer' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text)
    const selected = await answers(page)
      .locator('.prose')
      .evaluate((prose) => {
        getSelection()?.selectAllChildren(prose)
        return getSelection()?.toString()
      })
    expect(selected).toContain(ADDRESS)
    expect(selected).not.toContain('Open in RPC')

    await page.getByRole('button', { name: 'Open in RPC' }).click()
    await page.getByRole('menuitem', { name: /^Address 0x000000…7705Fa Base Sepolia/ }).click()
    await expect(page).toHaveURL(/\/rpc\/base-sepolia\/eth_getBalance\?p=/)
    await expect(page.getByRole('button', { name: 'Method: eth_getBalance' })).toBeVisible()
    await runButton(page).click()
    await expect(response(page)).toContainText('"result"')
  },
)

type MatrixSeen = { counts: string[]; heights: number[] }

/** Runs in the page: notes every count of answers, and how high the rows stand together, from the first row on. */
function watchMatrix(): void {
  const seen: MatrixSeen = { counts: [], heights: [] }
  ;(window as unknown as { matrixSeen: MatrixSeen }).matrixSeen = seen
  new MutationObserver(() => {
    const answers = document.querySelector('section[aria-label="Responses"]')
    const rows = answers?.querySelector<HTMLElement>('tbody, ul')
    if (!rows) return
    seen.counts.push(/(\d+) of \d+ responded/.exec(answers?.textContent ?? '')?.[1] ?? '')
    seen.heights.push(rows.offsetHeight)
  }).observe(document.body, { childList: true, subtree: true, characterData: true })
}

/** Goes on by Tab until something has the focus, as somebody without a pointer does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  for (let step = 0; step < 200; step++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('Tab does not lead there.')
}
