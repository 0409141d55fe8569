import { stallInMiddle } from '@/e2e/testing/scripted-upstream'
import { answered, answers, ask, inspect, openNewChat, takePicture } from '@/e2e/testing/ui-page'
import { type KeptTurn, keepTurns } from './kept-turns'
import { expect, test } from './ui-scripted'

const SHOWCASE = `## Tides in one page

Two bulges of water [REF]0[/REF] follow the Moon [REF]1[/REF][REF]2[/REF], which costs nothing; a table costs $5 and $10.[^1]

The pull falls with $\\frac{1}{r^3}$, and \\(h \\approx 0.5\\,\\mathrm{m}\\):

$$
\\Delta g = \\frac{2 G M R}{r^3}
\\begin{pmatrix} 1 & 0 \\\\ 0 & -\\tfrac12 \\end{pmatrix}
$$

\`\`\`ts
// When the next high water comes.
export function nextHigh(last: number, now: number): number {
  const HALF_DAY = 12.42 * 3_600_000
  return last + HALF_DAY * (Math.floor((now - last) / HALF_DAY) + 1)
}
\`\`\`

\`\`\`mermaid
graph LR
  Moon -->|pulls| Water
  Water --> High[High water]
  Water --> Low{Low water?}
\`\`\`

\`\`\`svg
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 40"><circle cx="50" cy="20" r="15" fill="teal"/></svg>
\`\`\`

| Place | High | Low | Range | Remark | Another remark that is long |
|---|---:|---:|---:|---|---|
| Saint-Malo | 12.2 m | 0.4 m | 11.8 m | one of the largest | and a few more words here |
| H<sub>2</sub>O | 1 | 2 | 3 | a<br>b | c |

- [x] Moon
- [ ] Sun

[^1]: Prices are *not* formulas.
`

const CITATIONS = [
  {
    title: 'Tides and water levels',
    url: 'https://www.example.org/tides',
    content: 'Tides are very long waves.',
    date: '2026-03-04',
  },
  { title: 'The Moon', url: 'https://moon.example/pull', content: 'The Moon pulls at the sea.' },
  { title: 'Waves', url: 'https://example.net/waves' },
]

const LONG_CODE = `Look:

\`\`\`ts
${Array.from({ length: 90 }, (_, at) => `const tide${at + 1} = ${at}`).join('\n')}
\`\`\`

That is all.`

