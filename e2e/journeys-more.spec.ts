import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { strToU8, zipSync } from 'fflate'
import sharp from 'sharp'
import { tabTo } from './by-keys'
import { test as withModel } from './fixtures'
import { keepTurns } from './kept-turns'
import { stallInMiddle } from './scripted-upstream'
import { answered, answers, ask, DESK, inspect, openNewChat, PHONE, receipts } from './ui-page'
import { expect, test } from './ui-scripted'
import { openWalletStage } from './wallet-stage'
import { evmWallet, inject, solanaWallet } from './wallets'

// Journeys of docs/chat-app.md that other files show on a desk and with a mouse: here by keys alone, on a phone, on a tablet.

const STORY = 'The sea was calm that morning, and the boats lay still. '.repeat(40)
const TABLET = { width: 834, height: 1112 }

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' })

test(
  'by keys alone: a key is made and kept, a program spends with it, and usage is read',
  DESK,
  async ({ page, scripted }) => {
    const { keyboard } = page
    await page.goto('/keys')
    await page.getByRole('main').getByRole('button', { name: 'Connect a wallet' }).press('Enter')
    await expect(page.getByRole('dialog', { name: 'Choose a wallet' })).toBeVisible()
    await tabTo(page, 'Use the test wallet')
    await keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Sign in wallet' })).toBeEnabled()
    await tabTo(page, 'Sign in wallet')
    await keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: 'You are signed in' })).toBeVisible()
    await keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
    await tabTo(page, 'New key')
    await keyboard.press('Enter')
    const name = page.getByRole('dialog', { name: 'New key' }).getByRole('textbox', { name: 'Name' })
    await name.focus()
    await keyboard.type('by keys')
    await keyboard.press('Enter')
    await expect(page.getByTestId('new-key')).toHaveText(/^SERVICE_INFERENCE_KEY_/)
    const secret = (await page.getByTestId('new-key').textContent()) ?? ''
    await tabTo(page, 'I have saved it')
    await keyboard.press('Enter')
    await expect(page.locator('body')).not.toContainText(secret)
    const reply = await fetch(`${scripted.origin}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'atlas-large', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(reply.status).toBe(200)
    await reply.text()

    await page.locator('body').press('g')
    await keyboard.press('u')
    await expect(page).toHaveURL('/usage')
    await expect(page.getByRole('main')).toContainText(/\$0\.0000\d/)
    const download = page.waitForEvent('download')
    await tabTo(page, /CSV/)
    await keyboard.press('Enter')
    expect(await readFile(await (await download).path(), 'utf8')).toMatch(/0\.0000\d/)
  },
)

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
    await expect(page.getByText('The connection was lost here.')).toBeVisible()
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
    const waiting = page.getByRole('list', { name: 'Waiting to be sent' })
    await expect(waiting).toContainText('sent when you are online')
    await inspect(page, testInfo, 'queue-offline')
    const asked = scripted.upstream.requests.length
    await context.setOffline(false)
    await answered(page, 3)
    await expect(waiting).toBeHidden()
    expect(scripted.upstream.requests).toHaveLength(asked + 1)

    await openArchive(page)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Back up' }).tap(),
    ])
    await page.getByRole('link', { name: 'Wipe everything here' }).tap()
    await page.getByRole('button', { name: 'Wipe everything', exact: true }).tap()
    await page.getByRole('button', { name: 'Wipe for good' }).tap()
    await expect(page).toHaveURL(/\/$/)
    await openArchive(page)
    const input = page.getByLabel('File to import')
    await input.setInputFiles({
      name: 'backup.zip',
      mimeType: 'application/zip',
      buffer: await readFile(await saved.path()),
    })
    await expect(page.getByText('1 chat is new here, with 6 messages')).toBeVisible()

    await input.setInputFiles({ name: 'chatgpt.zip', mimeType: 'application/zip', buffer: await chatGptExport() })
    await expect(page.getByText('2 files of messages')).toBeVisible()
    await expect(page.getByText('Left out: 1 file that is not in the export')).toBeVisible()
    await inspect(page, testInfo, 'import-files')
    await page.getByRole('button', { name: 'Close', exact: true }).tap()
    await page.getByRole('combobox', { name: 'Search chats' }).fill('boat is this')
    await page.getByRole('listbox', { name: 'Found in your chats' }).getByRole('option').first().tap()
    const picture = page.getByRole('article', { name: 'You' }).getByRole('img', { name: 'boat.png' })
    await expect(picture).toBeVisible()
    expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(320)
    await expect(answers(page).first().getByRole('img')).toBeVisible()
    await inspect(page, testInfo, 'imported-pictures')
  },
)

test(
  'who scrolls up stays there, who is at the end stays at it; a shared chat names the model that answered',
  DESK,
  async ({ page, scripted }, testInfo) => {
    scripted.upstream.next({ text: STORY.repeat(4), tokensPerSecond: 250 })
    await openNewChat(page)
    await ask(page, 'Tell a story')
    const area = conversation(page)
    const fromEnd = () => area.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
    const jump = page.getByRole('button', { name: 'Jump to latest' })
    // While words come, a reader who scrolls up stays where he reads, and is taken back by a button.
    await expect.poll(() => area.evaluate((box) => box.scrollHeight - box.clientHeight)).toBeGreaterThan(400)
    await area.hover()
    await page.mouse.wheel(0, -350)
    await expect(jump).toBeVisible()
    const top = await area.evaluate((box) => box.scrollTop)
    await page.waitForTimeout(600)
    expect(await area.evaluate((box) => box.scrollTop)).toBe(top)
    const newLines = async () => Number(/(\d+) new lines/.exec((await jump.textContent()) ?? '')?.[1] ?? 0)
    await expect.poll(newLines).toBeGreaterThan(1)
    const counted = await newLines()
    await expect.poll(newLines).toBeGreaterThan(counted)
    await jump.click()
    await expect.poll(fromEnd).toBeLessThan(2)
    await answered(page)
    await expect.poll(fromEnd).toBeLessThan(2)
    // A wheel that moves nothing is no leaving.
    await area.evaluate((box) => box.dispatchEvent(new WheelEvent('wheel', { deltaY: -20 })))
    await page.setViewportSize({ width: 1280, height: 420 })
    await expect.poll(fromEnd).toBeLessThan(2)
    await expect(jump).toBeHidden()
    // Somebody who reads a little above the end is shown the way back once the end is far.
    await page.setViewportSize({ width: 1280, height: 800 })
    await area.hover()
    await page.mouse.wheel(0, -120)
    await expect.poll(fromEnd).toBeGreaterThan(100)
    await expect(jump).toBeHidden()
    await page.setViewportSize({ width: 1280, height: 520 })
    await expect(jump).toBeVisible()
    await page.setViewportSize({ width: 1280, height: 800 })
    await jump.click()
    await expect(jump).toBeHidden()

    await page.getByRole('navigation', { name: 'History' }).getByRole('link', { name: 'Tell a story' }).hover()
    await page.getByRole('button', { name: 'More for Tell a story' }).click()
    await page.getByRole('menuitem', { name: 'Share by link' }).click()
    await page.getByRole('button', { name: 'Make a link' }).click()
    await page.goto(await page.getByRole('textbox', { name: 'Link' }).inputValue())
    await expect(page.getByRole('article', { name: 'Answer' }).first().getByText('Atlas Large')).toBeVisible()
    await inspect(page, testInfo, 'shared-names')
  },
)

test(
  'on a tablet no screen scrolls sideways, and each is free of faults',
  DESK,
  async ({ page, scripted }, testInfo) => {
    await page.setViewportSize(TABLET)
    scripted.upstream.next({ text: STORY })
    await openNewChat(page)
    await ask(page, 'Tell a story')
    await answered(page)
    const places = {
      chat: page.url(),
      'new-chat': '/',
      characters: '/characters',
      wallet: '/wallet',
      settings: '/settings',
    }
    for (const [name, place] of Object.entries(places)) {
      await page.goto(place)
      await page.waitForLoadState('networkidle')
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(width, name).toBeLessThanOrEqual(TABLET.width)
      await inspect(page, testInfo, `tablet-${name}`)
    }
  },
)

withModel(
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
      /Two seconds of dictation cost \$0\.000\d+, and your cap is \$0\.0001 a message/,
    )
    await dictation.getByRole('button', { name: 'Close' }).click()

    await answers(page).last().hover()
    await page.getByRole('button', { name: 'More for this answer' }).last().click()
    await page.getByRole('menuitem', { name: 'Read aloud' }).click()
    const bar = page.getByRole('region', { name: 'Reading aloud' })
    await expect(bar).toContainText(/Reading on would come to \$0\.000\d+, and your cap is \$0\.0001 a message/)
    await inspect(page, testInfo, 'read-aloud-cap')
    expect(asked).toEqual([])
    await bar.getByRole('button', { name: 'Raise it' }).click()
    await page.getByRole('textbox', { name: 'Cap per message' }).fill('1')
    const spoken = page.waitForResponse((response) => response.url().endsWith('/audio/speech'))
    await page.getByRole('button', { name: 'Save and read on' }).click()
    expect((await spoken).status()).toBe(200)
  },
)

test.describe('with a wallet of one’s own', () => {
  test.describe.configure({ timeout: 180_000 })
  let stage: Awaited<ReturnType<typeof openWalletStage>>
  test.beforeAll(async () => {
    test.setTimeout(180_000)
    stage = await openWalletStage({}, { SANDBOX_WALLETS: 'any' })
  })
  test.afterAll(async () => stage?.stop())
  const origin = () => new URL(stage.baseUrl.replace('127.0.0.1', 'localhost')).origin

  test('a refusal at each step and then a top-up: an EVM wallet by keys alone, a Solana wallet on a phone', async ({
    page,
  }, testInfo) => {
    const isPhone = testInfo.project.name === 'phone'
    const wallet = isPhone ? solanaWallet() : evmWallet()
    const [connecting, signing, paying] = isPhone
      ? (['connect', 'signMessage', 'signTransaction'] as const)
      : (['eth_requestAccounts', 'personal_sign', 'eth_signTypedData_v4'] as const)
    /** A tap, or the keys that lead there: the name of a button may begin in several ways. */
    const press = async (name: RegExp) => {
      const button = page.getByRole('dialog').getByRole('button', { name }).first()
      await expect(button).toBeEnabled()
      if (isPhone) return button.tap()
      await tabTo(page, name)
      await page.keyboard.press('Enter')
    }
    const refused = page.getByRole('region', { name: /What (went wrong|happened)/ })
    await stage.fund(wallet.address)
    await inject(page, isPhone ? { solana: wallet } : { evm: wallet })
    await page.goto(origin())
    await expect(page.getByRole('button', { name: /^Model: (?!loading)/ })).toBeVisible()
    await composer(page).focus()
    await page.keyboard.type('When is high tide?')
    if (isPhone) await page.getByRole('button', { name: 'Send', exact: true }).tap()
    else await page.keyboard.press('Enter')

    await expect(page.getByRole('dialog', { name: 'Choose a wallet' })).toBeVisible()
    wallet.answers.set(connecting, 'reject')
    await press(/^Connect Test /)
    await expect(refused).toBeVisible()
    wallet.answers.delete(connecting)
    await press(/^Try again/)
    await expect(page.getByRole('dialog', { name: 'Prove it is yours' })).toBeVisible()
    wallet.answers.set(signing, 'reject')
    await press(/^Sign in wallet/)
    await expect(refused).toBeVisible()
    wallet.answers.delete(signing)
    await press(/^(Try again|Sign in wallet)/)
    const topUp = page.getByRole('dialog', { name: 'Add credit' })
    await expect(topUp.getByText(/you hold 50\.00/)).toBeVisible()
    wallet.answers.set(paying, 'reject')
    await press(/^Pay /)
    await expect(refused).toContainText(/Nothing/i)
    await inspect(page, testInfo, 'top-up-refused-again')
    wallet.answers.delete(paying)
    await press(/^Pay /)
    await expect(page.getByRole('dialog', { name: 'Credit added' })).toBeVisible()
    await press(/^Done/)
    await answered(page)
    await expect(answers(page)).toContainText('The tide comes in.')
    expect(wallet.prompts.filter((prompt) => prompt === paying)).toHaveLength(2)

    // Credit that is used up in the middle of a chat: the question waits, and is asked again once.
    let asked = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/chat/completions')) asked += 1
    })
    const reply = { error: 'No credit', code: 'INSUFFICIENT_BALANCE', currentBalanceUsd: 0, minimumBalanceUsd: 12 }
    await page.route('**/chat/completions', (route) => route.fulfill({ status: 402, json: reply }), { times: 1 })
    await composer(page).focus()
    await page.keyboard.type('And low tide?')
    if (isPhone) await page.getByRole('button', { name: 'Send', exact: true }).tap()
    else await page.keyboard.press('Enter')
    const paused = page.getByRole('region', { name: 'Paused' })
    await expect(paused).toContainText('Your message is kept.')
    const add = paused.getByRole('button', { name: 'Add credit' })
    if (isPhone) await add.tap()
    else await add.press('Enter')
    await press(/^Pay /)
    await expect(page.getByRole('dialog', { name: 'Credit added' })).toBeVisible()
    await press(/^Done/)
    await answered(page, 2)
    expect(asked).toBe(2)
  })
})

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
