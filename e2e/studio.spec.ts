import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { strFromU8, unzipSync } from 'fflate'
import sharp from 'sharp'
import { expect, test } from './fixtures'
import { lagoon, openStudioStage, type StudioStage } from './studio-stage'
import { DESK, inspect } from './ui-page'

// Somebody who makes pictures: first on a machine as it started, which can only enlarge, then with painters behind it.

type ModelList = { data: { id: string }[] }

const makeButton = (page: Page, name = 'Generate') =>
  page.getByRole('button', { name: new RegExp(`^${name}( Ctrl|$)`) })
const cards = (page: Page) => page.getByRole('region', { name: 'Results' }).getByRole('article')
const form = (page: Page) => page.getByRole('region', { name: 'Generation settings', exact: true })
const well = (page: Page) => form(page).getByLabel(/^Image/)
const choose = (page: Page, name: string) => page.getByText(name, { exact: true }).click()

const file = (name: string, buffer: Buffer, mimeType = 'image/png') => ({ name, mimeType, buffer })

test('what this machine can do with pictures is offered, what it cannot is said, and a picture is enlarged', async ({
  page,
}, testInfo) => {
  await page.goto('/')
  if (testInfo.project.name === 'phone') await page.getByRole('button', { name: 'Open chats' }).click()
  await page.getByRole('link', { name: 'Studio', exact: true }).locator('visible=true').click()
  await expect(page).toHaveURL(/\/studio$/)
  await expect(page.getByText('No text-to-image model is connected.')).toBeVisible()
  await expect(page.getByText('Your images appear here.')).toBeVisible()
  await expect(makeButton(page, 'Upscale')).toBeDisabled()

  await well(page).setInputFiles(file('tiny.png', await lagoon(100, 100)))
  await expect(form(page).getByText('This image is 100 × 100 pixels.')).toBeVisible()
  await expect(makeButton(page, 'Upscale')).toBeDisabled()

  // What it is, its content tells.
  const jpeg = await sharp(await lagoon(320, 280))
    .jpeg()
    .toBuffer()
  await well(page).setInputFiles(file('shore.png', jpeg))
  await expect(form(page)).toContainText('320 × 280')
  await expect(form(page)).toContainText('$0.001')
  await expect(form(page)).toContainText('Output size: 640 × 560.')
  await page.keyboard.press('Control+Enter')
  await expect(cards(page)).toHaveCount(1)
  await expect(cards(page)).toHaveAttribute('data-state', 'done', { timeout: 60_000 })
  await expect(cards(page)).toContainText('ESRGAN Slim · 2× · 640 × 560')
  await expect(cards(page)).toContainText('$0.001')
  await expect(page.getByRole('button', { name: /^Credit balance: \$1\.00 / })).toHaveAttribute('title', '$0.999')
  await inspect(page, testInfo, 'studio-enlarged')

  // Before and after, by the arrow keys.
  await cards(page).getByRole('button', { name: 'Compare' }).click()
  const compare = page.getByRole('dialog', { name: 'Compare' })
  const line = compare.getByRole('slider')
  await line.focus()
  await page.keyboard.press('ArrowLeft')
  await expect(line).toHaveValue('49')
  await page.keyboard.press('Escape')
  await expect(compare).toBeHidden()

  // It is there after a reload, is deleted from the keyboard, and comes back.
  await page.reload()
  await expect(cards(page)).toContainText('640 × 560')
  await cards(page).focus()
  await page.keyboard.press('Delete')
  await expect(cards(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(cards(page)).toHaveCount(1)
})

test.describe('with painters', () => {
  let stage: StudioStage
  test.beforeAll(async () => {
    test.setTimeout(180_000)
    stage = await openStudioStage({}, ['painter', 'retouch', 'scissors', 'eraser', 'esrgan-slim'])
  })
  test.afterAll(async () => stage?.stop())

  const openStudio = async (page: Page) => {
    await page.goto(`${stage.origin}/studio`)
    await expect(page.getByRole('textbox', { name: 'Prompt' })).toBeVisible()
  }
  const ask = async (page: Page, prompt: string) => {
    await page.getByRole('textbox', { name: 'Prompt' }).fill(prompt)
    await makeButton(page).click()
  }
  const card = (page: Page, prompt: string) => cards(page).filter({ hasText: prompt })

  test('pictures are made with their price before and after, looked at, worked on and taken to a chat', async ({
    page,
  }, testInfo) => {
    await openStudio(page)
    await expect(makeButton(page)).toBeDisabled()
    await page.getByRole('textbox', { name: 'Prompt' }).fill('A lagoon at dawn, mist over the reeds')
    await choose(page, '16:9')
    await choose(page, '×2')
    await expect(form(page)).toContainText('$0.08')
    await expect(form(page)).toContainText('2 images at $0.04')
    await inspect(page, testInfo, 'studio-form')
    stage.next({ delayMs: 1_500 }, { delayMs: 1_500 })
    await page.keyboard.press('Control+Enter')
    const dawn = card(page, 'A lagoon at dawn')
    await expect(dawn).toHaveAttribute('data-state', 'running')
    await expect(dawn.getByRole('button', { name: 'Cancel' })).toBeVisible()
    await expect(dawn).toHaveAttribute('data-state', 'done')
    await expect(dawn.getByRole('button', { name: /^Open image/ })).toHaveCount(2)
    await expect(dawn).toContainText('Lagoon Painter · 1280 × 720')
    await expect(dawn).toContainText('$0.08')
    await inspect(page, testInfo, 'studio-made')

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dawn.getByRole('button', { name: 'Download all' }).click(),
    ])
    const zip = unzipSync(new Uint8Array(await readFile(await download.path())))
    expect(Object.keys(zip).filter((name) => name.endsWith('.webp'))).toHaveLength(2)
    expect(JSON.parse(strFromU8(zip['settings.json']!))).toMatchObject({
      model: 'painter',
      prompt: 'A lagoon at dawn, mist over the reeds',
      settings: { ratio: '16:9', variants: 2 },
    })

    // Large, from picture to picture, and on to an edit of the second.
    await dawn.focus()
    await page.keyboard.press('Enter')
    const lightbox = page.getByRole('dialog', { name: 'Images' })
    await expect(lightbox).toBeVisible()
    await page.keyboard.press('ArrowRight')
    await inspect(page, testInfo, 'studio-lightbox')
    await lightbox.getByRole('button', { name: 'Edit image' }).click()
    await expect(lightbox).toBeHidden()
    await expect(form(page)).toContainText('1280 × 720')
    await page.getByRole('textbox', { name: 'Instructions' }).fill('Make it night')
    await expect(form(page)).toContainText('$0.02')
    await makeButton(page, 'Edit').click()
    await expect(card(page, 'Make it night')).toHaveAttribute('data-state', 'done')
    await expect(card(page, 'Make it night')).toContainText('$0.02')

    // What it was made with is used again; the picture goes to a chat.
    await dawn.getByRole('button', { name: 'Reuse settings' }).click()
    await expect(page.getByRole('textbox', { name: 'Prompt' })).toHaveValue('A lagoon at dawn, mist over the reeds')
    await expect(page.getByRole('radio', { name: '×2' })).toBeChecked()
    await card(page, 'Make it night').getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Ask in a new chat' }).click()
    await expect(page).toHaveURL(`${stage.origin}/`)
    await expect(page.getByRole('listitem', { name: /^Make it night\.png, file 1 of 1/ })).toBeVisible()
  })

  test('what is refused, fails or is too dear says so, and what it cost', DESK, async ({ page }, testInfo) => {
    await openStudio(page)
    stage.next({ isRefused: true })
    await ask(page, 'Something forbidden')
    const refused = card(page, 'Something forbidden')
    await expect(refused).toContainText('This image is hidden.')
    await expect(refused).toContainText('free')
    await expect(refused.getByRole('button', { name: 'Open image' })).toHaveCount(0)

    // The service itself tries twice more.
    stage.next({ status: 500 }, { status: 500 }, { status: 500 })
    await ask(page, 'A painter without paint')
    const failed = card(page, 'A painter without paint')
    await expect(failed).toContainText('The model failed.')
    await expect(failed).toContainText('You were not charged.')
    await failed.getByRole('button', { name: 'Try again' }).click()
    await expect(failed).toHaveCount(1)
    await expect(failed).toHaveAttribute('data-state', 'done')

    stage.next({ delayMs: 20_000 })
    await ask(page, 'Too slow to wait for')
    const left = card(page, 'Too slow to wait for')
    await expect.poll(() => stage.prompts).toContain('Too slow to wait for')
    await left.getByRole('button', { name: 'Cancel' }).click()
    await expect(left).toContainText('Cancelled.')
    await expect(left).toContainText('You were not charged.')

    // The welcome credit is used up with the third picture.
    await ask(page, 'The second')
    await expect(card(page, 'The second')).toHaveAttribute('data-state', 'done')
    await ask(page, 'The third')
    await expect(card(page, 'The third')).toHaveAttribute('data-state', 'done')
    await ask(page, 'One too many')
    const paused = card(page, 'One too many')
    await expect(paused).toContainText('Paused: your credit is used up.')
    await expect(paused.getByRole('button', { name: 'Add credit' })).toBeVisible()
    await inspect(page, testInfo, 'studio-failures')

    // From card to card by the keyboard.
    await paused.focus()
    await page.keyboard.press('j')
    await expect(card(page, 'The third')).toBeFocused()
    await page.keyboard.press('k')
    await expect(paused).toBeFocused()
  })

  test(
    'a part is erased and filled, what is in front is cut out, and a request of a page that was left says so',
    DESK,
    async ({ page }) => {
      await openStudio(page)
      stage.next({ delayMs: 30_000 })
      await ask(page, 'Left behind')
      const left = card(page, 'Left behind')
      await expect(left).toHaveAttribute('data-state', 'running')
      await expect.poll(() => stage.prompts).toContain('Left behind')
      await page.reload()
      await expect(left).toContainText('You left the page before generation finished.')

      await choose(page, 'Edit')
      await page.getByRole('textbox', { name: 'Instructions' }).fill('')
      await well(page).setInputFiles(file('shore.png', await lagoon(400, 300)))
      await page.getByRole('button', { name: 'Erase parts of shore.png' }).click()
      const board = page.getByRole('application')
      await board.focus()
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('Space')
      await board.click({ position: { x: 60, y: 60 } })
      await page.getByRole('button', { name: 'Done' }).click()
      await expect(form(page)).toContainText('$0.02')
      await makeButton(page, 'Edit').click()
      await expect(card(page, 'shore.png')).toHaveAttribute('data-state', 'done')

      await choose(page, 'Remove background')
      await makeButton(page, 'Remove background').click()
      await expect(cards(page)).toHaveCount(3)
      await expect(cards(page).first()).toHaveAttribute('data-state', 'done')
      await expect(cards(page).first()).toContainText('$0.005')

      await expect(left).toContainText('You were not charged.')
      await left.getByRole('button', { name: 'Generate again' }).click()
      await expect(left).toHaveAttribute('data-state', 'done')
      await expect(left).toContainText('$0.04')
    },
  )

  test('with a model that only erases, an object is marked, erased and filled, and no field asks for words', async ({
    page,
  }, testInfo) => {
    await page.route('**/api/v1/models?type=*', async (route) => {
      const reply = await route.fetch()
      const { data, ...list }: ModelList = await reply.json()
      const json = { ...list, data: data.filter(({ id }) => id === 'eraser' || id === 'esrgan-slim') }
      await route.fulfill({ response: reply, json })
    })
    await page.goto(`${stage.origin}/studio`)
    await expect(page.getByText('You can still erase objects and upscale.')).toBeVisible()
    await expect(form(page).getByRole('radio', { name: 'Erase' })).toBeChecked()
    await expect(form(page).getByRole('textbox')).toHaveCount(0)
    await expect(makeButton(page, 'Erase object')).toBeDisabled()
    await expect(form(page)).toContainText('Choose an image first.')

    await well(page).setInputFiles(file('shore.png', await lagoon(400, 300)))
    const brush = page.getByRole('dialog', { name: 'Erase object' })
    await expect(brush.getByRole('application')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(form(page)).toContainText('Mark an area to erase first.')
    await expect(makeButton(page, 'Erase object')).toBeDisabled()
    await inspect(page, testInfo, 'studio-erase')

    await form(page).getByRole('button', { name: 'Mark area to erase' }).click()
    await brush.getByRole('application').click({ position: { x: 60, y: 60 } })
    await brush.getByRole('button', { name: 'Done' }).click()
    await expect(form(page).getByRole('button', { name: 'Erase more' })).toBeVisible()
    await makeButton(page, 'Erase object').click()
    await expect(cards(page)).toHaveAttribute('data-state', 'done')
    await expect(cards(page)).toContainText('shore.png')
    await expect(cards(page)).toContainText('$0.002')

    // Erased elsewhere: there is nothing left to mark.
    await form(page)
      .getByRole('button', { name: /^Remove / })
      .click()
    await well(page).setInputFiles(file('hole.png', await lagoon(400, 300, 1, true)))
    await expect(makeButton(page, 'Erase object')).toBeEnabled()
  })
})
