import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { strToU8, zipSync } from 'fflate'
import sharp from 'sharp'
import { stallInMiddle } from '@/e2e/testing/scripted-upstream'
import { answered, answers, ask, DESK, inspect, live, openNewChat, PHONE } from '@/e2e/testing/ui-page'
import { expect, test } from './ui-scripted'

// Journeys of docs/chat-app.md that other files show on a desk: here on a phone and on a tablet.

const STORY = 'The sea was calm that morning, and the boats lay still. '.repeat(10)
const TABLET = { width: 834, height: 1112 }

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })

test(
  'on a phone: a lost answer goes on, chats are saved, wiped and taken back, pictures of other services come in',
  PHONE,
  async ({ page, context, scripted }, testInfo) => {
    scripted.upstream.next({ text: STORY, tokensPerSecond: 200, stall: stallInMiddle(STORY) })
    await openNewChat(page)
    await ask(page, 'Tell a story')
    await expect.poll(async () => (await answers(page).innerText()).length).toBeGreaterThan(STORY.length * 0.4)
    // What is written is saved every 400 ms.
    await page.waitForTimeout(500)
    await page.reload()
    await expect(page.getByText('Stopped when the page was closed or reloaded.')).toBeVisible()
    scripted.upstream.next({ text: 'The end.' })
    await page.getByRole('button', { name: 'Continue' }).tap()
    await expect(answers(page)).toContainText('The end.')
    await answered(page)

    // A second tab of the same phone follows.
    const other = await context.newPage()
    await other.goto(page.url())
    await ask(page, 'And then?')
    await answered(other, 2)
    await other.close()

    // Without a connection it waits, and goes out when there is one.
    await context.setOffline(true)
    await composer(page).fill('Are you there?')
    await page.getByRole('button', { name: 'Send', exact: true }).tap()
    const waiting = page.getByRole('list', { name: 'Queued messages' })
    await expect(waiting).toContainText('sends when you’re online')
    await expect(page.getByText(/^You’re offline\. You can read chats;/)).toBeVisible()
    await inspect(page, testInfo, 'queue-offline')
    const asked = scripted.upstream.requests.length
    await context.setOffline(false)
    await answered(page, 3)
    await expect(waiting).toBeHidden()
    expect(scripted.upstream.requests).toHaveLength(asked + 1)

    await openArchive(page)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Create backup' }).tap(),
    ])
    await page.getByRole('link', { name: 'Delete all local data' }).tap()
    await page.getByRole('button', { name: 'Delete all data', exact: true }).tap()
    await page.getByRole('button', { name: 'Delete permanently' }).tap()
    await expect(page).toHaveURL(/\/$/)
    await live(page)
    await openArchive(page)
    const input = page.getByLabel('File to import')
    await input.setInputFiles({
      name: 'backup.zip',
      mimeType: 'application/zip',
      buffer: await readFile(await saved.path()),
    })
    await expect(page.getByText('1 chat imported, with 6 messages')).toBeVisible()

    await input.setInputFiles({ name: 'chatgpt.zip', mimeType: 'application/zip', buffer: await chatGptExport() })
    await expect(page.getByText('2 attachments imported')).toBeVisible()
    await expect(page.getByText('Skipped: 1 file missing from the export')).toBeVisible()
    await inspect(page, testInfo, 'import-files')
    await page.getByRole('button', { name: 'Close', exact: true }).tap()
    await page.getByRole('combobox', { name: 'Search chats' }).fill('boat is this')
    await page.getByRole('listbox', { name: 'Results in your chats' }).getByRole('option').first().tap()
    const picture = page.getByRole('article', { name: 'You' }).getByRole('img', { name: 'boat.png' })
    await expect(picture).toBeVisible()
    expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(320)
    await expect(answers(page).first().getByRole('img')).toBeVisible()
    await inspect(page, testInfo, 'imported-pictures')
  },
)

test(
  'on a tablet no screen scrolls sideways, and each is free of faults',
  DESK,
  async ({ page, scripted }, testInfo) => {
    await page.setViewportSize(TABLET)
    scripted.upstream.next({ text: STORY, tokensPerSecond: 0 })
    const look = async (name: string) => {
      await expect(page.locator('.skeleton').locator('visible=true')).toHaveCount(0)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(width, name).toBeLessThanOrEqual(TABLET.width)
      await inspect(page, testInfo, `tablet-${name}`)
    }
    await openNewChat(page)
    await look('new-chat')
    await ask(page, 'Tell a story')
    await answered(page)
    await look('chat')
    for (const name of ['characters', 'wallet', 'settings']) {
      await page.goto(`/${name}`)
      await look(name)
    }
  },
)

async function openArchive(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Open chats' }).tap()
  await page.getByRole('button', { name: 'All chats' }).tap()
  await page.getByRole('menuitem', { name: 'Import and export' }).tap()
}

/** A question with a picture, and an answer that drew one; a third picture is not in the file. */
async function chatGptExport(): Promise<Buffer> {
  const png = await sharp({ create: { width: 320, height: 200, channels: 3, background: '#2a6f97' } })
    .png()
    .toBuffer()
  const shows = (id: string) => ({ content_type: 'image_asset_pointer', asset_pointer: `sediment://${id}` })
  const message = (role: string, parts: unknown[], attachments: object[] = []) => ({
    author: { role },
    content: { content_type: 'multimodal_text', parts },
    metadata: { attachments },
  })
  const chat = {
    conversation_id: 'c1',
    title: 'Boats',
    current_node: 'a',
    mapping: {
      q: {
        id: 'q',
        parent: '',
        message: message(
          'user',
          [shows('file_00000000aaaa'), 'What boat is this?'],
          [{ id: 'file_00000000aaaa', name: 'boat.png' }],
        ),
      },
      t: { id: 't', parent: 'q', message: message('tool', [shows('file_00000000bbbb'), shows('file_00000000cccc')]) },
      a: { id: 'a', parent: 't', message: message('assistant', ['A cutter.']) },
    },
  }
  const files = {
    'conversations.json': strToU8(JSON.stringify([chat])),
    'file_00000000aaaa-boat.png': new Uint8Array(png),
    'user-1/file_00000000bbbb.dat': new Uint8Array(png),
  }
  return Buffer.from(zipSync(files))
}
