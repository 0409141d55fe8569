import type { Page } from '@playwright/test'
import { answered, answers, ask, checkByLabel, DESK, inspect, openNewChat, receipts } from '@/e2e/testing/ui-page'
import type { WalletStage } from '@/e2e/testing/wallet-stage'
import { USDC_EVM } from '@/lib/contract/chains'
import { expect, test } from './ui-wallet'
import { ANSWER_USD, evmWallet, expectBooks, type InjectedWallet, inject, shownText } from './wallets'

// A person with a wallet of his own, as it is installed in a browser, and real keys on the local chains.

const QUESTION = 'When is high tide?'

let stage: WalletStage

test.describe.configure({ timeout: 180_000 })
test.beforeAll(({ stage: shared }) => {
  stage = shared
})

// With a Solana wallet, and with refusals on both chains: journeys-wallet.spec.ts.
test(
  'first visit, connect, sign in, top up, and the question that waited is answered',
  DESK,
  async ({ page }, testInfo) => {
    const wallet = evmWallet()
    const signed = recordSigned(wallet)
    await stage.fund(wallet.address)
    await inject(page, { evm: wallet })
    const before = await stage.received()
    await openNewChat(page, stage.origin())
    await ask(page, QUESTION)

    const choose = page.getByRole('dialog', { name: 'Choose a wallet' })
    await expect(choose).toBeVisible()
    expect(wallet.prompts).toEqual([])
    await inspect(page, testInfo, 'wallet-choose')
    await choose.getByRole('button', { name: 'Connect Test EVM on Base' }).click()

    const prove = page.getByRole('dialog', { name: 'Verify your wallet' })
    await expect(prove).toBeVisible()
    expect(wallet.prompts).toEqual(['eth_requestAccounts'])
    await prove.getByRole('button', { name: 'Sign message' }).click()

    const topUp = page.getByRole('dialog', { name: 'Add credit' })
    await expect(topUp.getByText(/balance 50\.00/)).toBeVisible()
    expect(wallet.prompts).toEqual(['eth_requestAccounts', 'personal_sign'])
    await checkByLabel(topUp.getByRole('radio', { name: '$ 5', exact: true }))
    const reply = page.waitForResponse((response) => response.url().endsWith('/chat/completions'))
    await topUp.getByRole('button', { name: 'Pay 5 USDC' }).click()
    const credited = page.getByRole('dialog', { name: 'Credit added' })
    await expect(credited.getByText('New balance')).toBeVisible()
    await inspect(page, testInfo, 'credited')
    await credited.getByRole('button', { name: 'Done' }).click()

    await answered(page)
    await expect(answers(page)).toContainText('The tide comes in.')
    expect(wallet.prompts).toEqual(['eth_requestAccounts', 'personal_sign', 'eth_signTypedData_v4'])
    expect((await stage.received()).evm - before.evm).toBe(5_000_000n)
    await expectReadable(signed, wallet.address)

    // The receipt says what the header said, and both what is in the books.
    expect((await reply).headers()['x-balance-remaining']).toBe('5.000000')
    await receipts(page).click()
    await expect(page.getByRole('dialog', { name: 'Receipt' })).toContainText(`$${ANSWER_USD}`)
    await page.keyboard.press('Escape')
    await expectBooks(page, wallet.address)
    await expect(page.getByRole('button', { name: /^Credit balance: \$5\.00/ })).toHaveAttribute('title', /^\$4\.99/)

    await page.goto(`${stage.origin()}/wallet`)
    await expect(page.getByRole('region', { name: 'Active sessions' })).toContainText('this browser')
  },
)

