import { isAt, isIn, tabTo, toComposer } from './by-keys'
import { expect, test } from './fixtures'
import { answered, answers, DESK, receipts } from './ui-page'
import { openWalletStage, type WalletStage } from './wallet-stage'
import { inject, solanaWallet } from './wallets'

let stage: WalletStage

test.describe.configure({ timeout: 180_000 })
test.beforeAll(async () => {
  test.setTimeout(180_000)
  stage = await openWalletStage({}, { SANDBOX_WALLETS: 'any' })
})
test.afterAll(async () => stage?.stop())

test('a first question with a Solana wallet: connect, sign, top up, the answer', DESK, async ({ page }) => {
  const { keyboard } = page
  const wallet = solanaWallet()
  await stage.fund(wallet.address)
  await inject(page, { solana: wallet })
  const before = await stage.received()
  await page.goto(new URL(stage.baseUrl.replace('127.0.0.1', 'localhost')).origin)
  await expect(page.getByRole('button', { name: /^Model: (?!loading)/ })).toBeVisible()
  await toComposer(page)
  await keyboard.type('When is high tide?')
  await keyboard.press('Enter')

  const choose = page.getByRole('dialog', { name: 'Choose a wallet' })
  await isIn(choose)
  await tabTo(page, 'Connect Test Solana on Solana')
  await keyboard.press('Enter')
  const prove = page.getByRole('dialog', { name: 'Prove it is yours' })
  await expect(prove.getByRole('button', { name: 'Sign in wallet' })).toBeEnabled()
  await isIn(prove)
  await tabTo(page, 'Sign in wallet')
  await keyboard.press('Enter')
  const topUp = page.getByRole('dialog', { name: 'Add credit' })
  await expect(topUp.getByText(/you hold 50\.00/)).toBeVisible()
  await isIn(topUp)
  // Radio buttons are one stop, and the arrows go through them.
  const five = topUp.getByRole('radio', { name: '$ 5', exact: true })
  const amounts = topUp.getByRole('radio')
  await tabTo(page, /^(\$ ?\d+|Other)$/)
  for (let presses = 0; presses < (await amounts.count()) && !(await five.isChecked()); presses += 1) {
    await keyboard.press('ArrowLeft')
    await isIn(topUp)
  }
  await isAt(five)
  await tabTo(page, 'Pay 5 USDC')
  await keyboard.press('Enter')
  const credited = page.getByRole('dialog', { name: 'Credit added' })
  await expect(credited.getByText('Your credit now')).toBeVisible()
  await isAt(credited.getByRole('button', { name: 'Done' }))
  await keyboard.press('Enter')
  await expect(credited).toBeHidden()
  await isIn(page.getByRole('main'))

  await answered(page)
  await expect(answers(page)).toContainText('The tide comes in.')
  expect(wallet.prompts).toEqual(['connect', 'signMessage', 'signTransaction'])
  expect((await stage.received()).solana - before.solana).toBe(5_000_000n)
  await expect(page.getByRole('button', { name: /^Credit balance: \$4\.99/ })).toBeVisible()
  await toComposer(page)
  await tabTo(page, 'Receipt', 'Shift+Tab')
  await keyboard.press('Enter')
  await isIn(page.getByRole('dialog', { name: 'Receipt' }))
  await expect(page.getByRole('dialog', { name: 'Receipt' })).toContainText(/Paid\s*\$0\.0/)
  await keyboard.press('Escape')
  await isAt(receipts(page))
})
