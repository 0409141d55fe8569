import { expect, test } from '@/e2e/testing/fixtures'
import { answered, answers, ask, checkByLabel, DESK, inspect, openNewChat, receipts } from '@/e2e/testing/ui-page'

// A newcomer without any wallet, on the machine as it started: local chains, the embedded model, test money.

test.describe.configure({ timeout: 180_000 })

for (const { rail, chain, address } of [
  { rail: 'Base', chain: 'Base', address: /^Wallet 0x/ },
  { rail: 'Solana', chain: 'Solana', address: /^Wallet [1-9A-HJ-NP-Za-km-z]/ },
]) {
  test(
    `the test wallet on ${rail}: one click, test money, a top-up, and on a desktop with Base an answer`,
    rail === 'Base' ? {} : DESK,
    async ({ page }, testInfo) => {
      const place = `${rail} on a ${testInfo.project.name}`
      // Each state once; wallets.spec.ts looks at the sheets on Base that are missing here.
      const look = async (state: string, ...places: string[]) =>
        places.includes(place) && inspect(page, testInfo, `test-wallet-${state}-${rail}`)
      await openNewChat(page)
      await page.getByRole('button', { name: 'Sign in', exact: true }).first().click()
      const choose = page.getByRole('dialog', { name: 'Choose a wallet' })
      await checkByLabel(choose.getByRole('radio', { name: rail }))
      await look('1-choose', 'Base on a phone')
      await choose.getByRole('button', { name: 'Use test wallet' }).click()

      const prove = page.getByRole('dialog', { name: 'Verify your wallet' })
      await expect(prove.getByRole('button', { name: 'Sign message' })).toBeEnabled()
      await look('2-prove', 'Base on a phone', 'Solana on a desktop')
      await prove.getByRole('button', { name: 'Sign message' }).click()

      const ready = page.getByRole('dialog', { name: 'You are signed in' })
      await expect(ready).toContainText(chain)
      await look('3-ready', 'Base on a phone', 'Base on a desktop')
      await ready.getByRole('button', { name: 'Add credit' }).click()

      const topUp = page.getByRole('dialog', { name: 'Add credit' })
      await expect(topUp.getByText(/balance 25\.00/)).toBeVisible()
      await expect(topUp).toContainText(/test money/i)
      await checkByLabel(topUp.getByRole('radio', { name: '$ 5', exact: true }))
      await look('4-top-up', 'Solana on a desktop')
      await topUp.getByRole('button', { name: 'Pay 5 USDC' }).click()

      const credited = page.getByRole('dialog', { name: 'Credit added' })
      await expect(credited.getByText('New balance')).toBeVisible()
      await credited.getByRole('button', { name: 'Done' }).click()

      // A wallet's welcome and what it paid in.
      await expect(page.getByRole('button', { name: /^Credit balance: \$6\.00 test money/ })).toBeVisible()
      if (place === 'Base on a desktop') {
        await ask(page, 'What is the capital of France?')
        await answered(page)
        await expect(answers(page).locator('.prose')).not.toBeEmpty()
        await expect(receipts(page)).toHaveText(/\$0\.0\d+/)
        await expect(page.getByRole('button', { name: /^Credit balance: \$6\.00/ })).toHaveAttribute(
          'title',
          /^\$5\.99/,
        )
      }

      await page.goto('/wallet')
      await expect(page.getByRole('region', { name: 'Balance' })).toContainText('$6.00')
      await expect(page.getByRole('region', { name: 'Top-ups' })).toContainText('5.00')
      await expect(page.getByRole('region', { name: 'Active sessions' })).toContainText('this browser')
      await look('5-wallet', 'Base on a phone', 'Base on a desktop')

      // The account's menu is on the screen, or in the sidebar's sheet.
      if ((await page.getByRole('button', { name: address }).locator('visible=true').count()) === 0)
        await page.getByRole('button', { name: 'Open chats' }).click()
      await page.getByRole('button', { name: address }).locator('visible=true').click()
      await page.getByLabel('Wallet menu').getByText('Sign out').click()
      await expect(page.getByRole('button', { name: /^Credit balance/ })).toBeHidden()
    },
  )
}
