import { readFile } from 'node:fs/promises'
import type { Download, Page } from '@playwright/test'
import { GUEST_SESSION } from '@/components/testing/replies'
import { expect, test } from '@/e2e/testing/fixtures'
import { DESK, inspect, PHONE } from '@/e2e/testing/ui-page'
import { nano } from '@/lib/contract/money'
import { makeWithFfmpeg, testImage } from '@/lib/services/media/testing'
import { writeWav } from '@/lib/services/media/wav'
import { keepCreations, keptFile } from './kept-creations'

// A film is made in journeys-keys-studio.spec.ts.

/** What the listener hears word for word in the embedded voice. */
const SENTENCES = 'The library closes early. High water is at nine.'
/** The service makes every sound in less. */
const MADE_MS = 120_000

test.use({
  launchOptions: {
    executablePath: process.env.CHROMIUM_PATH,
    args: ['--autoplay-policy=no-user-gesture-required'],
  },
})

const cards = (page: Page) => page.getByRole('list', { name: 'Results, newest first' }).getByRole('article')
const form = (page: Page) => page.getByRole('region', { name: 'Generation settings', exact: true })
const task = (page: Page, name: string) => form(page).getByText(name, { exact: true })
const makeButton = (page: Page, name: string) => form(page).getByRole('button', { name: new RegExp(`^${name}`) })
const bytesOf = async (download: Download) => await readFile(await download.path())

/** Seconds that the first sound of a part of the page has played. */
const playedSeconds = (page: Page) =>
  page.evaluate(() => document.querySelector<HTMLMediaElement>('article audio')?.currentTime ?? 0)

test(
  'a text is said, heard while it is made, and written down again with its times',
  DESK,
  async ({ page }, testInfo) => {
    test.setTimeout(300_000)
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/audio/speech')) asked.push(request.postData() ?? '')
    })
    await page.goto('/studio/audio')
    await page.getByRole('textbox', { name: 'Text' }).fill(SENTENCES)
    await expect(form(page).getByText('$0.000048')).toBeVisible()
    await page.keyboard.press('Control+Enter')
    const speech = cards(page).first()
    await expect(speech).toContainText('Playing during generation', { timeout: MADE_MS })
    await expect(speech.getByRole('button', { name: 'Download' })).toBeVisible({ timeout: MADE_MS })
    expect(JSON.parse(asked[0] ?? '{}')).toMatchObject({ input: SENTENCES, voice: 'af_heart', streaming: true })
    await expect(speech).toContainText('$0.000048')
    // It goes on in the file where it was heard before, unless it had come to its end.
    const play = speech.getByRole('button', { name: 'Play' })
    if (await play.isVisible()) await play.click()
    await expect.poll(() => playedSeconds(page)).toBeGreaterThan(0.2)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      speech.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(saved.suggestedFilename()).toMatch(/^The library closes early.*\.(mp3|wav)$/)
    const spoken = await bytesOf(saved)

    await task(page, 'Transcript').click()
    await page
      .getByLabel('Audio or video')
      .setInputFiles({ name: 'library.mp3', mimeType: 'audio/mpeg', buffer: spoken })
    await makeButton(page, 'Transcribe').click()
    const transcript = cards(page).first()
    const said = transcript.getByRole('list', { name: 'Timed transcript' })
    await expect(said).toContainText(/library closes early/i, { timeout: MADE_MS })
    await inspect(page, testInfo, 'studio-audio')
    await said.getByRole('button').first().click()
    await expect(transcript.getByRole('button', { name: 'Pause' })).toBeVisible()
    await transcript.getByRole('button', { name: 'Download transcript' }).click()
    const [captions] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Captions, SRT' }).click(),
    ])
    expect((await bytesOf(captions)).toString()).toMatch(
      /^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\nThe library closes early/i,
    )

    await transcript.getByRole('button', { name: 'Send transcript to a new chat' }).click()
    await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue(/library closes early/i)
  },
)

test('a film under way, one that is made, and recordings on a phone', PHONE, async ({ page }, testInfo) => {
  const busy = { status: 'PROCESSING', average_execution_time: 60_000, execution_duration: 1_000 }
  await page.route('**/api/v1/video/retrieve', (route) => route.fulfill({ json: busy }))
  await page.route('**/api/session', (route) => route.fulfill({ json: GUEST_SESSION }))
  await page.goto('/studio/audio')
  await expect(page.getByRole('textbox', { name: 'Text' })).toBeVisible()
  await keepWork(page)
  await page.goto('/studio/video')
  const [queued, film] = [cards(page).first(), cards(page).nth(1)]
  await expect(queued).toHaveAttribute('aria-busy', 'true')
  await expect(queued).toContainText('usually 1:00')
  await expect(queued.getByRole('button', { name: 'Cancel' })).toBeVisible()
  // What scrolls is the form with the wall, never the page with its bar.
  expect(await page.evaluate(() => document.documentElement.scrollHeight <= window.innerHeight)).toBe(true)
  const video = film.locator('video')
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => Math.round(element.duration))).toBe(2)
  await inspect(page, testInfo, 'studio-video')
  await film.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Start a video from the last frame' }).click()
  await expect(page.getByText('Frame set as the start image of the next video.')).toBeVisible()
  await expect(form(page).getByText('The harbour opens at noon.png')).toBeInViewport()

  await page.getByRole('link', { name: 'Audio', exact: true }).click()
  await task(page, 'Transcript').click()
  await expect(cards(page).getByRole('list', { name: 'Timed transcript' })).toContainText('The library closes early.')
  await inspect(page, testInfo, 'studio-audio')
  await page.getByRole('region', { name: 'Queue' }).getByRole('link').click()
  await expect(page).toHaveURL(/\/studio\/video$/)
})

/** Keeps a speech with its transcript, a film, and one that the service is still making. */
async function keepWork(page: Page): Promise<void> {
  const [first, second] = SENTENCES.split(/(?<=\.) /)
  const segments = [
    { text: first, start: 0, end: 1 },
    { text: second, start: 1, end: 2 },
  ]
  const wav = writeWav(new Float32Array(48_000).fill(0.1), 24_000)
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', 'film.mp4']
  const [mp4] = makeWithFfmpeg([...testImage('320x180', 2, 12), ...codec])
  const sound = keptFile('speech', 'library.wav', 'audio/wav', wav)
  const words = JSON.stringify({ text: SENTENCES, seconds: 2, segments })
  const transcript = keptFile('words', 'Transcript', 'application/json', Buffer.from(words))
  const film = keptFile('film', 'The harbour opens at noon', 'video/mp4', mp4!)
  const settings = { duration: '5s', aspectRatio: '16:9' }
  const job = { id: 'job-1', seenAt: Date.now(), typicalMs: 60_000, price: nano(10_000_000n) }
  await keepCreations(page, [
    { id: 'one', kind: 'audio', task: 'speech', prompt: SENTENCES, results: [sound] },
    { id: 'two', kind: 'audio', task: 'transcription', text: SENTENCES, inputs: [sound], results: [transcript] },
    {
      ...{ id: 'three', kind: 'video', task: 'video', prompt: 'The harbour opens at noon.', settings },
      ...{ results: [film], cost: nano(10_000_000n) },
    },
    {
      ...{ id: 'four', kind: 'video', task: 'video', prompt: 'Come early.', settings, state: 'running' },
      ...{ job, startedAt: Date.now() },
    },
  ])
}
