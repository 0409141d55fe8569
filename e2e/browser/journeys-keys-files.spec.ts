import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { DOCUMENTS } from '@/e2e/testing/documents'
import { answered, DESK, openNewChat } from '@/e2e/testing/ui-page'
import { makeWithFfmpeg, testImage } from '@/lib/services/media/testing'
import { writeWav } from '@/lib/services/media/wav'
import { chooseFiles, isAt, isIn, tabTo, toComposer } from './by-keys'
import { expect, test } from './ui-scripted'

// The files of a message by keys alone: chosen, refused, cancelled, taken away and back, cut, put in order, sent.

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const tray = (page: Page) => page.getByRole('list', { name: 'Attached files' })
const tile = (page: Page, name: string): Locator => tray(page).getByRole('listitem', { name: new RegExp(`^${name},`) })

const picture = async (name: string, width: number, height: number) => ({
  ...{ name, mimeType: 'image/png' },
  buffer: await sharp({ create: { width, height, channels: 3, background: '#0a6e64' } })
    .png()
    .toBuffer(),
})

const text = (name: string, words: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(words) })

function tone(name: string, seconds: number) {
  const samples = Float32Array.from({ length: 16_000 * seconds }, (_, at) => Math.sin(at / 6) * 0.4)
  return { name, mimeType: 'audio/wav', buffer: Buffer.from(writeWav(samples, 16_000)) }
}

function film(name: string) {
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', 'a.mp4']
  const [bytes] = makeWithFfmpeg([...testImage('320x180', 2, 12), ...codec])
  return { name, mimeType: 'video/mp4', buffer: Buffer.from(bytes!) }
}

test('a picture, a PDF, sound and film in one message; refusals; one cancelled', DESK, async ({ page, scripted }) => {
  const { keyboard } = page
  const report = DOCUMENTS.find(({ name }) => name === 'report.pdf')!
  await openNewChat(page)
  await toComposer(page)
  await tabTo(page, 'Add to this message')
  const add = page.getByRole('button', { name: 'Add to this message' })
  await keyboard.press('Enter')
  await isAt(page.getByRole('button', { name: /^Images and files/ }))
  await chooseFiles(page, [
    await picture('boats.png', 600, 300),
    { name: report.name, mimeType: report.mime ?? '', buffer: Buffer.from(await report.bytes()) },
    tone('tone.wav', 4),
    film('harbour.mp4'),
    await picture('dot.png', 40, 40),
    { name: 'things.zip', mimeType: 'application/zip', buffer: Buffer.from('PK\x03\x04 nothing') },
    text('dropped.txt', 'Not this one.'),
    // It is looked at for a while, and is taken away meanwhile.
    text('long.txt', 'word '.repeat(1_500_000)),
  ])
  await isAt(add)
  await tabTo(page, /^(Cancel|Remove) long\.txt$/, 'Shift+Tab')
  await keyboard.press('Enter')
  await expect(tile(page, 'long.txt')).toBeHidden()
  await isAt(tile(page, 'dropped.txt'))
  await expect(tile(page, 'dot.png')).toContainText('40 × 40 pixels. Use one with at least 64')
  await expect(tile(page, 'things.zip')).toContainText('Unsupported file type.')
  await expect(tile(page, 'report.pdf')).toContainText(/2 pages · .*about \d+ tokens/)
  await expect(tile(page, 'boats.png')).toContainText('Atlas Large doesn’t support images.')
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeDisabled()

  await tabTo(page, 'Use Beacon Sight')
  await keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Model: Beacon Sight' })).toBeVisible()
  await isAt(composer(page))
  await tabTo(page, /^dropped\.txt,/, 'Shift+Tab')
  await keyboard.press('Delete')
  // Refused files are first, so this one was the last.
  await isAt(tile(page, 'harbour.mp4'))
  await tabTo(page, 'Undo')
  await keyboard.press('Enter')
  await expect(tile(page, 'dropped.txt')).toBeVisible()
  await isIn(page.getByRole('main'))
  // From its cross, the focus goes on to the file in its place.
  await tabTo(page, 'Remove things.zip', 'Shift+Tab')
  await keyboard.press('Enter')
  await expect(tile(page, 'things.zip')).toBeHidden()
  await isAt(tile(page, 'boats.png'))
  await keyboard.press('ArrowLeft')
  await isAt(tile(page, 'dot.png'))
  await keyboard.press('Delete')
  await isAt(tile(page, 'boats.png'))
  for (const next of ['report.pdf', 'tone.wav', 'harbour.mp4', 'dropped.txt']) {
    await keyboard.press('ArrowRight')
    await isAt(tile(page, next))
  }
  await keyboard.press('Backspace')
  await isAt(tile(page, 'harbour.mp4'))
  await expect(tray(page).getByRole('listitem')).toHaveCount(4)

  await keyboard.press('ArrowLeft')
  await isAt(tile(page, 'tone.wav'))
  await keyboard.press('Shift+ArrowLeft')
  await isAt(tile(page, 'tone.wav'))
  await expect(tray(page).getByRole('listitem').nth(1)).toContainText('tone.wav')
  await tabTo(page, 'Trim tone.wav')
  await keyboard.press('Enter')
  const sheet = page.getByRole('dialog', { name: 'Trim recording' })
  await expect(sheet.getByText('0:04 of 0:04 selected')).toBeVisible()
  await isIn(sheet)
  await tabTo(page, 'End (s)')
  await keyboard.press('ControlOrMeta+a')
  await keyboard.type('1.5')
  await tabTo(page, 'Keep selection')
  await keyboard.press('Enter')
  await expect(sheet).toBeHidden()
  await isAt(tile(page, 'tone.wav'))
  await expect(tile(page, 'tone.wav')).toContainText('48 kB')
  await isAt(tile(page, 'tone.wav'))

  scripted.upstream.next({ text: 'Boats and a report.', tokensPerSecond: 0 })
  await toComposer(page)
  await keyboard.type('What is in these?')
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeEnabled()
  await keyboard.press('Enter')
  await answered(page)
  await expect(tray(page)).toBeHidden()
  await isAt(composer(page))
  expect(scripted.upstream.requests).toHaveLength(1)
  const content = scripted.upstream.requests[0]?.body.messages.at(-1)?.content
  expect(Array.isArray(content) && content.map((part: { type: string }) => part.type).toSorted()).toEqual(
    expect.arrayContaining(['image_url', 'input_audio', 'text', 'video_url']),
  )
  expect(JSON.stringify(content)).toContain(report.facts[0])
})
