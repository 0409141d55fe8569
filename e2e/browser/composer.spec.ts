import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { answered, ask, DESK, inspect, openNewChat, PHONE } from '@/e2e/testing/ui-page'
import { pdf } from '@/lib/services/documents/testing/documents'
import { makeWithFfmpeg, testImage } from '@/lib/services/media/testing'
import { writeWav } from '@/lib/services/media/wav'
import { expect, test } from './ui-scripted'

type Chosen = { name: string; mimeType: string; buffer: Buffer }

const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const tray = (page: Page) => page.getByRole('list', { name: 'Attached files' })
const tile = (page: Page, name: string): Locator => tray(page).getByRole('listitem', { name: new RegExp(`^${name},`) })
const choose = (page: Page, files: Chosen[]) => page.getByLabel('Files for this message').setInputFiles(files)

async function picture(name: string, width: number, height: number): Promise<Chosen> {
  const image = sharp({ create: { width, height, channels: 3, background: { r: 10, g: 110, b: 100 } } })
  return { name, mimeType: 'image/png', buffer: await image.png().toBuffer() }
}

async function report(): Promise<Chosen> {
  const pages = [['The lighthouse was painted in 1931.'], ['Its keeper was Ada.']]
  return { name: 'report.pdf', mimeType: 'application/pdf', buffer: Buffer.from(await pdf(pages)) }
}

function sound(): Chosen {
  const samples = Float32Array.from({ length: 16_000 * 4 }, (_, at) => Math.sin(at / 6) * 0.4)
  return { name: 'tone.wav', mimeType: 'audio/wav', buffer: Buffer.from(writeWav(samples, 16_000)) }
}

function film(): Chosen {
  const args = [
    ...testImage('320x180', 2, 12),
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
    'a.mp4',
  ]
  const [bytes] = makeWithFfmpeg(args)
  return { name: 'harbour.mp4', mimeType: 'video/mp4', buffer: Buffer.from(bytes!) }
}

const ZIP: Chosen = { name: 'things.zip', mimeType: 'application/zip', buffer: Buffer.from('PK\x03\x04 nothing') }

const text = (name: string, words: string): Chosen => ({ name, mimeType: 'text/plain', buffer: Buffer.from(words) })

