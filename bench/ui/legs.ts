import type { Page } from 'playwright'
import { answerText } from '@/bench/ui/answer-text'
import { seedChat } from '@/bench/ui/seed'
import type { UiStage } from '@/bench/ui/stage'
import { type Watched, watch } from '@/bench/ui/watch'

/** A tenth of a second holds ten tokens of four characters. */
const PACE_MS = 10
const LONG_ANSWER_CHARS = 24_000
const LONG_CHAT_TURNS = 500
/** How long the answer in the long chat is watched. */
const LONG_CHAT_WATCH_MS = 15_000
/** From a pointer's arrival to its press, as of a person who has found the name. */
const REST_MS = 400
const MAX_ANSWER_MS = 240_000

/** A 24 KB answer in a new chat, as it comes. */
export async function measureAnswer(stage: UiStage, slowdown: number): Promise<Watched> {
  const page = await stage.openPage(slowdown)
  try {
    await stage.play({ text: answerText(LONG_ANSWER_CHARS), paceMs: PACE_MS })
    await ask(page)
    return await watch(page, until(MAX_ANSWER_MS, page))
  } finally {
    await page.context().close()
  }
}

/** What the machine makes of a page that does nothing but write the same letters: the rest is ours. */
export async function measureBare(stage: UiStage, slowdown: number): Promise<Watched> {
  const page = await stage.openBarePage(slowdown)
  try {
    await page.setContent('<textarea autofocus></textarea><p></p>')
    await page.evaluate(
      ({ text, paceMs }) => {
        const words = document.querySelector('p')
        const startedAt = performance.now()
        const write = (now: number) => {
          if (words) words.textContent = text.slice(0, ((now - startedAt) / paceMs) * 4)
          requestAnimationFrame(write)
        }
        requestAnimationFrame(write)
      },
      { text: answerText(LONG_ANSWER_CHARS), paceMs: PACE_MS },
    )
    await page.locator('textarea').focus()
    const endsAt = performance.now() + LONG_CHAT_WATCH_MS
    return await watch(page, async () => performance.now() > endsAt)
  } finally {
    await page.context().close()
  }
}

export type LongChat = {
  /** From the click on its name to the frame that shows its last turn. */
  openMs: number
  /** Elements in the document once it is open. */
  openNodes: number
  streaming: Watched
}

/** A chat of 500 turns: opened from the sidebar, then answered in. */
export async function measureLongChat(stage: UiStage, slowdown: number): Promise<LongChat> {
  const page = await stage.openPage(slowdown)
  try {
    const id = await seedChat(page, LONG_CHAT_TURNS)
    // The list learns of other writers than Dexie when the page is opened.
    await page.reload()
    const link = page.locator(`a[href="/c/${id}"]`)
    await link.waitFor()
    // Nobody clicks without coming near it: a pointer rests on a name before it presses.
    await link.hover()
    await page.waitForTimeout(REST_MS)
    await page.waitForLoadState('networkidle')
    const openMs = await timeToOpen(page, id)
    const openNodes = await page.evaluate(() => document.querySelectorAll('*').length)
    await stage.play({ text: answerText(LONG_ANSWER_CHARS), paceMs: PACE_MS })
    await ask(page)
    const streaming = await watch(page, until(LONG_CHAT_WATCH_MS, page))
    return { openMs, openNodes, streaming }
  } finally {
    await page.context().close()
  }
}

/** By the page's own clock. */
async function timeToOpen(page: Page, id: string): Promise<number> {
  return await page.evaluate(
    ({ href, last }) =>
      new Promise<number>((resolve) => {
        const startedAt = performance.now()
        const look = () => {
          const answer = [...document.querySelectorAll('article')].at(-1)
          const isThere = answer?.textContent?.includes(last) && answer.getBoundingClientRect().bottom > 0
          if (isThere) requestAnimationFrame(() => resolve(performance.now() - startedAt))
          else requestAnimationFrame(look)
        }
        document.querySelector<HTMLAnchorElement>(`a[href="${href}"]`)?.click()
        look()
      }),
    { href: `/c/${id}`, last: `Answer ${LONG_CHAT_TURNS - 1}` },
  )
}

async function ask(page: Page): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('Tell me about tides')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  await field.focus()
}

/** The answer has ended, or was watched for long enough. */
function until(maxMs: number, page: Page): () => Promise<boolean> {
  const endsAt = performance.now() + maxMs
  // Found by its attribute: to look for a role and a name in all of a page takes a slow one a frame, and late frames are counted.
  const stop = page.locator('button[aria-label="Stop"]')
  return async () => performance.now() > endsAt || !(await stop.isVisible())
}