/** One red pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

const picture = (id: string, name: string) =>
  ({ id, kind: 'image', name, mediaType: 'image/png', size: 70, hash: 'pixel', width: 1, height: 1 }) as const

const QUESTION_WITH_FILES: readonly KeptTurn[] = [
  {
    role: 'user',
    text: 'What is in these?',
    attachments: [
      picture('1', 'beach.png'),
      picture('2', 'harbour.png'),
      picture('3', 'boat.png'),
      {
        id: '4',
        kind: 'document',
        name: 'tide table.pdf',
        mediaType: 'application/pdf',
        size: 120_000,
        hash: 'pixel',
        pages: 3,
      },
      { id: '5', kind: 'document', name: 'lost.txt', mediaType: 'text/plain', size: 10, hash: 'gone' },
      {
        id: '6',
        kind: 'audio',
        name: 'gulls.wav',
        mediaType: 'audio/wav',
        size: 52,
        hash: 'sound',
        durationMs: 4000,
      },
    ],
    files: [
      { hash: 'pixel', base64: PIXEL, mediaType: 'image/png' },
      {
        hash: 'sound',
        base64: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=',
        mediaType: 'audio/wav',
      },
    ],
  },
  { role: 'assistant', text: 'Water.' },
]

test('a chat shows long code folded, files of a question, and an answer with formulas, a diagram, sources', async ({
  page,
  scripted,
}, testInfo) => {
  const faults: string[] = []
  await page.exposeFunction('noteFault', (fault: string) => faults.push(fault))
  await page.addInitScript(() => {
    const note = (window as unknown as { noteFault: (fault: string) => void }).noteFault
    document.addEventListener('securitypolicyviolation', (event) =>
      note(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`),
    )
  })
  page.on('pageerror', (error) => faults.push(error.message))

  await openNewChat(page)
  if (testInfo.project.name === 'desktop') {
    const seen = Promise.withResolvers<void>()
    const stall = { ...stallInMiddle(LONG_CODE), ended: seen.promise }
    scripted.upstream.next({ text: LONG_CODE, tokensPerSecond: 0, stall })
    await ask(page, 'Show me code')
    await expect(answers(page).getByText('tide40')).toBeVisible()
    seen.resolve()
    await answered(page)
    // Whoever saw it being written still sees it.
    await expect(answers(page).getByText('tide90')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Show all 90 lines' })).toBeHidden()
  } else {
    await ask(page, 'Hello')
    await answered(page)
  }
  await keepTurns(page, [
    ...QUESTION_WITH_FILES,
    { role: 'user', text: 'Explain the tides.' },
    { role: 'assistant', text: SHOWCASE, citations: CITATIONS },
    { role: 'user', text: 'Show me more code.' },
    { role: 'assistant', text: LONG_CODE },
  ])
  const code = answers(page).last()
  const more = code.getByRole('button', { name: 'Show all 90 lines' })
  await expect(more).toBeInViewport()
  const height = async () => (await code.locator('pre').boundingBox())?.height ?? 0
  expect(await height()).toBeLessThan(600)
  await takePicture(page, `code-folded-${testInfo.project.name}`)
  await more.click()
  await expect.poll(height).toBeGreaterThan(1_700)
  // The next line is where the button was: nobody is taken to the end.
  await expect(code.getByText('tide25')).toBeInViewport()
  await code.getByRole('button', { name: 'Show less' }).click()
  await expect(more).toBeInViewport()

  // Files are looked at and taken back out.
  await expect(page.getByRole('list', { name: 'Images' }).getByRole('img')).toHaveCount(3)
  await expect(page.getByText('This file is no longer on this device.')).toBeVisible()
  const opener = page.getByRole('button', { name: 'Open image harbour.png' })
  await opener.scrollIntoViewIfNeeded()
  await takePicture(page, `question-files-${testInfo.project.name}`)
  await opener.click()
  const lightbox = page.getByRole('dialog', { name: 'Images' })
  await expect(lightbox.getByRole('img', { name: 'harbour.png' })).toBeInViewport()
  await page.keyboard.press('ArrowRight')
  await expect(lightbox.getByRole('img', { name: 'boat.png' })).toBeInViewport()
  await page.keyboard.press('Escape')
  await expect(lightbox).toBeHidden()
  await expect(opener).toBeFocused()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download tide table.pdf' }).click()
  expect((await download).suggestedFilename()).toBe('tide table.pdf')

  const answer = answers(page).filter({ hasText: 'Tides in one page' })
  await answer.getByRole('heading', { name: 'Tides in one page' }).scrollIntoViewIfNeeded()
  await takePicture(page, `rendering-top-${testInfo.project.name}`)
  await expect(answer.locator('math')).toHaveCount(3)
  await expect(answer.getByText('a table costs $5 and $10')).toBeVisible()
  await expect(answer.locator('.code-keyword').first()).toHaveText(/export/)
  await expect(answer.getByRole('img', { name: 'Diagram (graph)' })).toBeVisible()
  await answer.getByRole('button', { name: 'View diagram full screen' }).click()
  await expect(page.getByRole('dialog', { name: 'Diagram' })).toBeVisible()
  await inspect(page, testInfo, 'rendering-diagram-full')
  await page.keyboard.press('Escape')

  const chip = answer.getByRole('button', { name: 'Source 1: Tides and water levels, example.org' }).first()
  await chip.scrollIntoViewIfNeeded()
  if (testInfo.project.name === 'desktop') {
    await chip.hover()
    await expect(page.getByRole('dialog', { name: 'Source 1' })).toContainText('Tides are very long waves.')
    await inspect(page, testInfo, 'rendering-source-card')
  }
  await chip.click()
  const panel = page.getByRole('dialog', { name: 'Sources' })
  await expect(panel.getByRole('link')).toHaveCount(3)
  await inspect(page, testInfo, 'rendering-sources')
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()

  await answer.getByRole('button', { name: 'Preview' }).click()
  await expect(page.frameLocator('iframe[title="Code preview"]').locator('circle')).toBeVisible()
  await answer.getByRole('button', { name: 'Footnote 1' }).click()
  await expect(answer.getByText('Prices are not formulas.')).toBeInViewport()
  // With folded code, files, and every kind of content.
  await inspect(page, testInfo, 'rendering')

  const svg = page.waitForEvent('download')
  await answer.getByRole('button', { name: 'Download as SVG' }).click()
  expect((await svg).suggestedFilename()).toBe('diagram.svg')
  await answer.getByRole('button', { name: 'Source', exact: true }).first().click()
  await expect(answer.getByText('Moon -->|pulls| Water')).toBeVisible()
  const saved = page.waitForEvent('download')
  await answer.getByRole('button', { name: 'Download code' }).first().click()
  expect((await saved).suggestedFilename()).toBe('code.ts')
  expect(faults).toEqual([])
})
