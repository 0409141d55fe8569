import { readFile } from 'node:fs/promises'
import type { Download, Page } from '@playwright/test'
import sharp from 'sharp'
import { writeWav } from '@/lib/services/media/wav'
import { expect, test } from './fixtures'
import { DESK, inspect } from './ui-page'

/** What the listener hears word for word in the embedded voice. */
const SENTENCES = 'The library closes early. High water is at nine.'
/** The service makes a film of it in some seconds, and every sound in less. */
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

/** A picture of a colour, as a film can begin or end with. */
const picture = async (name: string, background: string) => ({
  ...{ name, mimeType: 'image/png' },
  buffer: await sharp({ create: { width: 640, height: 360, channels: 3, background } })
    .png()
    .toBuffer(),
})

/** Seconds that the first medium of a part of the page has played. */
const playedSeconds = (page: Page, name: 'audio' | 'video') =>
  page.evaluate((tag) => document.querySelector<HTMLMediaElement>(`article ${tag}`)?.currentTime ?? 0, name)

/** As the page itself asks: its session is for nobody else. */
const retrieveStatus = (page: Page, queueId: string) =>
  page.evaluate(async (queue_id) => {
    const body = JSON.stringify({ queue_id })
    const headers = { 'content-type': 'application/json' }
    return (await fetch('/api/v1/video/retrieve', { method: 'POST', headers, body })).status
  }, queueId)

async function openAudio(page: Page): Promise<void> {
  await page.goto('/studio/audio')
  await expect(page.getByRole('textbox', { name: 'Text' })).toBeVisible()
}

test(
  'a job is cancelled for nothing; a text is said, heard and written down again with its times',
  DESK,
  async ({ page }, testInfo) => {
    test.setTimeout(300_000)
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/audio/speech')) asked.push(request.postData() ?? '')
    })
    await openAudio(page)
    await task(page, 'Sound').click()
    await page.getByRole('textbox', { name: 'Text' }).fill('The tide comes in, and the tide goes out. '.repeat(200))
    await expect(form(page).getByText('$0.0084')).toBeVisible()
    await makeButton(page, 'Generate').click()
    const sound = cards(page).first()
    await sound.getByRole('button', { name: 'Cancel' }).click()
    await expect(sound).toContainText('Cancelled.')
    await expect(sound).toContainText('You were not charged.')
    await sound.getByRole('button', { name: 'Delete' }).click()
    await expect(cards(page)).toHaveCount(0)

    await task(page, 'Speech').click()
    const make = makeButton(page, 'Generate speech')
    await expect(make).toBeDisabled()
    await page.getByRole('textbox', { name: 'Text' }).fill('x'.repeat(4_097))
    await expect(make).toBeDisabled()
    await expect(form(page).getByText(/^Enter up to 4,096 characters\./)).toBeVisible()

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
    await expect.poll(() => playedSeconds(page, 'audio')).toBeGreaterThan(0.2)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      speech.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(saved.suggestedFilename()).toMatch(/^The library closes early.*\.(mp3|wav)$/)
    const spoken = await bytesOf(saved)

    await task(page, 'Transcript').click()
    const field = page.getByLabel('Audio or video')
    await field.setInputFiles({ name: 'song.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from('no sound at all') })
    await expect(form(page).getByText('“song.mp3” is not an audio or video file')).toBeVisible()
    await expect(makeButton(page, 'Transcribe')).toBeDisabled()
    await field.setInputFiles({ name: 'library.mp3', mimeType: 'audio/mpeg', buffer: spoken })
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

test('a film of two pictures is queued, survives a reload, arrives, plays, and is let go of', async ({
  page,
}, testInfo) => {
  test.setTimeout(360_000)
  await page.goto('/studio/video')
  const make = makeButton(page, 'Generate')
  await expect(make).toBeDisabled()
  await page
    .getByLabel('Images')
    .setInputFiles([await picture('dawn.png', '#f4b183'), await picture('night.png', '#1f3864')])
  await expect(form(page).getByText('dawn.png')).toBeVisible()
  await page.getByRole('textbox', { name: 'Script' }).fill('The harbour opens at noon. Come early.')
  await form(page).getByText('10 s', { exact: true }).click()
  await expect(form(page).getByText(/^\$0\.02(00)?$/)).toBeVisible()
  const queued = page.waitForResponse((response) => response.url().endsWith('/video/queue'))
  await make.click()
  const { queue_id } = await (await queued).json()
  const film = cards(page).first()
  await expect(film).toHaveAttribute('aria-busy', 'true')
  await expect(film).toContainText(/Queued|usually/)
  // What scrolls is the form and the wall, never the page with its bar.
  expect(await page.evaluate(() => document.documentElement.scrollHeight <= window.innerHeight)).toBe(true)
  await inspect(page, testInfo, 'studio-video-queued')

  await page.goto('/studio/audio')
  await expect(page.getByRole('region', { name: 'Queue' })).toContainText('The harbour opens at noon.')
  await page.getByRole('region', { name: 'Queue' }).getByRole('link').click()
  await expect(page).toHaveURL(/\/studio\/video$/)
  await page.reload()
  await expect(cards(page).first()).toContainText('The harbour opens at noon.')
  await expect(film.getByRole('button', { name: 'Download' })).toBeVisible({ timeout: MADE_MS })
  await expect(film).toContainText(/\$0\.02(00)?$/)
  const video = film.locator('video')
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => Math.round(element.duration))).toBe(10)
  await video.evaluate((element: HTMLVideoElement) => element.play())
  await expect.poll(() => playedSeconds(page, 'video')).toBeGreaterThan(0.5)
  await video.evaluate((element: HTMLVideoElement) => element.pause())
  await inspect(page, testInfo, 'studio-video')

  // Kept here, so that the service has it no more.
  await expect.poll(() => retrieveStatus(page, queue_id)).toBe(404)
  await film.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Start a video from the last frame' }).click()
  await expect(page.getByText('Frame set as the start image of the next video.')).toBeVisible()
  await expect(form(page).getByText('night.png')).toBeHidden()

  // Of recordings a phone has only its layout to show.
  if (testInfo.project.name !== 'phone') return
  await keepRecordings(page)
  await page.goto('/studio/audio')
  await task(page, 'Transcript').click()
  await expect(cards(page).getByRole('list', { name: 'Timed transcript' })).toContainText('The library closes early.')
  await inspect(page, testInfo, 'studio-audio')
})

