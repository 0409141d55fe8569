import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { answered, ask, DESK, inspect, openNewChat, PHONE } from '@/e2e/testing/ui-page'
import { keepTurns } from './kept-turns'
import { PHONE_VIEW, type View, viewer, watchRequests } from './page-views'
import { expect, test } from './ui-scripted'

/** 1280 by 1024 at four times its size. */
const ZOOMED = { width: 320, height: 256 }
const ROUTES = [
  '/',
  '/c/none',
  '/characters',
  '/characters/code-reviewer',
  '/rpc',
  '/rpc/matrix',
  '/studio',
  '/wallet',
  '/usage',
  '/keys',
  '/settings',
  '/settings/appearance',
  '/settings/privacy',
  '/settings/shortcuts',
  '/docs',
  '/docs/guides/media',
  '/docs/reference/chat/create-chat-completion',
  '/docs/search?q=wallet',
  '/s/x',
]
/** Routes without a row that is wider than the page and scrolls by itself. */
const WITHOUT_ROWS = ['/', '/c/none', '/settings/appearance', '/settings/privacy', '/settings/shortcuts']
const WIDE = `Words, and ${'averylongwordwithoutanyspace'.repeat(8)}.

| Place | High | Low | Range | Remark |
|---|---:|---:|---:|---|
| Saint-Malo | 12.2 m | 0.4 m | 11.8 m | one of the largest of all |

\`\`\`ts
export const nextHigh = (last: number, now: number): number => last + HALF_DAY * (Math.floor((now - last) / HALF_DAY) + 1)
\`\`\`

$$\\sum_{i=1}^{n} \\frac{a_i + b_i + c_i + d_i}{e_i} = \\alpha + \\beta + \\gamma + \\delta + \\epsilon + \\zeta$$
`

test(
  'no route asks another origin for anything, and none scrolls as a whole, or two ways at four times its size',
  DESK,
  async ({ page, scripted, baseURL }, testInfo) => {
    const asked = new Map<string, Set<string>>()
    const outside: string[] = []
    let route = ''
    page.context().on('request', (request) => {
      const url = new URL(request.url())
      if (!/^(https?|wss?):$/.test(url.protocol)) return
      if (url.origin !== baseURL) outside.push(`${route}: ${url.href}`)
      asked.get(route)?.add(`${request.method()} ${url.pathname}`)
    })
    const quiet = watchRequests(page)
    const visit = async (to: string, open: () => Promise<unknown>) => {
      route = to
      asked.set(to, new Set())
      await open()
      await expect(page.getByRole('main')).toBeVisible()
      await quiet()
    }
    const show = await viewer(page)
    const desk: View = { ...page.viewportSize()!, isPhone: false }
    const expectFits = async (to: string) => {
      for (const view of [desk, PHONE_VIEW]) {
        const name = `${to} on a ${view.isPhone ? 'phone' : 'desktop'}`
        route = name
        if (view.isPhone) await show(view)
        // Each pane scrolls by itself; what made the page longer would be blank.
        const tooHigh = await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight)
        expect(tooHigh, name).toBeLessThanOrEqual(0)
        // As a reader enlarges a page: while it is open.
        await show({ ...view, ...ZOOMED })
        expect(await sideways(page, WITHOUT_ROWS.includes(to)), `${name}, zoomed`).toEqual([])
      }
      await show(desk)
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
    await expectFits('/c/[id]')
    for (const to of ROUTES) {
      await visit(to, () => page.goto(to))
      await expectFits(to)
    }
    await inspect(page, testInfo, 'share-unknown')
    expect(outside).toEqual([])

    const list = [...asked].map(([to, requests]) => [to, ...[...requests].sort().map((one) => `  ${one}`)].join('\n'))
    await mkdir('artifacts', { recursive: true })
    await writeFile(path.join('artifacts', 'requests.txt'), `${list.join('\n')}\n`)
  },
)

test('a shared chat that is not there is said on a phone', PHONE, async ({ page }, testInfo) => {
  await page.goto('/s/x')
  await expect(page.getByRole('main').getByRole('heading')).toBeVisible()
  await inspect(page, testInfo, 'share-unknown')
})

/**
 * What must be scrolled sideways as well as up and down to be read: the page, or a part of it. `withRows`: also what scrolls
 * sideways alone.
 */
function sideways(page: Page, withRows: boolean): Promise<string[]> {
  return page.evaluate((withRows) => {
    const root = document.documentElement
    const found = root.scrollWidth > window.innerWidth ? [`the page: ${root.scrollWidth} px`] : []
    for (const one of document.querySelectorAll('main, main *')) {
      const isWide = one.scrollWidth > one.clientWidth + 1
      const isScrolled = /auto|scroll/.test(getComputedStyle(one).overflowY)
      const isHigh = one.scrollHeight > one.clientHeight + 1
      // A table or a listing may be wider than the page inside its own frame.
      const isOwnFrame = one.closest('.table-frame, .code-block, .cm-editor, table, pre, math') !== null
      if (isWide && isScrolled && (isHigh || withRows) && !isOwnFrame)
        found.push(`${one.tagName} ${one.className}: ${one.scrollWidth} in ${one.clientWidth} px`)
    }
    return found
  }, withRows)
}
