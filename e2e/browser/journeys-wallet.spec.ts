import type { Page } from '@playwright/test'
import { answered, answers, DESK, inspect, openNewChat, receipts } from '@/e2e/testing/ui-page'
import type { WalletStage } from '@/e2e/testing/wallet-stage'
import { isAt, isIn, tabTo, toComposer } from './by-keys'
import { expect, test } from './ui-wallet'
import { ANSWER_USD, evmWallet, expectBooks, inject, solanaWallet } from './wallets'

// Journeys of docs/chat-app.md with a wallet of one's own, which other files show with a mouse: by keys alone, and on a phone.

let stage: WalletStage

test.describe.configure({ timeout: 180_000 })
test.beforeAll(({ stage: shared }) => {
  stage = shared
})

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })

test('a first question with a Solana wallet: connect, sign, top up, the answer', DESK, async ({ page }) => {
  const { keyboard } = page
  const wallet = solanaWallet()
  await stage.fund(wallet.address)
  await inject(page, { solana: wallet })
  const before = await stage.received()
  await openNewChat(page, stage.origin())
  await toComposer(page)
  await keyboard.type('When is high tide?')
  await keyboard.press('Enter')

  const choose = page.getByRole('dialog', { name: 'Choose a wallet' })
  await isIn(choose)
  expect(wallet.prompts).toEqual([])
  await tabTo(page, 'Connect Test Solana on Solana')
  await keyboard.press('Enter')
  const prove = page.getByRole('dialog', { name: 'Verify your wallet' })
  await expect(prove.getByRole('button', { name: 'Sign message' })).toBeEnabled()
  await isIn(prove)
  expect(wallet.prompts).toEqual(['connect'])
  await tabTo(page, 'Sign message')
  await keyboard.press('Enter')
  const topUp = page.getByRole('dialog', { name: 'Add credit' })
  await expect(topUp.getByText(/balance 50\.00/)).toBeVisible()
  await isIn(topUp)
  expect(wallet.prompts).toEqual(['connect', 'signMessage'])
  // Radio buttons are one stop, and the arrows go through them.
  const five = topUp.getByRole('radio', { name: '$ 5', exact: true })
  const amounts = topUp.getByRole('radio')
  await tabTo(page, /^(\$ ?\d+|Other)$/)
  for (let presses = 0; presses < (await amounts.count()) && !(await five.isChecked()); presses += 1) {
    await keyboard.press('ArrowLeft')
    await isIn(topUp)
  }
  await isAt(five)
  const reply = page.waitForResponse((response) => response.url().endsWith('/chat/completions'))
  await tabTo(page, 'Pay 5 USDC')
  await keyboard.press('Enter')
  const credited = page.getByRole('dialog', { name: 'Credit added' })
  await expect(credited.getByText('New balance')).toBeVisible()
  await isAt(credited.getByRole('button', { name: 'Done' }))
  await keyboard.press('Enter')
  await expect(credited).toBeHidden()
  await isIn(page.getByRole('main'))

  await answered(page)
  await expect(answers(page)).toContainText('The tide comes in.')
  expect(wallet.prompts).toEqual(['connect', 'signMessage', 'signTransaction'])
  expect((await stage.received()).solana - before.solana).toBe(5_000_000n)
  expect((await reply).headers()['x-balance-remaining']).toBe('5.000000')
  await expectBooks(page, wallet.address)
  await expect(page.getByRole('button', { name: /^Credit balance: \$5\.00/ })).toHaveAttribute('title', /^\$4\.99/)
  await toComposer(page)
  await tabTo(page, 'Receipt', 'Shift+Tab')
  await keyboard.press('Enter')
  await isIn(page.getByRole('dialog', { name: 'Receipt' }))
  await expect(page.getByRole('dialog', { name: 'Receipt' })).toContainText(/Paid\s*\$0\.0/)
  await expect(page.getByRole('dialog', { name: 'Receipt' })).toContainText(`$${ANSWER_USD}`)
  await keyboard.press('Escape')
  await isAt(receipts(page))
})

