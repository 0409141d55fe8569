import type { Page } from 'playwright'
import type { UiStage } from '@/bench/ui/stage'
import { seedChat } from '@/bench/ui/stage'
import { type Watched, watch } from '@/bench/ui/watch'

// A tenth of a second holds ten tokens of four characters.
const PACE_MS = 10
const LONG_ANSWER_CHARS = 24_000
const LONG_CHAT_TURNS = 500
const LONG_CHAT_WATCH_MS = 15_000
// From a pointer's arrival to its press, as of a person who has found the name.
const REST_MS = 400
const MAX_ANSWER_MS = 240_000

export async function measureAnswer(stage: UiStage, slowdown: number): Promise<Watched> {
  return stage.inPage(slowdown, async (page) => {
    await stage.play({ text: answerText(LONG_ANSWER_CHARS), paceMs: PACE_MS })
    await ask(page)
    return await watch(page, until(MAX_ANSWER_MS, page))
  })
}

/** What the machine makes of a page that does nothing but write the same letters: the rest is ours. */
export async function measureBare(stage: UiStage, slowdown: number): Promise<Watched> {
  return stage.inBarePage(slowdown, async (page) => {
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
  })
}

export type LongChat = {
  openMs: number
  openNodes: number
  streaming: Watched
}

/** A chat of 500 turns: opened from the sidebar, then answered in. */
export async function measureLongChat(stage: UiStage, slowdown: number): Promise<LongChat> {
  return stage.inPage(slowdown, async (page) => {
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
  })
}

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

function until(maxMs: number, page: Page): () => Promise<boolean> {
  const endsAt = performance.now() + maxMs
  // Found by its attribute: to look for a role and a name in all of a page takes a slow one a frame, and late frames are counted.
  const stop = page.locator('button[aria-label="Stop"]')
  return async () => performance.now() > endsAt || !(await stop.isVisible())
}

const ROUND = `## Tides, round {n}

The sea rises and falls twice a day because the Earth turns under two bulges of water. One faces the Moon, the other is on the far side, where the pull is weakest.

The Sun adds to it or takes from it. When both pull along one line, the **spring tide** is higher; when they pull across, the *neap tide* is lower, see [the almanac](https://example.org/almanac).

- Water follows the pull
  - most where the Moon stands
  - least where it is far
- Land holds it back
  1. bays gather it
  2. straits delay it

\`\`\`ts
type Tide = { at: Date; heightMetres: number }

export function nextHighTide(tides: readonly Tide[], now: Date): Tide | undefined {
  let next: Tide | undefined
  for (const tide of tides) {
    if (tide.at <= now) continue
    if (next === undefined || tide.at < next.at) next = tide
  }
  return next
}

const hours = (from: Date, until: Date): number => {
  return (until.getTime() - from.getTime()) / 3_600_000
}
// A high tide comes about every 12.4 hours.
\`\`\`

| Place | Range | Kind |
|---|---:|---|
| Bay of Fundy | 16 m | funnel |
| Kiel | 0.1 m | enclosed |

> Time and tide wait for no man, and neither does the last ferry.

`

function answerText(chars: number): string {
  let text = ''
  for (let n = 1; text.length < chars; n++) text += ROUND.replace('{n}', String(n))
  return text.slice(0, chars)
}
