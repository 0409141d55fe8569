import { expect, type Locator, type Page } from '@playwright/test'

/** More presses than any screen has stops. */
const MOST_TABS = 120

/** What has the focus, and whether a person sees that it has. `isPage`: nothing has it. */
type Focus = { name: string; isPage: boolean; isSeen: boolean }

/** The page's own key that leads to the field for a question, from wherever nothing lies over the page. */
export async function toComposer(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await isAt(page.getByRole('textbox', { name: 'Message', exact: true }))
}

/** Writes a question into the field and sends it. */
export async function askByKeys(page: Page, question: string): Promise<void> {
  await toComposer(page)
  await page.keyboard.type(question)
  await page.keyboard.press('Enter')
}

/** Tabs on, or back, until what is called so has the focus. Every stop on the way must be seen. */
export async function tabTo(page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = []
  for (let presses = 0; presses < MOST_TABS; presses += 1) {
    await page.keyboard.press(key)
    const focus = await page.evaluate(readFocus)
    // After the last stop comes the browser's own bar, which has none here.
    if (focus.isPage) continue
    // Buttons of a turn come into sight with the focus.
    if (!focus.isSeen) await isHeld(page)
    if (typeof name === 'string' ? focus.name.startsWith(name) : name.test(focus.name)) return await isHeld(page)
    passed.push(focus.name.slice(0, 30))
  }
  throw new Error(`Nothing called ${name} came under the focus, but: ${passed.join(' | ')}`)
}

/** Something has the focus, and is seen to have it: it did not fall to the page. */
export async function isHeld(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate(readFocus), { message: 'something has the focus, and shows it' })
    .toEqual({ name: expect.any(String), isPage: false, isSeen: true })
}

/** This has the focus, and is seen to have it. */
export async function isAt(locator: Locator): Promise<void> {
  await expect(locator).toBeFocused()
  await isHeld(locator.page())
}

/** The focus is somewhere in this, and is seen. */
export async function isIn(locator: Locator): Promise<void> {
  await expect.poll(() => locator.evaluate((part) => part.contains(document.activeElement))).toBe(true)
  await isHeld(locator.page())
}

type Chosen = { name: string; mimeType: string; buffer: Buffer }

/** Presses what has the focus and answers the system's dialog for files. */
export async function chooseFiles(page: Page, files: Chosen[], key = 'Enter'): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  // The browser is told to hand it over, and has heard of it when it answers.
  await page.evaluate(() => undefined)
  await page.keyboard.press(key)
  await (await chooser).setFiles(files)
}

/** Runs in the page. */
function readFocus(): Focus {
  const { activeElement: focused, body } = document
  if (!(focused instanceof HTMLElement) || focused === body) return { name: '', isPage: true, isSeen: false }
  const isField = focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement
  const label = isField ? focused.labels?.[0]?.textContent : undefined
  const name = (focused.getAttribute('aria-label') ?? label ?? focused.textContent ?? '').trim()
  const isShown = (part: Element) => part.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  const isOutlined = (part: Element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(part)
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0 && isShown(part)
  }
  // A radio button or a file field may be drawn by what stands around it.
  const around = [focused, focused.parentElement, focused.parentElement?.parentElement]
  // A turn is as wide as the page, and has its ring around its words.
  const words = focused.matches('[data-turn]') ? [...focused.querySelectorAll('div, p')] : []
  // A film has controls of the browser's own, a field its caret, an item of a menu its ground. A sheet, a menu and the part for
  // the screen are where the keys begin.
  const isMarked = focused.matches(
    'textarea, video, input:not([type=radio], [type=checkbox], [type=file]), [data-highlighted]',
  )
  const isSeen =
    [...around, ...words].some((part) => part && isOutlined(part)) ||
    isMarked ||
    focused.matches('main, [role="dialog"], [role="menu"]')
  return { name, isPage: false, isSeen: isSeen && focused.checkVisibility({ visibilityProperty: true }) }
}
