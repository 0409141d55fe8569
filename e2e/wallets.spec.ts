import type { Page } from '@playwright/test'
import { type Family, USDC_EVM } from '@/lib/core/chains'
import { COST_NANO } from './contract-upstream'
import { expect, test } from './fixtures'
import { answered, answers, ask, inspect, receipts } from './ui-page'
import { openWalletStage, type WalletStage } from './wallet-stage'
import { evmWallet, inject, shownText, solanaWallet } from './wallets'

// A person with a wallet of his own, as it is installed in a browser, and real keys on the local chains.

const FIVE_NANO = 5_000_000_000n
const QUESTION = 'When is high tide?'

const FAMILIES = [
  {
    family: 'evm' as Family,
    make: evmWallet,
    connect: 'Connect Test EVM on Base',
    prompts: ['eth_requestAccounts', 'personal_sign', 'eth_signTypedData_v4'],
  },
  {
    family: 'solana' as Family,
    make: solanaWallet,
    connect: 'Connect Test Solana on Solana',
    prompts: ['connect', 'signMessage', 'signTransaction'],
  },
]

let stage: WalletStage

test.describe.configure({ timeout: 180_000 })
test.beforeAll(async () => {
  test.setTimeout(180_000)
  stage = await openWalletStage({}, { SANDBOX_WALLETS: 'any' })
})
test.afterAll(async () => stage?.stop())

for (const { family, make, connect, prompts } of FAMILIES) {
  test(`${family}: first visit, connect, sign in, top up, and the question that waited is answered`, async ({
    page,
  }, testInfo) => {
    const wallet = make()
    await stage.fund(wallet.address)
    await inject(page, { [family]: wallet })
    const before = await stage.received()
    await open(page)
    await ask(page, QUESTION)

    const choose = page.getByRole('dialog', { name: 'Choose a wallet' })
    await expect(choose).toBeVisible()
    expect(wallet.prompts).toEqual([])
    await inspect(page, testInfo, `wallet-choose-${family}`)
    await choose.getByRole('button', { name: connect }).click()

    const prove = page.getByRole('dialog', { name: 'Prove it is yours' })
    await expect(prove).toBeVisible()
    await inspect(page, testInfo, `wallet-prove-${family}`)
    expect(wallet.prompts).toEqual(prompts.slice(0, 1))
    await prove.getByRole('button', { name: 'Sign in wallet' }).click()

    const topUp = page.getByRole('dialog', { name: 'Add credit' })
    await expect(topUp.getByText(/you hold 50\.00/)).toBeVisible()
    await inspect(page, testInfo, `top-up-${family}`)
    expect(wallet.prompts).toEqual(prompts.slice(0, 2))
    await topUp.getByRole('radio', { name: '$ 5', exact: true }).check({ force: true })
    const reply = page.waitForResponse((response) => response.url().endsWith('/chat/completions'))
    await topUp.getByRole('button', { name: 'Pay 5 USDC' }).click()
    const credited = page.getByRole('dialog', { name: 'Credit added' })
    await expect(credited.getByText('Your credit now')).toBeVisible()
    await inspect(page, testInfo, `credited-${family}`)
    await credited.getByRole('button', { name: 'Done' }).click()

    await answered(page)
    await expect(answers(page)).toContainText('The tide comes in.')
    expect(wallet.prompts).toEqual(prompts)
    expect((await stage.received())[family] - before[family]).toBe(5_000_000n)

    // The receipt says what the header said, and both what is in the books.
    expect((await reply).headers()['x-balance-remaining']).toBe('5.000000')
    await receipts(page).click()
    await expect(page.getByRole('dialog', { name: 'Receipt' })).toContainText(`$${dollars(COST_NANO)}`)
    await page.keyboard.press('Escape')
    const { currentBalance, transactions } = await history(page, wallet.address)
    expect(transactions.map(({ type, amount }: Row) => ({ type, nano: nanoOf(amount) }))).toEqual([
      { type: 'CHARGE', nano: -COST_NANO },
      { type: 'TOP_UP', nano: FIVE_NANO },
    ])
    expect(nanoOf(currentBalance)).toBe(FIVE_NANO - COST_NANO)
    await expect(page.getByRole('button', { name: /^Credit balance: \$4\.99/ })).toBeVisible()

    await page.goto(`${origin()}/wallet`)
    await expect(page.getByRole('region', { name: 'Signed in' })).toContainText('this browser')
    await inspect(page, testInfo, `wallet-page-${family}`)
  })

  test(`${family}: a refusal at each step says that nothing happened, and the step can be done again`, async ({
    page,
  }, testInfo) => {
    const wallet = make()
    await stage.fund(wallet.address)
    await inject(page, { [family]: wallet })
    await open(page)
    await ask(page, QUESTION)
    const [connecting, signing, paying] = prompts as [string, string, string]
    const nothing = page.getByRole('region', { name: 'What went wrong' }).getByText(/You closed the request/)

    wallet.answers.set(connecting, 'reject')
    await page.getByRole('button', { name: connect }).click()
    await expect(nothing).toBeVisible()
    await inspect(page, testInfo, `wallet-rejected-${family}`)
    wallet.answers.delete(connecting)
    await page.getByRole('button', { name: 'Try again' }).click()

    wallet.answers.set(signing, 'reject')
    await page.getByRole('button', { name: 'Sign in wallet' }).click()
    await expect(nothing).toBeVisible()
    wallet.answers.delete(signing)
    await page.getByRole('button', { name: /Try again|Sign in wallet/ }).click()

    const topUp = page.getByRole('dialog', { name: 'Add credit' })
    wallet.answers.set(paying, 'reject')
    await expect(topUp.getByText(/you hold 50\.00/)).toBeVisible()
    const before = await stage.received()
    await topUp.getByRole('button', { name: /^Pay / }).click()
    await expect(topUp.getByRole('region', { name: 'What happened' })).toContainText(/Nothing/i)
    await inspect(page, testInfo, `top-up-rejected-${family}`)
    expect(await stage.received()).toEqual(before)

    // Closed without paying, the question is in the composer again.
    await page.keyboard.press('Escape')
    await expect(topUp).toBeHidden()
    await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue(QUESTION)
    expect(wallet.prompts.filter((prompt) => prompt === paying)).toHaveLength(1)
  })
}

