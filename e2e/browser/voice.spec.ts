import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from '@/e2e/testing/fixtures'
import { makeRecordings } from '@/e2e/testing/recordings'
import { answers, ask, DESK, inspect, openNewChat } from '@/e2e/testing/ui-page'
import { keepTurns } from './kept-turns'

/** What the browser's microphone hears. It is written before the first page opens it. */
const SAID = path.resolve('artifacts', 'voice-said.wav')

/** The stream of an answer that nothing depends on. */
const HELLO = `${[{ delta: { content: 'Hello.' } }, { delta: {}, finish_reason: 'stop' }]
  .map((choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`)
  .join('')}data: [DONE]\n\n`

/** One sentence, which is read as one: more than the cap by itself. */
const SENTENCE =
  'The tide comes in twice a day and goes out as often, and between the two the reeds stand still for an hour.'
/** Two sentences, each long enough to be paused in. */
const STORY =
  'The boat went out past the lighthouse, and nobody on the pier knew when it would return. ' +
  'It came home at nine with the tide, a full net and a light at the mast that the children saw first.'

test.use({
  launchOptions: {
    executablePath: process.env.CHROMIUM_PATH,
    args: [
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${SAID}`,
      '--autoplay-policy=no-user-gesture-required',
    ],
  },
})

test.beforeAll(async () => {
  test.setTimeout(180_000)
  mkdirSync(path.dirname(SAID), { recursive: true })
  writeFileSync(SAID, (await makeRecordings()).wav)
})

const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const dictation = (page: Page) => page.getByRole('region', { name: 'Dictation' })
async function dictate(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add to this message' }).click()
  await page.getByRole('button', { name: /^Dictate/ }).click()
}
async function readAloud(page: Page, answer: number): Promise<void> {
  await answers(page).nth(answer).hover()
  await page.getByRole('button', { name: 'More for this answer' }).nth(answer).click()
  await page.getByRole('menuitem', { name: 'Read aloud' }).click()
}

test(
  'what is said lands in the draft at its price, can be cancelled, and what stands in its way is said',
  DESK,
  async ({ page, context }, testInfo) => {
    await openNewChat(page)
    await field(page).fill('Note:  Thanks.')
    await field(page).evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(6, 6))
    await dictate(page)
    await expect(dictation(page)).toContainText('Listening…')
    await expect(dictation(page)).toContainText(/0:0[2-9] · \$0\.000\d/)
    await inspect(page, testInfo, 'dictation')
    const reply = page.waitForResponse((response) => response.url().endsWith('/audio/transcriptions'))
    await page.getByRole('button', { name: 'Done' }).click()
    expect((await reply).status()).toBe(200)
    // The microphone hears the sentence again and again, and may begin within it.
    await expect(field(page)).toHaveValue(/^Note: .*library.* Thanks\.$/i)
    await expect(field(page)).toBeFocused()

    await field(page).fill('Kept')
    await dictate(page)
    await expect(dictation(page)).toContainText('Listening…')
    await page.getByRole('button', { name: 'Cancel dictation' }).click()
    await expect(field(page)).toHaveValue('Kept')

    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'))
    })
    await dictate(page)
    await expect(dictation(page)).toContainText('Allow microphone access in your browser and try again.')
    await dictation(page).getByRole('button', { name: 'Close' }).click()

    await page.reload()
    await page.route('**/api/v1/models?type=asr', (route) => route.abort())
    await page.getByRole('button', { name: 'Add to this message' }).click()
    await expect(page.getByRole('button', { name: /^Dictate/ })).toBeVisible()
    await context.setOffline(true)
    await page.getByRole('button', { name: /^Dictate/ }).click()
    await expect(page.getByText('You’re offline. Reconnect to dictate.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeVisible()

    // The recorder, whose code this page has not loaded yet.
    await page.route('**/_next/static/**', (route) => route.abort())
    await page.getByRole('button', { name: /^Record audio/ }).click()
    await expect(page.getByText('The recorder couldn’t be loaded.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeVisible()
    await context.setOffline(false)
  },
)

test(
  'the cap of a message holds dictation and a reading back; then answers are read by sentences until stopped',
  DESK,
  async ({ page }, testInfo) => {
    test.setTimeout(150_000)
    await page.route('**/chat/completions', (route) => route.fulfill({ contentType: 'text/event-stream', body: HELLO }))
    await openNewChat(page)
    await ask(page, 'Say hello.')
    await expect(answers(page)).toContainText('Hello.')
    const sent: string[] = []
    page.on('request', (request) => {
      if (/\/audio\//.test(request.url())) sent.push(request.postDataJSON()?.input ?? request.url())
    })
    await page.addInitScript(() => localStorage.setItem('lagoon:capPerMessage', '0.0001'))
    await keepTurns(page, [
      { role: 'user', text: 'And the tides?' },
      { role: 'assistant', text: SENTENCE },
      { role: 'user', text: 'Tell me a long story.' },
      { role: 'assistant', text: STORY },
    ])
    await expect(answers(page)).toHaveCount(3)
    await dictate(page)
    await expect(dictation(page)).toContainText(
      /Even two seconds of dictation cost \$0\.000\d+\. Your cap is \$0\.0001 per message/,
    )
    await dictation(page).getByRole('button', { name: 'Close' }).click()

    await readAloud(page, 1)
    const bar = page.getByRole('region', { name: 'Reading aloud' })
    await expect(bar).toContainText(
      /Reading the next part would bring the cost to \$0\.000\d+\. Your cap is \$0\.0001 per message/,
    )
    await inspect(page, testInfo, 'read-aloud-cap')
    expect(sent).toEqual([])
    await bar.getByRole('button', { name: 'Raise cap' }).click()
    await page.getByRole('textbox', { name: 'Cap per message' }).fill('1')
    const spoken = page.waitForResponse((response) => response.url().endsWith('/audio/speech'))
    await page.getByRole('button', { name: 'Save and continue' }).click()
    expect((await spoken).status()).toBe(200)
    expect(sent).toEqual([SENTENCE])
    await bar.getByRole('button', { name: 'Stop reading aloud' }).click()
    await expect(bar).toBeHidden()

    await readAloud(page, 2)
    await expect(bar).toContainText(/Reading 1 of ([2-9]|\d\d)/, { timeout: 60_000 })
    await bar.getByRole('button', { name: 'Pause' }).click()
    await expect(bar).toContainText('Paused')
    await expect(bar).toContainText(/\$0\.0\d+ of \$0\.0\d+/)
    await inspect(page, testInfo, 'read-aloud')
    expect(sent[1]!.length).toBeLessThan(STORY.length / 2)
    await bar.getByRole('button', { name: 'Resume' }).click()
    await bar.getByRole('button', { name: 'Stop reading aloud' }).click()
    await expect(bar).toBeHidden()
  },
)
