import { type Browser, chromium, type Locator, type Page } from 'playwright'
import { median } from '@/bench/figures'
import type { WalletBed } from '@/bench/wallet-bed'
import type { Family } from '@/lib/contract/chains'
import { ensureBrowser } from '@/scripts/tools/browser'

/** From the click on the button that pays to the words that say it is credited, with the page's built-in test wallet. */
export type Click = {
  coldMs: number
  coldRequestMs: number
  warmMs: number
  /** Of it the request that carries the payment, until its answer is there. */
  warmRequestMs: number
}
export type Clicks = Record<Family, Click>

type Timed = { totalMs: number; requestMs: number }

const FAMILIES = ['evm', 'solana'] as const
const CHAIN: Record<Family, string> = { evm: 'Base', solana: 'Solana' }
// Payments of one page: five times 5 USD is what the faucet gives.
const WARM_PAYMENTS = 3
const PAY = 'Pay 5 USDC'
const CREDITED = 'Credit added'
const PATIENCE_MS = 30_000

/** Every round opens a browser profile of its own for each family; the first round warms up the server. */
export async function measureClicks(bed: WalletBed, rounds: number): Promise<Clicks> {
  const executablePath = await ensureBrowser(process.cwd())
  if (executablePath === undefined) throw new Error('the clicks need a browser')
  const browser = await chromium.launch({ executablePath })
  const cold: Record<Family, Timed[]> = { evm: [], solana: [] }
  const warm: Record<Family, Timed[]> = { evm: [], solana: [] }
  try {
    for (let round = -1; round < rounds; round++) {
      for (const family of FAMILIES) {
        const [first, ...others] = await pays(browser, bed.origin, family)
        if (round < 0 || !first) continue
        cold[family].push(first)
        warm[family].push(...others)
      }
    }
  } finally {
    await browser.close()
  }
  const middle = (timed: Timed[], name: keyof Timed) => median(timed.map((one) => one[name]))
  const of = (family: Family): Click => ({
    coldMs: middle(cold[family], 'totalMs'),
    coldRequestMs: middle(cold[family], 'requestMs'),
    warmMs: middle(warm[family], 'totalMs'),
    warmRequestMs: middle(warm[family], 'requestMs'),
  })
  return { evm: of('evm'), solana: of('solana') }
}

async function pays(browser: Browser, origin: string, family: Family): Promise<Timed[]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
  try {
    await page.goto(origin)
    await click('Sign in')
    await page.getByText(CHAIN[family], { exact: true }).click()
    await click('Use the test wallet')
    await click('Sign message')
    await click('Add credit')
    const timed: Timed[] = []
    while (timed.length <= WARM_PAYMENTS) {
      await page.getByText('$5', { exact: true }).click()
      timed.push(await timedClick(page, page.getByRole('button', { name: PAY, exact: true })))
      await click('Done')
      if (timed.length > WARM_PAYMENTS) break
      await page.getByRole('button', { name: /^Credit balance/ }).click()
      await click('Add credit')
    }
    return timed
  } finally {
    await context.close()
  }
}

// By the page's own clock: from the event of the click to the frame that shows the words. The button lets itself be
// clicked once the wallet is known to hold enough.
async function timedClick(page: Page, button: Locator): Promise<Timed> {
  const watch = await page.evaluateHandle((words) => {
    let clickedAt = 0
    const onClick = (event: Event) => {
      clickedAt = event.timeStamp
    }
    const timed = (): { totalMs: number; requestMs: number } => {
      const requests = performance
        .getEntriesByType('resource')
        .filter(({ name, startTime }) => name.endsWith('/x402/top-up') && startTime > clickedAt)
      return { totalMs: performance.now() - clickedAt, requestMs: requests.at(-1)?.duration ?? Number.NaN }
    }
    document.addEventListener('click', onClick, { capture: true, once: true })
    const credited = new Promise<ReturnType<typeof timed>>((resolve) => {
      const observer = new MutationObserver(() => {
        if (![...document.querySelectorAll('h2')].some(({ textContent }) => textContent === words)) return
        observer.disconnect()
        requestAnimationFrame(() => resolve(timed()))
      })
      observer.observe(document.body, { subtree: true, childList: true, characterData: true })
    })
    return { credited }
  }, CREDITED)
  await button.click()
  return watch.evaluate(({ credited }) => credited)
}