test(
  'an image, a PDF, a recording and a film go in one message; what cannot is refused before it is sent',
  DESK,
  async ({ page, scripted }, testInfo) => {
    const sent: { status: number }[] = []
    page.on('response', (response) => {
      if (response.url().endsWith('/chat/completions')) sent.push({ status: response.status() })
    })
    await openNewChat(page)
    await choose(page, [
      text('dropped.txt', 'Not this one.'),
      await report(),
      await picture('dot.png', 40, 40),
      ZIP,
      sound(),
      film(),
    ])
    const transfer = await holdFile(page, await picture('boats.png', 3_000, 1_500))
    await page.locator('main').dispatchEvent('dragenter', { dataTransfer: transfer })
    await expect(page.getByText('Drop files anywhere')).toBeVisible()
    await expect(page.getByText('Atlas Large accepts documents.')).toBeVisible()
    await inspect(page, testInfo, 'composer-drop')
    await page.locator('main').dispatchEvent('drop', { dataTransfer: transfer })
    await expect(page.getByText('Drop files anywhere')).toBeHidden()
    await expect(tile(page, 'boats.png')).toContainText('Atlas Large doesn’t support images.')
    await field(page).fill('What is in these?')
    await expect(tile(page, 'dot.png')).toContainText('40 × 40 pixels. Use one with at least 64')
    await expect(tile(page, 'things.zip')).toContainText('Unsupported file type.')
    // What keeps the message back is first, in sight, and named with its reason.
    await expect(page.getByText(/^dot\.png: ./)).toBeVisible()
    await expect(page.getByText('Remove the files marked in red to send.')).toBeVisible()
    const tiles = tray(page).getByRole('listitem')
    await expect(tiles).toHaveCount(7)
    await expect(tiles.first()).toContainText('dot.png')
    await expect(tiles.first()).toBeInViewport({ ratio: 1 })
    await expect(tiles.nth(5)).toContainText('dropped.txt')
    await expect(tiles.nth(6)).toContainText('report.pdf')
    await expect(tile(page, 'report.pdf')).toContainText(/2 pages · .*about \d+ tokens/)
    await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeDisabled()
    await inspect(page, testInfo, 'composer-refusals')

    await page.getByRole('button', { name: 'Use Beacon Sight' }).click()
    await expect(page.getByRole('button', { name: 'Model: Beacon Sight' })).toBeVisible()
    await expect(tile(page, 'boats.png')).toContainText('2048 × 1024')
    for (const name of ['dot.png', 'things.zip', 'dropped.txt']) {
      await page.getByRole('button', { name: `Remove ${name}` }).click()
    }
    await expect(tiles).toHaveCount(4)
    await expect(tile(page, 'tone.wav')).toContainText('0:04')
    await page.getByRole('button', { name: 'Trim tone.wav' }).click()
    const sheet = page.getByRole('dialog', { name: 'Trim recording' })
    await expect(sheet.getByText('0:04 of 0:04 selected')).toBeVisible()
    await inspect(page, testInfo, 'composer-trim')
    await sheet.getByLabel('End (s)').fill('1.5')
    await sheet.getByRole('button', { name: 'Keep selection' }).click()
    await expect(sheet).toBeHidden()
    await expect(tile(page, 'tone.wav')).toContainText('0:02')
    await expect(tile(page, 'tone.wav')).toContainText('48 kB')

    // Reordered with the keyboard alone.
    const order = async () => (await tiles.allTextContents()).map((words) => words.includes('tone.wav')).indexOf(true)
    const before = await order()
    await tile(page, 'tone.wav').focus()
    await page.keyboard.press('Shift+ArrowLeft')
    await expect.poll(order).toBe(before - 1)
    await inspect(page, testInfo, 'composer-files')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await answered(page)
    await expect(tray(page)).toBeHidden()
    expect(sent).toEqual([{ status: 200 }])
    const content = scripted.upstream.requests[0]?.body.messages.at(-1)?.content
    expect(Array.isArray(content) && content.map((part: { type: string }) => part.type).toSorted()).toEqual(
      expect.arrayContaining(['image_url', 'input_audio', 'text', 'video_url']),
    )
    expect(JSON.stringify(content)).toContain('The lighthouse was painted in 1931.')
  },
)

test(
  'commands and sources are at hand; drafts survive another chat, a new page and a lost connection, with their files',
  DESK,
  async ({ page, scripted }, testInfo) => {
    scripted.upstream.otherwise({ text: 'Here I am.' })
    await openNewChat(page)
    await field(page).pressSequentially('/web')
    const options = page.getByRole('listbox', { name: 'Commands' }).getByRole('option')
    await expect(options.first()).toContainText('/web-on')
    await expect(field(page)).toHaveAttribute('aria-activedescendant', (await options.first().getAttribute('id')) ?? '')
    await inspect(page, testInfo, 'composer-commands')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Sources: auto' })).toBeVisible()
    await expect(field(page)).toHaveValue('')
    await field(page).fill('What is new in the harbour?')
    await expect(page.getByText(/^up to ~\$0\.01 · about \d+ tokens$/)).toBeVisible()
    await page.getByRole('button', { name: 'Sources: auto' }).click()
    const sources = page.getByRole('dialog', { name: 'Sources' })
    await expect(sources.getByText('Searches for every message. $0.01 if results are found.')).toBeVisible()
    await inspect(page, testInfo, 'composer-sources')
    await sources.getByRole('radio', { name: /^Off/ }).check()
    await page.keyboard.press('Escape')
    // The panel gives the focus back to its button a moment after it closed.
    await expect(page.getByRole('button', { name: 'Sources', exact: true })).toBeFocused()

    await ask(page, 'A first question')
    await answered(page)
    const address = page.url()
    await field(page).fill('Half a thought')
    await choose(page, [text('notes.txt', 'Some notes.')])
    await expect(tile(page, 'notes.txt')).toContainText('tokens')
    await page.keyboard.press('ControlOrMeta+Shift+O')
    await expect(field(page)).toHaveValue('')
    await expect(tray(page)).toBeHidden()
    await page.goto(address)
    await expect(field(page)).toHaveValue('Half a thought')
    await expect(tile(page, 'notes.txt')).toBeVisible()

    await page.route('**/api/v1/chat/completions', (route) => route.abort('connectionreset'))
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(page.getByText('The connection was lost.')).toBeVisible()
    await expect(page.getByRole('article', { name: 'You' }).last()).toContainText('Half a thought')
    await inspect(page, testInfo, 'network-down')
    await page.unroute('**/api/v1/chat/completions')
    await page.getByRole('button', { name: 'Try again' }).click()
    await answered(page, 2)
    await expect(page.getByText('The connection was lost.')).toBeHidden()
    const content = JSON.stringify(scripted.upstream.requests.at(-1)?.body.messages)
    expect(content).toContain('Some notes.')
  },
)

