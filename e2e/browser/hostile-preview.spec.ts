import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Browser } from '@playwright/test'
import { answered, answers, ask, DESK, openNewChat } from '@/e2e/testing/ui-page'
import { hostileDocuments, hostileSvg, REACHING, startListeners } from './hostile-preview'
import { expect, test } from './ui-scripted'

const FRAME = 'iframe[title="Code preview"]'
/** Whatever a browser may connect to of its own accord while it parses, inserts or follows. */
const CONNECTING =
  'script, link, meta:not([charset], [name="viewport"], [http-equiv="Content-Security-Policy"]), base, template, iframe, frame, object, embed, [ping], [src]:not([src^="data:"]), a[href]:not([href^="about:srcdoc#"]), area[href]'

const fenced = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``

test('a previewed answer reaches no address, by TCP or UDP', DESK, async ({ page, scripted, browser, pageFaults }) => {
  test.slow()
  const preview = await startListeners()
  const control = await startListeners()
  try {
    const documents = hostileDocuments(preview.addressOf)
    const blocks = [
      ...documents.map((source) => fenced('html', source)),
      fenced('svg', hostileSvg(preview.addressOf)),
      fenced('mermaid', `graph TD\nA["<img src=http://${preview.addressOf('image')}/ onerror=fetch()>"] --> B`),
      fenced('mermaid', `graph TD\nA --> B\nclick A href "http://${preview.addressOf('ping')}/" _blank`),
    ]
    scripted.upstream.next({ text: blocks.join('\n\nNext:\n\n'), tokensPerSecond: 0 })
    await openNewChat(page)
    await ask(page, 'Write some pages')
    await answered(page)
    const answer = answers(page).last()
    for (let shown = 0; shown <= documents.length; shown++) {
      // The button of a block that is shown says something else.
      await answer.getByRole('button', { name: 'Preview' }).first().click()
      await expect(answer.locator(FRAME).nth(shown).contentFrame().locator('.marker')).toBeVisible()
    }
    const first = answer.locator(FRAME).first().contentFrame()
    await first.getByText('An address outside').click()
    await first.getByText('The end of the page').click()

    // The same documents with nothing in their way: by the time that these were heard, the others would have been.
    await openAsPages(browser, hostileDocuments(control.addressOf))
    await expect.poll(() => REACHING.filter((attempt) => !control.heard.has(attempt)), { timeout: 60_000 }).toEqual([])
    expect([...preview.heard]).toEqual([])
    // No listener hears a name being looked up: there must be nothing left that asks for it.
    for (const frame of await answer.locator(FRAME).all()) {
      const left = frame.contentFrame().locator(CONNECTING)
      expect(await left.evaluateAll((found) => found.map(({ outerHTML }) => outerHTML))).toEqual([])
    }
    // The browser says what its policy kept a document from.
    pageFaults.length = 0
  } finally {
    await Promise.all([preview.close(), control.close()])
  }
})

const HARMLESS = `<!doctype html>
<style>h1 { color: rgb(1, 2, 3) } :target { color: rgb(4, 5, 6) } q::before { content: "<b>" }</style>
<h1>Title</h1><a href="#end">Go on</a><noscript><p>Scripts are optional</p></noscript>
<details><summary>More</summary><p>Inside</p></details>
<img alt="dot" src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='7' height='7'/%3E">
<p id="end" style="margin-top: 100vh">The end</p>`

test('a preview shows what needs no script, and says that scripts are off', DESK, async ({ page, scripted }) => {
  const blocks = [fenced('html', HARMLESS), fenced('html', '<p>Counter</p><script>document.title = 1</script>')]
  scripted.upstream.next({ text: blocks.join('\n\nAnd:\n\n'), tokensPerSecond: 0 })
  await openNewChat(page)
  await ask(page, 'Write a page')
  await answered(page)
  const answer = answers(page).last()
  await answer.getByRole('button', { name: 'Preview' }).first().click()
  const frame = answer.locator(FRAME).contentFrame()
  await expect(frame.getByRole('heading', { name: 'Title' })).toHaveCSS('color', 'rgb(1, 2, 3)')
  await expect(frame.getByText('Scripts are optional')).toBeVisible()
  await expect.poll(() => frame.getByAltText('dot').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(7)
  await frame.getByText('More').click()
  await expect(frame.getByText('Inside')).toBeVisible()
  await frame.getByText('Go on').click()
  await expect(frame.getByText('The end')).toBeInViewport()
  await expect(frame.getByText('The end')).toHaveCSS('color', 'rgb(4, 5, 6)')
  await expect(answer.getByText('Shown without scripts and network access.')).toBeVisible()

  await answer.getByRole('button', { name: 'Preview' }).click()
  await expect(answer.locator(FRAME).nth(1).contentFrame().getByText('Counter')).toBeVisible()
  await expect(answer.getByText(/^Scripts are off/)).toBeVisible()
})

/** Opens documents as pages of a site, each by itself. */
async function openAsPages(browser: Browser, documents: readonly string[]): Promise<void> {
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end(documents[Number(request.url?.slice(1))] ?? '')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const context = await browser.newContext()
  try {
    for (const at of documents.keys()) {
      const page = await context.newPage()
      await page.goto(`http://127.0.0.1:${port}/${at}`, { waitUntil: 'commit' }).catch(() => undefined)
    }
  } finally {
    server.close()
  }
}
