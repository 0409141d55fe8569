import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Browser, chromium, type Page } from 'playwright'
import { openAll, startChild } from '@/bench/children'
import { startProduct } from '@/bench/product'
import { type MockCalls, type Plan, writeSettings } from '@/bench/settings'
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

/**
 * Writes a chat of `turns` short turns into the browser's database, each second one with a block of code. The page must
 * have opened its database before.
 *
 * @param at which of several it is.
 * @returns the chat's id
 */
export async function seedChat(page: Page, turns: number, at = 0): Promise<string> {
  const chatId = `00000000-0000-4000-8000-0000000005${at.toString(16).padStart(2, '0')}`
  await page.evaluate(
    async ({ id, at, count }) => {
      const open = indexedDB.open('lagoon')
      await new Promise((resolve, reject) => {
        open.onsuccess = resolve
        open.onerror = () => reject(open.error)
      })
      const database = open.result
      const writing = database.transaction(['conversations', 'messages', 'parts'], 'readwrite')
      const startedAt = Date.now() - count * 1000
      writing.objectStore('conversations').put({
        id,
        title: `Long chat ${at}`,
        isNamed: true,
        createdAt: startedAt,
        updatedAt: Date.now(),
        modelId: 'mock',
        branches: {},
      })
      for (let n = 0; n < count; n++) {
        const isAnswer = n % 2 === 1
        const text = isAnswer
          ? `Answer ${n}: twice a day, about every **12.4 hours**.\n\n\`\`\`ts\nconst next = last + ${n} * 12.4\nreturn next\n\`\`\``
          : `Question ${n}: when is the next high tide?`
        writing.objectStore('messages').put({
          id: `turn-${at}-${n}`,
          conversationId: id,
          parentId: n === 0 ? '' : `turn-${at}-${n - 1}`,
          role: isAnswer ? 'assistant' : 'user',
          status: 'done',
          createdAt: startedAt + n * 1000,
          ...(isAnswer && { modelId: 'mock' }),
        })
        writing
          .objectStore('parts')
          .put({ messageId: `turn-${at}-${n}`, conversationId: id, i: isAnswer ? 1 : 0, type: 'text', payload: text })
      }
      await new Promise((resolve, reject) => {
        writing.oncomplete = resolve
        writing.onerror = () => reject(writing.error)
      })
      database.close()
    },
    { id: chatId, at, count: turns },
  )
  return chatId
}
