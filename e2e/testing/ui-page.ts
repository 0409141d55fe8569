import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Locator, type Page, type TestInfo } from '@playwright/test'
import type axe from 'axe-core'

/** Where the pictures of each state are kept, for people to look at. They take time, so that `PICTURES=on` asks for them. */
const PICTURES = 'artifacts/screenshots'
const TAKES_PICTURES = process.env.PICTURES === 'on'

/** A page that answers (`app/providers.tsx`), or one that is none of ours. */
const LIVE = 'html:is([data-live], :not(:has(script[src^="/_next/"])))'

/** Waits until the page answers: where it loaded itself anew, what is pressed before that is lost. */
export const live = (page: Page): Promise<void> => page.locator(LIVE).waitFor({ state: 'attached', timeout: 30_000 })

/** Opens the page of a new chat and waits until a question can be sent. */
export async function openNewChat(page: Page, origin = ''): Promise<void> {
  await page.goto(`${origin}/`)
  await expect(page.getByRole('button', { name: /^Model: (?!loading)/ })).toBeVisible()
}

/** Types a question and sends it. */
export async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill(question)
  await page.getByRole('button', { name: 'Send' }).click()
}

/** Chooses a radio button of which only the label is seen. Waits until that stands still, as a sheet that opens does not. */
export async function checkByLabel(radio: Locator): Promise<void> {
  await radio.locator('xpath=..').click()
  await expect(radio).toBeChecked()
}

/** The answers in the chat on screen. */
export const answers = (page: Page) => page.getByRole('article', { name: 'Assistant' })

/** The receipts in the chat on screen: one stands with each finished answer. */
export const receipts = (page: Page) => page.getByRole('button', { name: /^Receipt/ })

/** Waits until nothing is being written. */
export async function answered(page: Page, count = 1): Promise<void> {
  await expect(receipts(page)).toHaveCount(count)
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden()
}

/** For a journey that a phone would only repeat, or cannot make: no layout, no gesture of its own, no keyboard. */
export const DESK = { tag: '@desk' } as const

/** For a journey that only a phone makes. By a tag and not by `test.skip`, which has opened a page by then. */
export const PHONE = { tag: '@phone' } as const

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules whose result depends on colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * Checks the page against WCAG and best practice, in light and in dark. The two differ in colours alone, so that the second
 * is looked at for these.
 */
export async function inspect(page: Page, testInfo: TestInfo, state: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await painted(page)
    await takePicture(page, `${state}-${testInfo.project.name}-${colorScheme}`)
    const rules = colorScheme === 'dark' ? { runOnly: COLOUR_RULES } : {}
    expect(await violations(page, rules), `${state} in ${colorScheme}`).toEqual([])
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
}

/** Keeps a picture of the page, when pictures are asked for. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (TAKES_PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png`, scale: 'css' })
}

/** Waits until the page shows what it was last told: it draws twice, since a first drawing may ask for another. */
const painted = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))

/**
 * What axe finds: the names of rules, and where they are broken. Not by @axe-core/playwright: that sends the program twice, in
 * three times its size, which takes longer than the check.
 */
async function violations(page: Page, rules: axe.RunOptions): Promise<string[]> {
  // A page keeps it until it is loaded anew.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  return await page.evaluate(
    async (options) => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, options)
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
    },
    // Of other origins are the only frames of the product: previews of what a model wrote.
    { ...rules, iframes: false, resultTypes: ['violations' as const] },
  )
}
