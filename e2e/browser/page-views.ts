import { devices, expect, type Page } from '@playwright/test'

/** How a page is shown: its size, and whether a finger points. */
export type View = { width: number; height: number; isPhone: boolean }

const QUIET_MS = 150

/** As the phone project shows it. */
export const PHONE_VIEW: View = { ...devices['Pixel 7'].viewport, isPhone: true }

/** Returns what shows an open page as another device would, which costs less than to open it there, too. */
export async function viewer(page: Page): Promise<(view: View) => Promise<void>> {
  const session = await page.context().newCDPSession(page)
  return async ({ width, height, isPhone }) => {
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: isPhone, maxTouchPoints: 1 })
    await session.send('Emulation.setDeviceMetricsOverride', {
      ...{ width, height, mobile: isPhone },
      deviceScaleFactor: isPhone ? devices['Pixel 7'].deviceScaleFactor : 1,
    })
    const hasFinger = await page.evaluate(async () => {
      // Parts that measure their place follow a new size in the next frames.
      for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame)
      return matchMedia('(pointer: coarse)').matches
    })
    expect(hasFinger).toBe(isPhone)
  }
}

/** Listens to what pages of this context request. Returns a wait for the moment when nothing has been under way for a while. */
export function watchRequests(page: Page): () => Promise<void> {
  const open = new Set<unknown>()
  let changedAt = performance.now()
  const note = (change: () => unknown) => {
    change()
    changedAt = performance.now()
  }
  const context = page.context()
  context.on('request', (request) => note(() => open.add(request)))
  context.on('requestfinished', (request) => note(() => open.delete(request)))
  context.on('requestfailed', (request) => note(() => open.delete(request)))
  const isQuiet = () => open.size === 0 && performance.now() - changedAt >= QUIET_MS
  return () => expect.poll(isQuiet, { intervals: [20], message: 'the page has all it requested' }).toBe(true)
}
