import { type Browser, chromium, type Page } from 'playwright'
import { type Child, startChild } from '@/bench/children'
import type { MockCalls, Plan } from '@/bench/mock-plan'
import { startProduct } from '@/bench/product'
import { writeSettings } from '@/bench/settings'
import { writePlenty } from '@/bench/ui/plenty'
import { record } from '@/bench/ui/watch'
import { ensureBrowser } from '@/scripts/tools/browser'
import { freePort } from '@/scripts/tools/free-port'

/** The built product as a newcomer starts it, with a model whose answers are played at an even pace, and a browser. */
export type UiStage = {
  origin: string
  browser: Browser
  /** Where other programs can drive the browser. */
  debugPort: number
  play: (plan: Pick<Plan, 'text' | 'paceMs'>) => Promise<unknown>
  /** A new visitor's tab. `slowdown` divides what the processor gives it. */
  openPage: (slowdown: number) => Promise<Page>
  /** A tab without anything of ours in it. */
  openBarePage: (slowdown: number) => Promise<Page>
  stop: () => Promise<void>
}

/** What the product has to choose from; without it one model and the characters that ship. */
export type Plenty = { models: number; characters: number }

const VIEWPORT = { width: 1280, height: 800 }
/** A busy machine under a slowed-down tab takes long for what people do at once. */
const PATIENCE_MS = 120_000

export async function openUiStage(folder: string, plenty?: Plenty): Promise<UiStage> {
  const executablePath = await ensureBrowser(process.cwd())
  if (executablePath === undefined) throw new Error('this bench needs a browser')
  const stops: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end()
  }
  try {
    const mock: Child<MockCalls> = await startChild<MockCalls>('mock-upstream')
    stops.push(mock.stop)
    const settings = await writeSettings(folder, await mock.call('listen'))
    const product = await startProduct({
      logFile: `${folder}/product.log`,
      environment: {
        ...settings,
        ...(plenty && (await writePlenty(folder, settings.MODELS_FILE ?? '', plenty))),
        DATA_DIR: `${folder}/data`,
        SANDBOX: 'on',
      },
    })
    stops.push(product.stop)
    const debugPort = await freePort()
    const browser = await chromium.launch({ executablePath, args: [`--remote-debugging-port=${debugPort}`] })
    stops.push(() => browser.close())
    const origin = `http://localhost:${product.port}`
    return {
      origin,
      browser,
      debugPort,
      play: (plan) =>
        mock.call('plan', { tokens: 1, firstTokenMs: 0, tokensPerEvent: 1, hasOwnWrites: false, ...plan }),
      openPage: async (slowdown) => {
        const page = await newTab(browser)
        await page.goto(origin)
        await page.getByRole('button', { name: /^Model: (?!loading)/ }).waitFor()
        // What is fetched when the page has nothing else to do is not part of what a person waits for.
        await page.waitForLoadState('networkidle')
        await slowDown(page, slowdown)
        return page
      },
      openBarePage: async (slowdown) => {
        const page = await newTab(browser)
        await page.goto('about:blank')
        await slowDown(page, slowdown)
        return page
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function newTab(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: VIEWPORT })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  await record(page)
  return page
}

async function slowDown(page: Page, rate: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate })
}
