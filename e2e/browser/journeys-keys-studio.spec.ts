import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { expect, test } from '@/e2e/testing/fixtures'
import { DESK, inspect } from '@/e2e/testing/ui-page'
import { chooseFiles, isAt, isHeld, isIn, tabTo } from './by-keys'

/** The service makes a film of it in some seconds. */
const MADE_MS = 120_000

const cards = (page: Page) => page.getByRole('list', { name: 'Results, newest first' }).getByRole('article')
const form = (page: Page) => page.getByRole('region', { name: 'Generation settings', exact: true })

const picture = async (name: string, background: string) => ({
  ...{ name, mimeType: 'image/png' },
  buffer: await sharp({ create: { width: 640, height: 360, channels: 3, background } })
    .png()
    .toBuffer(),
})

/** As the page itself asks: its session is for nobody else. */
const retrieveStatus = (page: Page, queueId: string) =>
  page.evaluate(async (queue_id) => {
    const body = JSON.stringify({ queue_id })
    const headers = { 'content-type': 'application/json' }
    return (await fetch('/api/v1/video/retrieve', { method: 'POST', headers, body })).status
  }, queueId)

test(
  'a film of two pictures is queued, cancelled, queued again, outlives a reload, plays, and is let go of',
  DESK,
  async ({ page }, testInfo) => {
    test.setTimeout(240_000)
    const { keyboard } = page
    await page.goto('/studio/video')
    await expect(page.getByRole('textbox', { name: 'Script' })).toBeVisible()
    await expect(form(page).getByRole('button', { name: /^Generate/ })).toBeDisabled()
    await tabTo(page, 'Images')
    await chooseFiles(page, [await picture('dawn.png', '#f4b183'), await picture('night.png', '#1f3864')])
    await expect(form(page).getByText('night.png')).toBeVisible()
    await isAt(page.getByLabel('Images'))
    await tabTo(page, 'Remove dawn.png', 'Shift+Tab')
    await keyboard.press('Enter')
    await expect(form(page).getByText('dawn.png')).toBeHidden()
    await isAt(page.getByLabel('Images'))
    await chooseFiles(page, [await picture('noon.png', '#7fb7be')])
    await expect(form(page).getByText('noon.png')).toBeVisible()
    await isAt(page.getByLabel('Images'))
    await tabTo(page, 'Script')
    await keyboard.type('The harbour opens at noon.')
    await tabTo(page, 'Auto')
    await keyboard.press('ArrowRight')
    await isAt(form(page).getByRole('radio', { name: '5 s', exact: true }))
    await expect(form(page).getByText(/^\$0\.01(00)?$/)).toBeVisible()
    await tabTo(page, 'Script', 'Shift+Tab')

    await keyboard.press('ControlOrMeta+Enter')
    const film = cards(page).first()
    await expect(film).toHaveAttribute('aria-busy', 'true')
    await isAt(page.getByRole('textbox', { name: 'Script' }))
    await tabTo(page, 'Cancel')
    await keyboard.press('Enter')
    await expect(film).toContainText('Cancelled.')
    await isIn(film)
    await tabTo(page, 'Generate again')
    const queued = page.waitForResponse((response) => response.url().endsWith('/video/queue'))
    await keyboard.press('Enter')
    const { queue_id } = await (await queued).json()
    await expect(film).toHaveAttribute('aria-busy', 'true')
    await expect(film).toContainText(/Queued|usually/)
    await isHeld(page)
    // What scrolls is the form and the wall, never the page with its bar.
    expect(await page.evaluate(() => document.documentElement.scrollHeight <= window.innerHeight)).toBe(true)
    await inspect(page, testInfo, 'studio-video-queued')

    await tabTo(page, 'Audio', 'Shift+Tab')
    await keyboard.press('Enter')
    await expect(page).toHaveURL(/\/studio\/audio$/)
    await expect(page.getByRole('region', { name: 'Queue' })).toContainText('The harbour opens at noon.')
    await isHeld(page)
    await tabTo(page, /The harbour opens at noon\./)
    await keyboard.press('Enter')
    await expect(page).toHaveURL(/\/studio\/video$/)
    await isHeld(page)
    await page.reload()
    await expect(film).toContainText('The harbour opens at noon.')
    await expect(film.getByRole('button', { name: 'Download' })).toBeVisible({ timeout: MADE_MS })
    await expect(film).toContainText(/\$0\.01(00)?$/)
    // Kept here, so that the service has it no more.
    await expect.poll(() => retrieveStatus(page, queue_id)).toBe(404)
    await tabTo(page, /^Video: The harbour opens/)
    await isAt(film)
    const video = film.locator('video')
    await tabTo(page, /^The harbour opens/)
    await isAt(video)
    expect(await video.evaluate((element: HTMLVideoElement) => Math.round(element.duration))).toBe(5)
    await keyboard.press('Space')
    await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime)).toBeGreaterThan(0.3)
    await keyboard.press('Space')
    await inspect(page, testInfo, 'studio-video')
    await tabTo(page, 'More')
    await keyboard.press('Enter')
    await isIn(page.getByRole('menu'))
    await keyboard.type('Begin')
    await isAt(page.getByRole('menuitem', { name: 'Start a video from the last frame' }))
    await keyboard.press('Enter')
    await expect(page.getByText('Frame set as the start image of the next video.')).toBeVisible()
    await isAt(film.getByRole('button', { name: 'More' }))
    await expect(form(page).getByText('The harbour opens at noon.png')).toBeVisible()
    await expect(form(page).getByText('noon.png', { exact: true })).toBeHidden()

    // Deleted and brought back.
    await tabTo(page, /^Video: The harbour opens/, 'Shift+Tab')
    await keyboard.press('Delete')
    await expect(film).toBeHidden()
    await isHeld(page)
    await tabTo(page, 'Undo')
    await keyboard.press('Enter')
    await expect(film).toContainText('The harbour opens at noon.')
    await isHeld(page)
  },
)