test(
  'on a phone there is one row, its menus are sheets, and the keyboard leaves it in sight',
  PHONE,
  async ({ page }, testInfo) => {
    await page.setViewportSize({ width: 360, height: 640 })
    await openNewChat(page)
    // The estimate, which is loaded with the first words, does not move Send.
    const { promise: isWanted, resolve: load } = Promise.withResolvers<void>()
    await page.route('**/_next/static/chunks/**', async (route) => {
      await isWanted
      await route.continue()
    })
    await field(page).fill('A question')
    const send = page.getByRole('button', { name: 'Send' })
    const before = await send.boundingBox()
    await expect(page.getByText(/about \d+ tokens$/)).toHaveCount(0)
    load()
    await expect(page.getByText(/about \d+ tokens$/)).toBeVisible()
    expect(await send.boundingBox()).toEqual(before)

    const row = await Promise.all(
      [page.getByRole('button', { name: 'Add to this message' }), field(page), send].map(
        async (part) => (await part.boundingBox())!,
      ),
    )
    for (const { y, height, width } of [row[0]!, row[2]!]) {
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(44)
      expect(Math.abs(y + height - (row[1]!.y + row[1]!.height))).toBeLessThanOrEqual(4)
    }
    await page.getByRole('button', { name: 'Add to this message' }).click()
    const sheet = page.getByRole('dialog', { name: 'Add to this message' })
    await sheet.getByRole('radio', { name: /^Auto/ }).check()
    await inspect(page, testInfo, 'composer-sheet')
    await page.keyboard.press('Escape')
    await choose(page, [text('notes.txt', 'Some notes.'), ZIP, sound(), await picture('boats.png', 300, 150)])
    await expect(tray(page).getByRole('listitem')).toHaveCount(4)
    await expect(tile(page, 'notes.txt')).toContainText('tokens')
    await expect(tile(page, 'boats.png')).toContainText('Atlas Large doesn’t support images.')
    // What keeps the message back is first, in sight, and named with its reason.
    await expect(page.getByText(/^things\.zip: Unsupported file type\./)).toBeVisible()
    await expect(tray(page).getByRole('listitem').first()).toContainText('things.zip')
    await expect(tray(page).getByRole('listitem').first()).toBeInViewport({ ratio: 1 })
    await inspect(page, testInfo, 'composer-refusals')
    // What a phone's keyboard leaves of the window.
    await page.setViewportSize({ width: 360, height: 330 })
    await field(page).focus()
    await expect(field(page)).toBeInViewport({ ratio: 1 })
    await expect(send).toBeInViewport({ ratio: 1 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await inspect(page, testInfo, 'composer-keyboard-open')
  },
)

/** What a person who drags a file holds over the page. */
const holdFile = (page: Page, { name, mimeType, buffer }: Chosen) =>
  page.evaluateHandle(
    ([name, type, base64]) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      const data = new DataTransfer()
      data.items.add(new File([bytes], name, { type }))
      return data
    },
    [name, mimeType, buffer.toString('base64')] as const,
  )