test('a refusal at each step and then a top-up: an EVM wallet by keys alone, a Solana wallet on a phone', async ({
  page,
}, testInfo) => {
  const isPhone = testInfo.project.name === 'phone'
  const wallet = isPhone ? solanaWallet() : evmWallet()
  const [connecting, signing, paying] = isPhone
    ? (['connect', 'signMessage', 'signTransaction'] as const)
    : (['eth_requestAccounts', 'personal_sign', 'eth_signTypedData_v4'] as const)
  /** A tap, or the keys that lead there: the name of a button may begin in several ways. */
  const press = async (name: RegExp) => {
    const button = page.getByRole('dialog').getByRole('button', { name }).first()
    await expect(button).toBeEnabled()
    if (isPhone) return button.tap()
    await tabTo(page, name)
    await page.keyboard.press('Enter')
  }
  const send = async () => {
    if (isPhone) return page.getByRole('button', { name: 'Send', exact: true }).tap()
    await composer(page).focus()
    await page.keyboard.press('Enter')
  }
  const addCredit = async () => {
    const paused = page.getByRole('region', { name: 'Paused' })
    await expect(paused).toContainText('Your message is saved.')
    const add = paused.getByRole('button', { name: 'Add credit' })
    if (isPhone) return add.tap()
    await add.press('Enter')
  }
  const refused = page.getByRole('region', { name: 'Error details' })
  await stage.fund(wallet.address)
  await inject(page, isPhone ? { solana: wallet } : { evm: wallet })
  await openNewChat(page, stage.origin())
  await composer(page).focus()
  await page.keyboard.type('When is high tide?')
  await send()

  await expect(page.getByRole('dialog', { name: 'Choose a wallet' })).toBeVisible()
  wallet.answers.set(connecting, 'reject')
  await press(/^Connect Test /)
  await expect(refused).toContainText(/You declined the request/)
  if (!isPhone) await inspect(page, testInfo, 'wallet-rejected')
  wallet.answers.delete(connecting)
  await press(/^Try again/)
  await expect(page.getByRole('dialog', { name: 'Verify your wallet' })).toBeVisible()
  wallet.answers.set(signing, 'reject')
  await press(/^Sign message/)
  await expect(refused).toContainText(/You declined the request/)
  wallet.answers.delete(signing)
  await press(/^(Try again|Sign message)/)
  const topUp = page.getByRole('dialog', { name: 'Add credit' })
  await expect(topUp.getByText(/balance 50\.00/)).toBeVisible()
  const payments = () => wallet.prompts.filter((prompt) => prompt === paying)
  const before = await stage.received()
  wallet.answers.set(paying, 'reject')
  await press(/^Pay /)
  await expect(refused).toContainText('You were not charged.')
  await inspect(page, testInfo, 'top-up-rejected')
  expect(await stage.received()).toEqual(before)

  // Closed without paying, the question is in the composer again.
  await page.keyboard.press('Escape')
  await expect(topUp).toBeHidden()
  await expect(composer(page)).toHaveValue('When is high tide?')
  expect(payments()).toHaveLength(1)
  await send()
  await addCredit()
  await expect(topUp.getByText(/balance 50\.00/)).toBeVisible()
  await press(/^Pay /)
  await expect(refused).toContainText('You were not charged.')
  wallet.answers.delete(paying)
  await press(/^Pay /)
  await expect(page.getByRole('dialog', { name: 'Credit added' })).toBeVisible()
  // wallets.spec.ts looks at it on a desktop, and at the question that waits.
  if (isPhone) await inspect(page, testInfo, 'credited')
  await press(/^Done/)
  await answered(page)
  await expect(answers(page)).toContainText('The tide comes in.')
  expect(payments()).toHaveLength(3)

  // Credit that is used up in the middle of a chat: the question waits, and is asked again once.
  let asked = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/chat/completions')) asked += 1
  })
  const reply = { error: 'No credit', code: 'INSUFFICIENT_BALANCE', currentBalanceUsd: 0, minimumBalanceUsd: 12 }
  await page.route('**/chat/completions', (route) => route.fulfill({ status: 402, json: reply }), { times: 1 })
  await composer(page).focus()
  await page.keyboard.type('And low tide?')
  await send()
  if (isPhone) {
    await expect(page.getByRole('region', { name: 'Paused' })).toBeVisible()
    await inspect(page, testInfo, 'paused')
  }
  await addCredit()
  await press(/^Pay /)
  await expect(page.getByRole('dialog', { name: 'Credit added' })).toBeVisible()
  await press(/^Done/)
  await answered(page, 2)
  expect(asked).toBe(2)
})
