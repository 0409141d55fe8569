import type { Page } from 'playwright'
import { percentile } from '@/bench/figures'

/** What a page did while it was watched. Times are milliseconds. */
export type Watched = {
  seconds: number
  /** What tasks took beyond 50 ms each, in all: while they run, nothing answers. */
  blockingMs: number
  longestTaskMs: number
  framesPerSecond: number
  /** Of all frames, those that came later than two frames of a usual screen: 0 to 1. */
  lateFrames: number
  /** From a key to the frame that shows it; what is under 16 ms counts as 16. */
  keyToPaintP98Ms: number
  nodes: number
}

type Recorded = {
  startedAt: number
  tasks: number[]
  keys: number[]
  frames: number[]
  layoutShift: number
  pressed: number
}

declare global {
  interface Window {
    recorded: Recorded
  }
}

const KEY_EVERY_MS = 250
const LATE_FRAME_MS = 34
const LEAST_KEY_MS = 16

/** Begins to record in every page of this tab. Called before the page is opened. */
export async function record(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const recorded: Recorded = { startedAt: 0, tasks: [], keys: [], frames: [], layoutShift: 0, pressed: 0 }
    window.recorded = recorded
    new PerformanceObserver((list) => {
      for (const { duration, startTime } of list.getEntries()) {
        if (startTime >= recorded.startedAt) recorded.tasks.push(duration)
      }
    }).observe({ type: 'longtask' })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (entry.name === 'keydown' && entry.startTime >= recorded.startedAt) recorded.keys.push(entry.duration)
      }
    }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean }
        if (!hadRecentInput) recorded.layoutShift += value
      }
    }).observe({ type: 'layout-shift' })
    let before = 0
    const onFrame = (now: number) => {
      if (before >= recorded.startedAt) recorded.frames.push(now - before)
      before = now
      requestAnimationFrame(onFrame)
    }
    requestAnimationFrame(onFrame)
  })
}

/** Watches until `isOver`, with a key pressed into the focused field four times a second. */
export async function watch(page: Page, isOver: () => Promise<boolean>): Promise<Watched> {
  await page.evaluate(() => {
    Object.assign(window.recorded, { startedAt: performance.now(), tasks: [], keys: [], frames: [] })
  })
  const startedAt = performance.now()
  let pressed = 0
  for (let next = startedAt; !(await isOver()); ) {
    await page.keyboard.press('a')
    pressed++
    next += KEY_EVERY_MS
    await page.waitForTimeout(Math.max(0, next - performance.now()))
  }
  const { recorded, nodes } = await page.evaluate(() => ({
    recorded: window.recorded,
    nodes: document.querySelectorAll('*').length,
  }))
  const seconds = (performance.now() - startedAt) / 1000
  const keys = [...recorded.keys, ...Array<number>(Math.max(0, pressed - recorded.keys.length)).fill(LEAST_KEY_MS)]
  return {
    seconds,
    blockingMs: recorded.tasks.reduce((sum, task) => sum + Math.max(0, task - 50), 0),
    longestTaskMs: Math.max(0, ...recorded.tasks),
    framesPerSecond: recorded.frames.length / seconds,
    lateFrames: recorded.frames.filter((frame) => frame > LATE_FRAME_MS).length / Math.max(1, recorded.frames.length),
    keyToPaintP98Ms: percentile(keys, 98),
    nodes,
  }
}
