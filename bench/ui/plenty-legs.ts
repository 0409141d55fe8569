import type { Locator, Page } from 'playwright'
import { median } from '@/bench/figures'
import type { UiStage } from '@/bench/ui/stage'
import { seedChat } from '@/bench/ui/stage'

const CHATS = 20
const TURNS = 500
const LOOK_MS = 300
const SCROLL_PX_A_SECOND = 2_500
const SCROLL_PX = 25_000
const LATE_FRAME_MS = 34
const PICKS = 5
const NEAR_MS = 700
const MOST_MS = 10_000

export type Memory = {
  /** What is live in the page's heap before and after, once all garbage is gone. Bytes. */
  before: number
  after: number
  nodesBefore: number
  nodesAfter: number
}

/** Twenty chats of 500 turns, opened one after another from the list; then a new chat again. */
export async function measureMemory(stage: UiStage): Promise<Memory> {
  return stage.inPage(1, async (page) => {
    const ids: string[] = []
    for (let at = 0; at < CHATS; at++) ids.push(await seedChat(page, TURNS, at))
    await page.reload()
    // What every chat needs is there before: what one chat leaves behind is asked for.
    await openChat(page, ids[0] ?? '')
    await toNewChat(page)
    const before = await liveOf(page)
    for (const id of ids) await openChat(page, id)
    await toNewChat(page)
    const after = await liveOf(page)
    return { before: before.bytes, after: after.bytes, nodesBefore: before.nodes, nodesAfter: after.nodes }
  })
}

async function openChat(page: Page, id: string): Promise<void> {
  await page.locator(`aside a[href="/c/${id}"]`).click()
  await page.getByText(`Answer ${TURNS - 1}:`).waitFor()
  await page.waitForTimeout(LOOK_MS)
}

async function toNewChat(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New chat' }).first().click()
  await page.waitForURL((url) => url.pathname === '/')
}

async function liveOf(page: Page): Promise<{ bytes: number; nodes: number }> {
  await page.waitForTimeout(2_000)
  const session = await page.context().newCDPSession(page)
  // What finalisers let go of is gone with the next round only.
  for (let round = 0; round < 3; round++) await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  const { nodes } = await session.send('Memory.getDOMCounters')
  await session.detach()
  return { bytes: usedSize, nodes }
}

export type Scrolled = { framesPerSecond: number; lateFrames: number; layoutShift: number; nodes: number }

/** The gallery of all characters, scrolled as by a finger that does not stop. */
export async function measureGallery(stage: UiStage, slowdown: number): Promise<Scrolled> {
  return stage.inPage(slowdown, async (page) => {
    await page.goto(`${stage.origin}/characters`)
    await page.getByRole('gridcell').first().waitFor()
    await page.waitForLoadState('networkidle')
    await page.evaluate(() => Object.assign(window.recorded, { startedAt: performance.now(), frames: [] }))
    const startedAt = performance.now()
    const session = await page.context().newCDPSession(page)
    await session.send('Input.synthesizeScrollGesture', {
      x: 640,
      y: 500,
      yDistance: -SCROLL_PX,
      speed: SCROLL_PX_A_SECOND,
      gestureSourceType: 'mouse',
    })
    const seconds = (performance.now() - startedAt) / 1000
    const { frames, layoutShift, nodes } = await page.evaluate(() => ({
      frames: window.recorded.frames,
      layoutShift: window.recorded.layoutShift,
      nodes: document.querySelectorAll('*').length,
    }))
    return {
      framesPerSecond: frames.length / seconds,
      lateFrames: frames.filter((frame) => frame > LATE_FRAME_MS).length / Math.max(1, frames.length),
      layoutShift,
      nodes,
    }
  })
}

export type Picked = { openMs: number; filterMs: number; nodes: number }

/** The list of models: from the click to the frame that shows it, and from a key to the frame that shows what was found. */
export async function measurePicker(stage: UiStage, slowdown: number): Promise<Picked> {
  return stage.inPage(slowdown, async (page) => {
    const trigger = page.getByRole('button', { name: /^Model: / })
    // Nobody clicks without coming near it, some time before.
    await trigger.hover()
    await page.waitForTimeout(NEAR_MS)
    const opened: number[] = []
    const filtered: number[] = []
    let nodes = 0
    for (let pick = 0; pick < PICKS; pick++) {
      opened.push(await timeUntilOptions(trigger, 'click'))
      filtered.push(await timeUntilOptions(trigger, 'type'))
      nodes = await page.evaluate(() => document.querySelectorAll('*').length)
      await page.keyboard.press('Escape')
      await page.getByRole('listbox').waitFor({ state: 'detached' })
    }
    return { openMs: opened[0] ?? Number.NaN, filterMs: median(filtered), nodes }
  })
}

async function timeUntilOptions(trigger: Locator, act: 'click' | 'type'): Promise<number> {
  return await trigger.evaluate(
    (button: HTMLElement, [how, within]) =>
      new Promise<number>((resolve, reject) => {
        const startedAt = performance.now()
        const field = document.activeElement
        if (how === 'click') button.click()
        else {
          Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, 'Model 49')
          field?.dispatchEvent(new Event('input', { bubbles: true }))
        }
        const look = () => {
          const options = [...document.querySelectorAll('[role="option"]')]
          const isThere = how === 'click' ? options.length > 3 : options[0]?.textContent?.includes('Model 49')
          if (isThere) requestAnimationFrame(() => resolve(performance.now() - startedAt))
          else if (performance.now() - startedAt < within) requestAnimationFrame(look)
          else reject(new Error(`after the ${how} there were ${options.length} options`))
        }
        look()
      }),
    [act, MOST_MS] as const,
  )
}
