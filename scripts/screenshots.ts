import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { type Browser, chromium, type Page } from 'playwright'
import { startScriptedServer } from '@/e2e/testing/scripted-server'
import { ensureBrowser } from '@/scripts/tools/browser'
import { ensureBuilt } from '@/scripts/tools/build'

// The pictures of the README, made from the built product: the real server, with a model whose words are always the same.

const IMAGES = path.join('docs', 'images')
const WINDOW = { width: 1280, height: 960 }
/** For a screen of three panes. */
const DESK = { width: 1440, height: 900 }
const QUESTION = 'Why are there two high tides a day, and how do I know when the next one comes?'
const FOLLOW_UP = 'And as a small function?'

const TIDES = `The Moon raises **two bulges** of water, and the Earth turns under both of them once a day.

The Moon moves on *meanwhile*, so a full turn takes 24 h 50 min, and the next tide comes a little later each day:

| Tide | Comes after | Height |
|---|---|---:|
| high | 0 h 00 min | 4.1 m |
| low | 6 h 12 min | 0.9 m |
| high again | 12 h 25 min | 3.8 m |
`

const CODE = `Add half a lunar day until the result lies in the future:

\`\`\`python
from datetime import datetime, timedelta

def next_high(last: datetime, now: datetime) -> datetime:
    half_day = timedelta(hours=12, minutes=25)
    return last + half_day * ((now - last) // half_day + 1)
\`\`\`
`

const browserPath = await ensureBrowser(process.cwd())
if (!(await ensureBuilt(process.cwd())) || browserPath === undefined) process.exit(1)
await mkdir(IMAGES, { recursive: true })
const { origin, upstream, close } = await startScriptedServer()
const browser = await chromium.launch({ executablePath: browserPath })
try {
  for (const theme of ['light', 'dark'] as const) {
    upstream.next({ text: TIDES, reasoning: 'Two bulges, then the period. '.repeat(12), tokensPerSecond: 120 })
    upstream.next({ text: CODE, tokensPerSecond: 120, cachedTokens: 180 })
    await photograph(browser, theme)
    upstream.next({ text: TIDES, tokensPerSecond: 120 })
    await photographWallet(browser, theme)
    await photographRpc(browser, theme)
    await photographCharacters(browser, theme)
  }
} finally {
  await browser.close()
  await close()
}

async function photograph(browser: Browser, theme: 'light' | 'dark'): Promise<void> {
  const page = await openTab(browser, theme, WINDOW)
  await page.goto(origin)
  for (const [index, question] of [QUESTION, FOLLOW_UP].entries()) {
    await page.getByRole('textbox', { name: 'Message' }).fill(question)
    await page.getByRole('button', { name: 'Send' }).click()
    await page
      .getByRole('button', { name: /^Receipt/ })
      .nth(index)
      .waitFor()
  }
  await keep(page, `chat-${theme}.png`)
}

/** The wallet's screen, after the test wallet has paid in and an answer has taken some of it. */
async function photographWallet(browser: Browser, theme: 'light' | 'dark'): Promise<void> {
  const page = await openTab(browser, theme, WINDOW)
  await page.goto(origin)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click()
  for (const name of ['Sign in', 'Use test wallet', 'Sign message', 'Add credit', 'Pay 10 USDC', 'Done'])
    await press(name)
  await page.getByRole('textbox', { name: 'Message' }).fill(QUESTION)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: /^Receipt/ }).waitFor()
  await page.getByRole('link', { name: 'Wallet' }).first().click()
  await page.getByRole('region', { name: 'Active sessions' }).waitFor()
  await keep(page, `wallet-${theme}.png`)
}

/** The playground, with a call that was just run. */
async function photographRpc(browser: Browser, theme: 'light' | 'dark'): Promise<void> {
  const page = await openTab(browser, theme, DESK)
  await page.goto(`${origin}/rpc/base-mainnet/eth_getBlockByNumber`)
  const response = page.getByRole('region', { name: 'Response' })
  await page.getByRole('button', { name: /^Run/ }).first().click()
  await response.getByRole('tab', { name: 'Decoded' }).click()
  await response.getByText('UTC').first().waitFor()
  await keep(page, `rpc-${theme}.png`)
}

async function photographCharacters(browser: Browser, theme: 'light' | 'dark'): Promise<void> {
  const page = await openTab(browser, theme, DESK)
  await page.goto(`${origin}/characters`)
  await page.getByRole('link', { name: /^Rook/ }).first().waitFor()
  await keep(page, `characters-${theme}.png`)
}

/** Chats are titled by their first words here: a title by the model would take the next of its words. */
async function openTab(
  browser: Browser,
  theme: 'light' | 'dark',
  viewport: { width: number; height: number },
): Promise<Page> {
  const page = await browser.newPage({ viewport, deviceScaleFactor: 2, colorScheme: theme, locale: 'en-GB' })
  await page.addInitScript(() => localStorage.setItem('lagoon:titles', 'words'))
  return page
}

async function keep(page: Page, name: string): Promise<void> {
  await page.mouse.move(WINDOW.width / 2, WINDOW.height - 2)
  await page.waitForLoadState('networkidle')
  const file = path.join(IMAGES, name)
  await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' })
  await page.close()
  console.log(file)
}
