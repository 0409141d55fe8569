import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures'
import { keepTurns } from './kept-turns'
import { makeRecordings } from './recordings'
import { answered, answers, ask, DESK, inspect, openNewChat, receipts } from './ui-page'

/** What the browser's microphone hears. It is written before the first page opens it. */
const SAID = path.resolve('artifacts', 'voice-said.wav')

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

test(
  'what is said lands in the draft where the caret is, and costs what was shown',
  DESK,
  async ({ page }, testInfo) => {
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
  },
)

test('dictation can be cancelled, and what stands in its way is said', DESK, async ({ page, context }) => {
  await openNewChat(page)
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
  await page.route('**/api/v1/models?type=asr', (route) => route.fulfill({ json: { object: 'list', data: [] } }))
  await dictate(page)
  await expect(dictation(page)).toContainText('No transcription model is connected.')
  await page.unroute('**/api/v1/models?type=asr')

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
})

test('an answer is read aloud sentence by sentence, and stops when it is told to', DESK, async ({ page }, testInfo) => {
  test.setTimeout(150_000)
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/audio/speech')) asked.push(request.postDataJSON().input)
  })
  await openNewChat(page)
  await ask(page, 'Write a long story about the sea, in many sentences.')
  await answered(page)
  await answers(page).hover()
  await page.getByRole('button', { name: 'More for this answer' }).click()
  await page.getByRole('menuitem', { name: 'Read aloud' }).click()
  const bar = page.getByRole('region', { name: 'Reading aloud' })
  await expect(bar).toContainText(/Reading 1 of ([2-9]|\d\d)/, { timeout: 60_000 })
  await bar.getByRole('button', { name: 'Pause' }).click()
  await expect(bar).toContainText('Paused')
  await expect(bar).toContainText(/\$0\.0\d+ of \$0\.0\d+/)
  await inspect(page, testInfo, 'read-aloud')
  const whole = (await answers(page).innerText()).length
  expect(asked[0]!.length).toBeLessThan(whole / 2)
  await bar.getByRole('button', { name: 'Resume' }).click()
  await bar.getByRole('button', { name: 'Stop reading aloud' }).click()
  await expect(bar).toBeHidden()
})

test(
  'the cap of a message holds dictation back, and a reading until it is raised',
  DESK,
  async ({ page }, testInfo) => {
    await openNewChat(page)
    await ask(page, 'Say hello.')
    await answered(page)
    const asked: string[] = []
    page.on('request', (request) => {
      if (/\/audio\//.test(request.url())) asked.push(request.url())
    })
    await page.addInitScript(() => localStorage.setItem('lagoon:capPerMessage', '0.0001'))
    await keepTurns(page, [
      { role: 'user', text: 'And the tides?' },
      // One sentence, which is read as one: more than the cap by itself.
      {
        role: 'assistant',
        text: 'The tide comes in twice a day and goes out as often, and between the two the reeds stand still while herons wait in the shallows for what the water leaves.',
      },
    ])
    await expect(receipts(page)).toHaveCount(1)
    await page.getByRole('button', { name: 'Add to this message' }).click()
    await page.getByRole('button', { name: /^Dictate/ }).click()
    const dictation = page.getByRole('region', { name: 'Dictation' })
    await expect(dictation).toContainText(
      /Two seconds of dictation cost \$0\.000\d+\. Your cap is \$0\.0001 per message/,
    )
    await dictation.getByRole('button', { name: 'Close' }).click()

    await answers(page).last().hover()
    await page.getByRole('button', { name: 'More for this answer' }).last().click()
    await page.getByRole('menuitem', { name: 'Read aloud' }).click()
    const bar = page.getByRole('region', { name: 'Reading aloud' })
    await expect(bar).toContainText(/Reading on would cost \$0\.000\d+\. Your cap is \$0\.0001 per message/)
    await inspect(page, testInfo, 'read-aloud-cap')
    expect(asked).toEqual([])
    await bar.getByRole('button', { name: 'Raise cap' }).click()
    await page.getByRole('textbox', { name: 'Cap per message' }).fill('1')
    const spoken = page.waitForResponse((response) => response.url().endsWith('/audio/speech'))
    await page.getByRole('button', { name: 'Save and continue' }).click()
    expect((await spoken).status()).toBe(200)
  },
)
