import type { Page } from '@playwright/test'
import { HOSTILE_CITATIONS, HOSTILE_FILE_NAMES, XSS_CORPUS } from '@/components/markdown/testing-xss-corpus'
import { answered, answers, ask, DESK, openNewChat } from '@/e2e/testing/ui-page'
import { keepTurns } from './kept-turns'
import { expect, test } from './ui-scripted'

/** So many payloads stand in one answer; the page keeps only those near the screen. */
const IN_ONE_ANSWER = 4
const SCROLL_PX = 600
const MOST_SCROLLS = 400

/** Watches for everything that a hostile text could get done. */
async function watch(page: Page, origin: string): Promise<string[]> {
  const found: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.origin !== origin) found.push(`request ${url.href}`)
  })
  page.on('dialog', (dialog) => {
    found.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', () => found.push('popup'))
  page.on('framenavigated', (frame) => {
    if (!frame.url().startsWith(origin) && frame.url() !== 'about:blank') found.push(`navigated ${frame.url()}`)
  })
  await page.exposeFunction('noteFault', (fault: string) => found.push(fault))
  await page.addInitScript(() => {
    const note = (window as unknown as { noteFault: (fault: string) => void }).noteFault
    Object.assign(window, { pwned: () => note('pwned') })
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) =>
      note(`policy ${violatedDirective} ${blockedURI} ${sourceFile}`),
    )
  })
  return found
}

/** Scrolls from the end of the chat to its start, so that each turn was on screen. */
async function readAll(page: Page, firstWords: string): Promise<void> {
  const log = page.getByRole('main')
  await log.hover()
  const first = page.getByRole('article').getByText(firstWords)
  for (let scrolls = 0; scrolls < MOST_SCROLLS; scrolls++) {
    if (await first.isVisible()) return
    await page.mouse.wheel(0, -SCROLL_PX)
    await page.waitForTimeout(20)
  }
  throw new Error('The start of the chat was not reached.')
}

test('hostile words in answers, sources and file names do nothing', DESK, async ({ page, scripted, baseURL }) => {
  const found = await watch(page, baseURL ?? '')
  scripted.upstream.next({ text: XSS_CORPUS.join('\n\n'), tokensPerSecond: 0 })
  await openNewChat(page)
  await ask(page, 'The very first question')
  await answered(page)

  const groups = Array.from({ length: Math.ceil(XSS_CORPUS.length / IN_ONE_ANSWER) }, (_, at) =>
    XSS_CORPUS.slice(at * IN_ONE_ANSWER, (at + 1) * IN_ONE_ANSWER),
  )
  const attachments = HOSTILE_FILE_NAMES.map((name, at) => ({
    id: `file-${at}`,
    kind: at === 0 ? ('image' as const) : ('document' as const),
    name,
    mediaType: 'text/html',
    size: 10,
    hash: at === 1 ? 'page' : 'gone',
  }))
  const files = [{ hash: 'page', base64: btoa('<script>pwned()</script>'), mediaType: 'text/html' }]
  await keepTurns(page, [
    ...groups.flatMap((payloads) => [
      { role: 'user' as const, text: payloads.join('\n') },
      {
        role: 'assistant' as const,
        text: `${payloads.join('\n\n')}\n\nSo [REF]0[/REF] [REF]1[/REF] [REF]2[/REF]`,
        citations: HOSTILE_CITATIONS,
      },
    ]),
    { role: 'user' as const, text: 'Files', attachments, files },
    { role: 'assistant' as const, text: 'Done [REF]1[/REF].', citations: HOSTILE_CITATIONS },
  ])

  const last = answers(page).last()
  await last
    .getByRole('button', { name: /^Source 2: "><svg onload/ })
    .first()
    .click()
  const sources = page.getByRole('dialog', { name: 'Sources' })
  await expect(sources.getByText('<img src=x onerror=pwned()>')).toBeVisible()
  // Only turns near the screen are in the document, and the one that opened the panel.
  const thread = page.getByRole('region', { name: 'Conversation', includeHidden: true })
  await thread.evaluate((area) => area.scrollTo({ top: 0 }))
  await expect(page.getByRole('article', { includeHidden: true }).getByText('The very first question')).toBeVisible()
  await expect(sources.getByText('<img src=x onerror=pwned()>')).toBeVisible()
  await thread.evaluate((area) => area.scrollTo({ top: area.scrollHeight }))
  await expect(sources.getByRole('link')).toHaveCount(1)
  await expect(sources.getByRole('link', { name: 'An honest one' })).toHaveAttribute('rel', 'noopener noreferrer')
  await page.keyboard.press('Escape')
  await expect(page.getByText('This file is no longer on this device.').first()).toBeVisible()
  await expect(page.getByText('invoicefdp.exe')).toBeVisible()

  await readAll(page, 'The very first question')
  expect(found).toEqual([])
})
