import AxeBuilder from '@axe-core/playwright'
import { expect, type Page, type TestInfo } from '@playwright/test'

/** Where the pictures of each state are kept, for people to look at. */
const SCREENSHOTS = 'artifacts/screenshots'

/** Opens the page of a new chat and waits until a question can be sent. */
export async function openNewChat(page: Page): Promise<void> {
  await page.goto('/')
  await expect(page.getByRole('button', { name: /^Model: (?!loading)/ })).toBeVisible()
}

/** Types a question and sends it. */
export async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(question)
  await page.getByRole('button', { name: 'Send' }).click()
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

/** For a journey that a phone would only repeat: no layout, no gesture of its own. */
export const DESK = { tag: '@desk' } as const

/** The rules whose result depends on colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * Checks the page against WCAG and best practice, in light and in dark, and keeps a picture of each. The two differ in
 * colours alone, so that the second is looked at for these.
 */
export async function inspect(page: Page, testInfo: TestInfo, state: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.screenshot({
      path: `${SCREENSHOTS}/${state}-${testInfo.project.name}-${colorScheme}.png`,
      scale: 'css',
    })
    // In the page itself: the way that reads frames of other origins opens a page for each result, and there are none.
    const axe = new AxeBuilder({ page }).setLegacyMode()
    const { violations } = await (colorScheme === 'dark' ? axe.withRules(COLOUR_RULES) : axe).analyze()
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`)
    expect(found, `${state} in ${colorScheme}`).toEqual([])
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
}