test(
  'a reload keeps the session; what the credit does not cover is paused, and asked again once',
  DESK,
  async ({ page }, testInfo) => {
    const wallet = evmWallet()
    await stage.fund(wallet.address)
    await inject(page, { evm: wallet })
    await openNewChat(page, stage.origin())
    await signIn(page)
    const dialog = page.getByRole('dialog', { name: 'You are signed in' })
    await dialog.getByRole('button', { name: 'Start exploring' }).click()

    // The wallet is asked nothing until it must pay.
    const prompts = [...wallet.prompts]
    await page.reload()
    await expect(page.getByRole('button', { name: /^Credit balance: \$0/ })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toHaveCount(0)
    expect(wallet.prompts).toEqual(prompts)
    const cookies = await page.context().cookies()
    expect(cookies.find(({ name }) => name === 'service_session')).toMatchObject({ httpOnly: true, sameSite: 'Strict' })

    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/chat/completions')) asked.push(request.postData() ?? '')
    })
    const composer = page.getByRole('textbox', { name: 'Message', exact: true })
    const paused = page.getByRole('region', { name: 'Paused' })
    const topUp = async () => {
      await paused.getByRole('button', { name: 'Add credit' }).click({ timeout: 20_000 })
      const sheet = page.getByRole('dialog', { name: 'Add credit' })
      await checkByLabel(sheet.getByRole('radio', { name: '$ 5', exact: true }))
      await sheet.getByRole('button', { name: 'Pay 5 USDC' }).click()
      await page.getByRole('dialog', { name: 'Credit added' }).getByRole('button', { name: 'Done' }).click()
    }
    const refusal = page.waitForResponse((response) => response.status() === 402)
    await ask(page, QUESTION)
    await expect(paused).toContainText('Your message is saved.')
    await composer.fill('And low tide?')
    await inspect(page, testInfo, 'paused')
    expect(asked).toHaveLength(1)
    const refused = await refusal
    // As the service says it, of an answer that one top-up does not cover.
    const reply = { status: 402, json: { ...(await refused.json()), minimumBalanceUsd: 6 } }
    await topUp()
    await answered(page)
    await expect(answers(page)).toContainText('The tide comes in.')
    expect(asked).toHaveLength(2)
    expect(asked[1]).toBe(asked[0])
    // What was half written is still there.
    await expect(composer).toHaveValue('And low tide?')

    // Used up by the next question, which has a file, while another waits with one of its own.
    await page.route('**/chat/completions', (route) => route.fulfill(reply), { times: 1 })
    await attach(page, 'tides.txt', 'High at noon.')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(paused).toContainText('Your message is saved.')
    await composer.fill('What is in this one?')
    await attach(page, 'later.txt', 'Low at six.')
    await topUp()
    await answered(page, 2)
    expect(asked).toHaveLength(4)
    expect(asked[3]).toBe(asked[2])
    expect(asked[3]).toContain('tides.txt')
    expect(asked[3]).not.toContain('later.txt')
    await expect(composer).toHaveValue('What is in this one?')
    await expect(page.getByRole('listitem', { name: /^later\.txt,/ })).toBeVisible()
  },
)

/** The texts that the wallet shows to its owner to sign, in order. */
function recordSigned(wallet: InjectedWallet): string[] {
  const signed: string[] = []
  const { request } = wallet
  wallet.request = (method, parameters) => {
    if (method === 'personal_sign') signed.push(shownText(String(parameters[0])))
    if (method === 'eth_signTypedData_v4') signed.push(String(parameters[1]))
    return request(method, parameters)
  }
  return signed
}

/** What was signed is a text that a person can read, for this site, and a payment on this chain. */
async function expectReadable([message = '', payment = '{}']: readonly string[], address: string): Promise<void> {
  expect(message).toMatch(
    new RegExp(`^${new URL(stage.origin()).host} wants you to sign in with your Ethereum account:\n${address}\n`),
  )
  const { primaryType, domain, message: transfer } = JSON.parse(payment)
  expect(primaryType).toBe('TransferWithAuthorization')
  expect(domain).toMatchObject({ name: 'USD Coin', version: '2' })
  expect(domain.verifyingContract.toLowerCase()).toBe(USDC_EVM.toLowerCase())
  expect(transfer.to.toLowerCase()).toBe((await stage.chains()).payTo.evm.toLowerCase())
}

/** A file for the message that is being written. */
async function attach(page: Page, name: string, words: string): Promise<void> {
  const file = { name, mimeType: 'text/plain', buffer: Buffer.from(words) }
  await page.getByLabel('Files for this message').setInputFiles(file)
  await expect(page.getByRole('listitem', { name: new RegExp(`^${name},.*tokens`) })).toBeVisible()
}

/** Through the dialog, from the page's own button. */
async function signIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in', exact: true }).first().click()
  await page.getByRole('button', { name: 'Connect Test EVM on Base' }).click()
  await page.getByRole('button', { name: 'Sign message' }).click()
  await expect(page.getByRole('dialog', { name: 'You are signed in' })).toBeVisible()
}
