import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { keepTurns } from './kept-turns'
import { answered, ask, inspect, openNewChat } from './ui-page'
import { expect, test } from './ui-scripted'

/** 1280 by 1024 at four times its size. */
const ZOOMED = { width: 320, height: 256 }
const ROUTES = [
  '/',
  '/characters',
  '/characters/code-reviewer',
  '/rpc',
  '/rpc/matrix',
  '/studio',
  '/wallet',
  '/usage',
  '/keys',
  '/settings',
  '/settings/privacy',
  '/docs',
  '/docs/guides/media',
  '/docs/reference/chat/create-chat-completion',
  '/docs/search?q=wallet',
  '/s/x',
]
const WIDE = `Words, and ${'averylongwordwithoutanyspace'.repeat(8)}.

| Place | High | Low | Range | Remark |
|---|---:|---:|---:|---|
| Saint-Malo | 12.2 m | 0.4 m | 11.8 m | one of the largest of all |

\`\`\`ts
export const nextHigh = (last: number, now: number): number => last + HALF_DAY * (Math.floor((now - last) / HALF_DAY) + 1)
\`\`\`

$$\\sum_{i=1}^{n} \\frac{a_i + b_i + c_i + d_i}{e_i} = \\alpha + \\beta + \\gamma + \\delta + \\epsilon + \\zeta$$
`

test('no route asks another origin for anything, and none scrolls as a whole, or two ways at four times its size', async ({
  page,
  scripted,
  baseURL,
}, testInfo) => {
  const asked = new Map<string, Set<string>>()
  const outside: string[] = []
  let route = ''
  page.context().on('request', (request) => {
    const url = new URL(request.url())
    if (!/^(https?|wss?):$/.test(url.protocol)) return
    if (url.origin !== baseURL) outside.push(`${route}: ${url.href}`)
    asked.get(route)?.add(`${request.method()} ${url.pathname}`)
  })
  const visit = async (to: string, open: () => Promise<unknown>) => {
    route = to
    asked.set(to, new Set())
    await open()
    await expect(page.getByRole('main')).toBeVisible()
    await page.waitForLoadState('networkidle')
  }
  const size = page.viewportSize()
  if (!size) throw new Error('The page has no size.')
  // As a reader enlarges a page: while it is open.
  const expectOneWayZoomed = async (to: string) => {
    route = `${to}, zoomed`
    await page.setViewportSize(ZOOMED)
    expect(await sideways(page), to).toEqual([])
    await page.setViewportSize(size)
  }

  scripted.upstream.next({ text: 'Ready.', tokensPerSecond: 0 })
  await visit('/c/[id]', async () => {
    await openNewChat(page)
    await ask(page, 'Are you there?')
    await answered(page)
    await keepTurns(page, [
      { role: 'user', text: 'Show me wide things.' },
      { role: 'assistant', text: WIDE },
    ])
    await expect(page.locator('math')).toHaveCount(1)
  })
  await expectOneWayZoomed('/c/[id]')
  for (const to of ROUTES) {
    await visit(to, () => page.goto(to))
    // Each pane scrolls by itself; what made the page longer would be blank.
    expect(
      await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight),
      to,
    ).toBeLessThanOrEqual(0)
    await expectOneWayZoomed(to)
  }
  await inspect(page, testInfo, 'share-unknown')
  expect(outside).toEqual([])

  const list = [...asked].map(([to, requests]) => [to, ...[...requests].sort().map((one) => `  ${one}`)].join('\n'))
  const file = path.join('artifacts', `requests-${testInfo.project.name}.txt`)
  await mkdir('artifacts', { recursive: true })
  await writeFile(file, `${list.join('\n')}\n`)
})

/** What must be scrolled sideways as well as up and down to be read: the page, or a part of it. */
function sideways(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    // Parts that measure their place follow a new size in the next frames.
    for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame)
    const root = document.documentElement
    const found = root.scrollWidth > window.innerWidth ? [`the page: ${root.scrollWidth} px`] : []
    for (const one of document.querySelectorAll('main, main *')) {
      const { overflowX, overflowY } = getComputedStyle(one)
      const isWide = /auto|scroll/.test(overflowX) && one.scrollWidth > one.clientWidth + 1
      const isHigh = /auto|scroll/.test(overflowY) && one.scrollHeight > one.clientHeight + 1
      // A table or a listing may be wider than the page inside its own frame.
      const isOwnFrame = one.closest('.table-frame, .code-block, .cm-editor, table, pre, math') !== null
      if (isWide && isHigh && !isOwnFrame)
        found.push(`${one.tagName} ${one.className}: ${one.scrollWidth} in ${one.clientWidth} px`)
    }
    return found
  })
}
