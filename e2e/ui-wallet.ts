import { test as base } from './fixtures'
import { openWalletStage, type WalletStage } from './wallet-stage'

export { expect } from './fixtures'

/** Journeys of people without welcome credit: one server on local chains, where any wallet may connect. */
export const test = base.extend<object, { stage: WalletStage }>({
  stage: [
    async ({}, use) => {
      const stage = await openWalletStage({}, { SANDBOX_WALLETS: 'any' })
      await use(stage)
      await stage.stop()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  baseURL: async ({ stage }, use) => use(stage.origin()),
})
