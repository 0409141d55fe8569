import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Browser, chromium, type Page } from 'playwright'
import { openAll, startChild } from '@/bench/children'
import type { MockCalls, Plan } from '@/bench/mock-plan'
import { startProduct } from '@/bench/product'
import { writeSettings } from '@/bench/settings'
import { record } from '@/bench/ui/watch'
import { ensureBrowser } from '@/scripts/tools/browser'
import { freePort } from '@/scripts/tools/free-port'

/** The built product as a newcomer starts it, with a model whose answers are played at an even pace, and a browser. */
export type UiStage = {
  origin: string
  browser: Browser
  debugPort: number
  play: (plan: Pick<Plan, 'text' | 'paceMs'>) => Promise<unknown>
  /** Closes a new visitor's tab after its use. `slowdown` divides what the processor gives it. */
  inPage: InPage
  inBarePage: InPage
  stop: () => Promise<void>
}

type InPage = <T>(slowdown: number, use: (page: Page) => Promise<T>) => Promise<T>

export type Plenty = { models: number; characters: number }

const VIEWPORT = { width: 1280, height: 800 }
// A busy machine under a slowed-down tab takes long for what people do at once.
const TIMEOUT_MS = 120_000

export async function openUiStage(folder: string, plenty?: Plenty): Promise<UiStage> {
  const executablePath = await ensureBrowser(process.cwd())
  if (executablePath === undefined) throw new Error('this bench needs a browser')
  return openAll(async (keep) => {
    const mock = keep(await startChild<MockCalls>('mock-upstream'))
    const settings = await writeSettings(folder, await mock.call('listen'))
    const product = keep(
      await startProduct({
        logFile: `${folder}/product.log`,
        environment: {
          ...settings,
          ...(plenty && (await writePlenty(folder, settings.MODELS_FILE ?? '', plenty))),
          DATA_DIR: `${folder}/data`,
          SANDBOX: 'on',
        },
      }),
    )
    const debugPort = await freePort()
    const browser = await chromium.launch({ executablePath, args: [`--remote-debugging-port=${debugPort}`] })
    keep({ stop: () => browser.close() })
    const origin = `http://localhost:${product.port}`
    return {
      origin,
      browser,
      debugPort,
      play: (plan) =>
        mock.call('plan', { tokens: 1, firstTokenMs: 0, tokensPerEvent: 1, hasOwnWrites: false, ...plan }),
      inPage: (slowdown, use) =>
        inTab(browser, slowdown, use, async (page) => {
          await page.goto(origin)
          await page.getByRole('button', { name: /^Model: (?!loading)/ }).waitFor()
          // What is fetched when the page has nothing else to do is not part of what a person waits for.
          await page.waitForLoadState('networkidle')
        }),
      inBarePage: (slowdown, use) => inTab(browser, slowdown, use, (page) => page.goto('about:blank')),
    }
  })
}

async function inTab<T>(
  browser: Browser,
  slowdown: number,
  use: (page: Page) => Promise<T>,
  open: (page: Page) => Promise<unknown>,
): Promise<T> {
  const context = await browser.newContext({ viewport: VIEWPORT })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(TIMEOUT_MS)
    await record(page)
    await open(page)
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    return await use(page)
  } finally {
    await context.close()
  }
}

const CHARACTERS_IN_A_FILE = 500

async function writePlenty(folder: string, modelsFile: string, plenty: Plenty): Promise<Record<string, string>> {
  const settings = JSON.parse(await readFile(modelsFile, 'utf8')) as { models: { id: string; name: string }[] }
  const [first] = settings.models
  for (let n = 1; first && n < plenty.models; n++) {
    settings.models.push({ ...first, id: `model-${n}`, name: `Model ${n}`, ...NO_DEFAULT })
  }
  const characters = path.join(folder, 'characters')
  await mkdir(characters)
  await writeFile(path.join(folder, 'plenty.json'), JSON.stringify(settings))
  for (let from = 0; from < plenty.characters; from += CHARACTERS_IN_A_FILE) {
    const count = Math.min(CHARACTERS_IN_A_FILE, plenty.characters - from)
    const list = Array.from({ length: count }, (_, at) => character(from + at))
    await writeFile(path.join(characters, `${from}.json`), JSON.stringify({ characters: list }))
  }
  return { MODELS_FILE: path.join(folder, 'plenty.json'), CHARACTERS_FILE: characters }
}

const NO_DEFAULT = { traits: [] }

function character(n: number) {
  return {
    slug: `somebody-${n}`,
    name: `Somebody ${n}`,
    description: `The ${n}th of many, who knows the tides of one harbour and tells of them at length.`,
    prompt: 'You tell of tides.',
    greeting: 'Good morning.',
    tags: ['tides', `harbour-${n % 40}`],
  }
}