/** Writes a speech and its transcript into the browser's results, as if they had been made. */
async function keepRecordings(page: Page): Promise<void> {
  const [first, second] = SENTENCES.split(/(?<=\.) /)
  const segments = [
    { text: first, start: 0, end: 1 },
    { text: second, start: 1, end: 2 },
  ]
  const wav = Buffer.from(writeWav(new Float32Array(48_000).fill(0.1), 24_000))
  const transcript = Buffer.from(JSON.stringify({ text: SENTENCES, seconds: 2, segments }))
  const files = [
    { hash: 'speech', mediaType: 'audio/wav', size: wav.length, base64: wav.toString('base64') },
    {
      ...{ hash: 'transcript', mediaType: 'application/json', size: transcript.length },
      base64: transcript.toString('base64'),
    },
  ]
  const sound = { id: 'speech', name: 'library.wav', hash: 'speech', mediaType: 'audio/wav', size: wav.length }
  const words = { ...sound, id: 'words', name: 'Transcript', hash: 'transcript', mediaType: 'application/json' }
  const made = { kind: 'audio', modelId: 'model', modelName: 'Model', prompt: '', settings: {}, state: 'done' }
  const creations = [
    { ...made, id: 'one', task: 'speech', prompt: SENTENCES, inputs: [], results: [sound], createdAt: 1 },
    { ...made, id: 'two', task: 'transcription', text: SENTENCES, inputs: [sound], results: [words], createdAt: 2 },
  ]
  await page.evaluate(
    async ({ creations, files }) => {
      const opening = indexedDB.open('lagoon')
      await new Promise((resolve) => {
        opening.onsuccess = resolve
      })
      const transaction = opening.result.transaction(['creations', 'blobs'], 'readwrite')
      for (const creation of creations) transaction.objectStore('creations').put(creation)
      for (const { base64, mediaType, hash, size } of files) {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
        transaction.objectStore('blobs').put({ hash, size, data: new Blob([bytes], { type: mediaType }) })
      }
      await new Promise((resolve) => {
        transaction.oncomplete = resolve
      })
      opening.result.close()
    },
    { creations, files },
  )
}