test('an answer that the credit does not cover is paused, and asked again once after the top-up', async ({
  page,
}, testInfo) => {
  const wallet = evmWallet()
  await stage.fund(wallet.address)
  await inject(page, { evm: wallet })
  await open(page)
  await signIn(page)
  const dialog = page.getByRole('dialog', { name: 'You are signed in' })
  await dialog.getByRole('button', { name: 'Look around' }).click()

  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/chat/completions')) asked.push(request.postData() ?? '')
  })
  await ask(page, QUESTION)
  const paused = page.getByRole('region', { name: 'Paused' })
  await expect(paused).toContainText('Your message is kept.')
  await page.getByRole('textbox', { name: 'Message' }).fill('And low tide?')
  await inspect(page, testInfo, 'paused')
  expect(asked).toHaveLength(1)

  await paused.getByRole('button', { name: 'Add credit' }).click()
  const topUp = page.getByRole('dialog', { name: 'Add credit' })
  await topUp.getByRole('button', { name: /^Pay / }).click()
  await page.getByRole('dialog', { name: 'Credit added' }).getByRole('button', { name: 'Done' }).click()
  await answered(page)
  await expect(answers(page)).toContainText('The tide comes in.')
  expect(asked).toHaveLength(2)
  expect(asked[1]).toBe(asked[0])
  // What was half written is still there.
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('And low tide?')
})

test('a reload keeps the session, and the wallet is asked nothing until it must pay', async ({ page }) => {
  const wallet = evmWallet()
  await stage.fund(wallet.address)
  await inject(page, { evm: wallet })
  await open(page)
  await signIn(page)
  await page.getByRole('button', { name: 'Look around' }).click()
  const prompts = [...wallet.prompts]
  await page.reload()
  await expect(page.getByRole('button', { name: /^Credit balance: \$0/ })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toHaveCount(0)
  expect(wallet.prompts).toEqual(prompts)

  const cookies = await page.context().cookies()
  expect(cookies.find(({ name }) => name === 'service_session')).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
})

test('what the wallet signs is a text that a person can read, for this site and this chain', async ({ page }) => {
  const wallet = evmWallet()
  const seen: string[] = []
  const { request } = wallet
  wallet.request = (method, parameters) => {
    if (method === 'personal_sign') seen.push(shownText(parameters[0] as string))
    if (method === 'eth_signTypedData_v4') seen.push(parameters[1] as string)
    return request(method, parameters)
  }
  await stage.fund(wallet.address)
  await inject(page, { evm: wallet })
  await open(page)
  await signIn(page)
  expect(seen[0]).toMatch(
    new RegExp(`^${new URL(origin()).host} wants you to sign in with your Ethereum account:\n${wallet.address}\n`),
  )
  await page.getByRole('button', { name: 'Add credit' }).click()
  await page.getByRole('button', { name: /^Pay / }).click()
  await expect(page.getByText('Your credit now')).toBeVisible()
  const { primaryType, domain, message } = JSON.parse(seen[1] ?? '{}')
  expect(primaryType).toBe('TransferWithAuthorization')
  expect(domain).toMatchObject({ name: 'USD Coin', version: '2' })
  expect(domain.verifyingContract.toLowerCase()).toBe(USDC_EVM.toLowerCase())
  expect(message.to.toLowerCase()).toBe((await stage.chains()).payTo.evm.toLowerCase())
})

async function open(page: Page): Promise<void> {
  await page.goto(origin())
  await expect(page.getByRole('button', { name: /^Model: (?!loading)/ })).toBeVisible()
}

/** Through the dialog, from the page's own button. */
async function signIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in', exact: true }).first().click()
  await page.getByRole('button', { name: 'Connect Test EVM on Base' }).click()
  await page.getByRole('button', { name: 'Sign in wallet' }).click()
  await expect(page.getByRole('dialog', { name: 'You are signed in' })).toBeVisible()
}

type Row = { type: string; amount: number }

/** As the page may read it: with the session of this browser. */
async function history(page: Page, address: string): Promise<{ currentBalance: number; transactions: Row[] }> {
  return page.evaluate(async (path) => (await (await fetch(path)).json()).data, `/api/v1/x402/transactions/${address}`)
}

const origin = (): string => new URL(stage.baseUrl.replace('127.0.0.1', 'localhost')).origin
const nanoOf = (usd: number): bigint => BigInt(Math.round(usd * 1e9))
const dollars = (nano: bigint): string =>
  `0.${String(nano)
    .padStart(9, '0')
    .replace(/0{1,5}$/, '')}`
