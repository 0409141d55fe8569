import { test as base, expect, type Page, type Response } from '@playwright/test'
import { command } from './admin-line'
import { type ScriptedServer, startScriptedServer } from './scripted-server'
import { live } from './ui-page'
import { openWalletStage, type WalletStage } from './wallet-stage'

type Fixtures = {
  /** What went wrong in the page by itself. A test that ends with any has failed; one that provokes some takes them out. */
  pageFaults: string[]
}

type WorkerFixtures = {
  /** A new account's INFERENCE key with credit, made as an operator makes one. */
  apiKey: string
  /** The real server with a model that plays scripts, for tests where timing and failures matter (`ui-scripted.ts`). */
  scripted: ScriptedServer
  /** A server on local chains where any wallet may connect and nobody has welcome credit (`ui-wallet.ts`). */
  stage: WalletStage
}

/**
 * The stage of every journey: the server that playwright.config.ts started, and a page that may not break. The other servers
 * are here too, started when a test first asks for one: files with other worker fixtures would each get a new worker, and
 * with it new servers.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  apiKey: [
    async ({}, use) => {
      await use(await createKey('INFERENCE'))
    },
    { scope: 'worker' },
  ],
  scripted: [
    async ({}, use) => {
      const server = await startScriptedServer()
      await use(server)
      await server.close()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  stage: [
    async ({}, use) => {
      const stage = await openWalletStage({}, { SANDBOX_WALLETS: 'any' })
      await use(stage)
      await stage.stop()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  context: async ({ context }, use) => {
    context.on('page', waitUntilLive)
    // A title by the model is one more request after the first answer; a journey that is about it asks for it.
    await context.addInitScript(() => {
      try {
        if (localStorage.getItem('lagoon:titles') === null) localStorage.setItem('lagoon:titles', 'words')
      } catch {
        // A page without an origin has no storage.
      }
    })
    await use(context)
  },
  pageFaults: [
    async ({ page }, use) => {
      const faults: string[] = []
      page.on('pageerror', (error) => faults.push(error.stack ?? error.message))
      page.on('console', (message) => {
        if (message.type() === 'error' && /Content Security Policy|hydrat/i.test(message.text()))
          faults.push(message.text())
      })
      await use(faults)
      expect(faults).toEqual([])
    },
    { auto: true },
  ],
})

export { expect }

/**
 * Lets a page's own ways to an address end when it answers, not when it is drawn: what is pressed between the two is lost, and
 * where a person would press again, a test does not. Who says until when to wait waits no longer than that.
 */
function waitUntilLive(page: Page): void {
  const { goto, reload, goBack } = page
  const ended = async (going: Promise<Response | null>, waitUntil: string | undefined): Promise<Response | null> => {
    const response = await going
    if (!waitUntil) await live(page)
    return response
  }
  page.goto = (url, options) => ended(goto.call(page, url, options), options?.waitUntil)
  page.reload = (options) => ended(reload.call(page, options), options?.waitUntil)
  page.goBack = (options) => ended(goBack.call(page, options), options?.waitUntil)
}

/** Makes an account with 5 USD and a key on the server that playwright.config.ts started. */
export async function createKey(type: 'ADMIN' | 'INFERENCE'): Promise<string> {
  const args = ['keys', 'create', '--name', 'e2e', '--type', type, '--credit', '5']
  const printed = await command(process.env.E2E_DATA_DIR!, ...args)
  return printed.split('\n').at(-1) ?? ''
}
