import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { strFromU8, unzipSync } from 'fflate'
import sharp from 'sharp'
import { expect, test } from '@/e2e/testing/fixtures'
import { DESK, inspect, PHONE } from '@/e2e/testing/ui-page'
import type { Failure } from '@/lib/browser/failure'
import { nano } from '@/lib/contract/money'
import { keepCreations, keptFile } from './kept-creations'
import { lagoon, openStudioStage, type StudioStage } from './studio-stage'

// Somebody who makes pictures: first on a machine as it started, which can only enlarge, then with painters behind it.

type ModelList = { data: { id: string }[] }

const makeButton = (page: Page, name = 'Generate') =>
  page.getByRole('button', { name: new RegExp(`^${name}( Ctrl|$)`) })
const cards = (page: Page) => page.getByRole('region', { name: 'Results' }).getByRole('article')
const form = (page: Page) => page.getByRole('region', { name: 'Generation settings', exact: true })
const well = (page: Page) => form(page).getByLabel(/^Image/)
const choose = (page: Page, name: string) => page.getByText(name, { exact: true }).click()

const file = (name: string, buffer: Buffer, mimeType = 'image/png') => ({ name, mimeType, buffer })

test(
  'what this machine can do with pictures is offered, a picture is enlarged and kept beside what failed',
  DESK,
  async ({ page }, testInfo) => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Studio', exact: true }).locator('visible=true').click()
    await expect(page).toHaveURL(/\/studio$/)
    await expect(page.getByText('No text-to-image model is connected.')).toBeVisible()
    await expect(page.getByText('Your images appear here.')).toBeVisible()
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

    // Before and after, by the arrow keys.
    await cards(page).getByRole('button', { name: 'Compare' }).click()
    const compare = page.getByRole('dialog', { name: 'Compare' })
    const line = compare.getByRole('slider')
    await line.focus()
    await page.keyboard.press('ArrowLeft')
    await expect(line).toHaveValue('49')
    await page.keyboard.press('Escape')
    await expect(compare).toBeHidden()

    // It is there after a reload.
    await keepFailures(page)
    await page.reload()
    const enlarged = cards(page).first()
    await expect(enlarged).toContainText('640 × 560')
    await expect(cards(page)).toHaveCount(6)
    await inspect(page, testInfo, 'studio-failures')

    // From card to card by the keyboard; deleted from there, and brought back.
    await enlarged.focus()
    await page.keyboard.press('j')
    await expect(cards(page).nth(1)).toBeFocused()
    await page.keyboard.press('k')
    await expect(enlarged).toBeFocused()
    await page.keyboard.press('Delete')
    await expect(cards(page)).toHaveCount(5)
    await expect(cards(page).first()).toBeFocused()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(cards(page)).toHaveCount(6)
  },
)

/** Keeps pictures that were not made, each for another reason. */
async function keepFailures(page: Page): Promise<void> {
  const black = keptFile('black', 'Something forbidden', 'image/png', await lagoon(64, 64))
  const made = { kind: 'image', task: 'generate' } as const
  const failed = (code: Failure['code'], more: Partial<Failure> = {}) => ({
    state: 'failed' as const,
    failure: { code, message: 'The engine failed.', at: 1, requestId: '0123456789abcdef0123456789abcdef', ...more },
    cost: nano(0n),
  })
  await keepCreations(page, [
    {
      ...made,
      id: 'a',
      prompt: 'Something forbidden',
      results: [black],
      content: { isViolation: true },
      cost: nano(0n),
    },
    { ...made, id: 'b', prompt: 'A painter without paint', ...failed('INFERENCE_FAILED') },
    { ...made, id: 'c', prompt: 'Too slow to wait for', state: 'cancelled', cost: nano(0n) },
    { ...made, id: 'd', prompt: 'Left behind', state: 'interrupted', cost: nano(40_000_000n) },
    {
      ...{ ...made, id: 'e', prompt: 'One too many' },
      ...failed('INSUFFICIENT_BALANCE', { credit: { balance: nano(10_000_000n), minimum: nano(40_000_000n) } }),
    },
  ])
}

/** Models for pictures, as the service lists them. */
const MODELS = [
  { id: 'painter', type: 'image', model_spec: { name: 'Lagoon Painter', pricing: { generation: { usd: 0.04 } } } },
  {
    id: 'eraser',
    type: 'inpaint',
    model_spec: { name: 'Eraser', traits: ['object_removal'], pricing: { inpaint: { usd: 0.002 } } },
  },
  {
    id: 'enlarger',
    type: 'upscale',
    model_spec: { name: 'Enlarger', pricing: { upscale: { '2x': { usd: 0.001 }, '4x': { usd: 0.004 } } } },
  },
]

test(
  'pictures on a phone: the form above them, one at full size, before and after, the eraser',
  PHONE,
  async ({ page }, testInfo) => {
    await page.route(/\/api\/v1\/models\?type=(image|inpaint|upscale)$/, (route) => {
      const data = MODELS.filter(({ type }) => route.request().url().endsWith(`=${type}`))
      return route.fulfill({ json: { object: 'list', data } })
    })
    await page.goto('/')
    const [dawn, dusk, shore] = await Promise.all([lagoon(640, 360), lagoon(640, 360, 2), lagoon(320, 280, 3)])
    const size = { width: 640, height: 360 }
    const names = ['A lagoon at dawn', 'A lagoon at dusk']
    const results = [dawn, dusk].map((bytes, at) => keptFile(`picture-${at}`, names[at]!, 'image/png', bytes, size))
    await keepCreations(page, [
      {
        ...{ id: 'b', kind: 'image', task: 'upscale', modelName: 'Enlarger', cost: nano(1_000_000n) },
        ...{ inputs: [keptFile('shore', 'shore.png', 'image/png', shore)], results: results.slice(1) },
      },
      {
        ...{ id: 'a', kind: 'image', task: 'generate', modelName: 'Lagoon Painter', prompt: 'A lagoon at dawn' },
        ...{ results, cost: nano(80_000_000n) },
      },
    ])
    await page.getByRole('button', { name: 'Open chats' }).click()
    await page.getByRole('link', { name: 'Studio', exact: true }).locator('visible=true').click()
    await expect(page).toHaveURL(/\/studio$/)
    await page.getByRole('textbox', { name: 'Prompt' }).fill('A lagoon at noon')
    await choose(page, '16:9')
    await choose(page, '×2')
    await expect(form(page)).toContainText('2 images at $0.04')
    await expect(cards(page)).toHaveCount(2)
    await inspect(page, testInfo, 'studio-made')

    await cards(page)
      .first()
      .getByRole('button', { name: /^Open image/ })
      .first()
      .tap()
    const lightbox = page.getByRole('dialog', { name: 'Images' })
    await expect(lightbox).toBeVisible()
    await inspect(page, testInfo, 'studio-lightbox')
    await page.keyboard.press('Escape')
    await expect(lightbox).toBeHidden()
    await cards(page).nth(1).getByRole('button', { name: 'Compare' }).tap()
    const compare = page.getByRole('dialog', { name: 'Compare' })
    await expect(compare.getByRole('slider')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(compare).toBeHidden()

    await choose(page, 'Erase')
    await well(page).setInputFiles(file('shore.png', await lagoon(400, 300)))
    const brush = page.getByRole('dialog', { name: 'Erase object' })
    await brush.getByRole('application').tap({ position: { x: 60, y: 60 } })
    await brush.getByRole('button', { name: 'Done' }).tap()
    await expect(form(page).getByRole('button', { name: 'Erase more' })).toBeVisible()
    await expect(makeButton(page, 'Erase object')).toBeEnabled()
    await inspect(page, testInfo, 'studio-erase')
  },
)

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

  test(
    'pictures are made with their price before and after, looked at, worked on and taken to a chat; a request of a page that was left says so',
    DESK,
    async ({ page }, testInfo) => {
      await openStudio(page)
      await expect(makeButton(page)).toBeDisabled()
      stage.next({ delayMs: 30_000 })
      await ask(page, 'Left behind')
      const left = card(page, 'Left behind')
      await expect(left).toHaveAttribute('data-state', 'running')
      await expect.poll(() => stage.prompts).toContain('Left behind')
      await page.reload()
      await expect(left).toContainText('You left the page before generation finished.')

      await page.getByRole('textbox', { name: 'Prompt' }).fill('A lagoon at dawn, mist over the reeds')
      await choose(page, '16:9')
      await choose(page, '×2')
      await expect(form(page)).toContainText('$0.08')
      await expect(form(page)).toContainText('2 images at $0.04')
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
      await expect(left).toContainText('You were not charged.')
      await left.getByRole('button', { name: 'Generate again' }).click()
      await expect(left).toHaveAttribute('data-state', 'done')
      await expect(left).toContainText('$0.04')
      await card(page, 'Make it night').getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Ask in a new chat' }).click()
      await expect(page).toHaveURL(`${stage.origin}/`)
      await expect(page.getByRole('listitem', { name: /^Make it night\.png, file 1 of 1/ })).toBeVisible()
    },
  )

  test(
    'a part is erased and filled, what is in front is cut out; a model that only erases is asked for no words',
    DESK,
    async ({ page }, testInfo) => {
      await openStudio(page)
      await choose(page, 'Edit')
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
      await expect(cards(page)).toHaveCount(2)
      await expect(cards(page).first()).toHaveAttribute('data-state', 'done')
      await expect(cards(page).first()).toContainText('$0.005')

      await page.route('**/api/v1/models?type=*', async (route) => {
        const reply = await route.fetch()
        const { data, ...list }: ModelList = await reply.json()
        const json = { ...list, data: data.filter(({ id }) => id === 'eraser' || id === 'esrgan-slim') }
        await route.fulfill({ response: reply, json })
      })
      await page.reload()
      await expect(page.getByText('You can still erase objects and upscale.')).toBeVisible()
      await expect(form(page).getByRole('radio', { name: 'Erase' })).toBeChecked()
      await expect(form(page).getByRole('textbox')).toHaveCount(0)
      await form(page)
        .getByRole('button', { name: /^Remove / })
        .click()
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
      await expect(cards(page)).toHaveCount(3)
      await expect(cards(page).first()).toHaveAttribute('data-state', 'done')
      await expect(cards(page).first()).toContainText('shore.png')
      await expect(cards(page).first()).toContainText('$0.002')

      // Erased elsewhere: there is nothing left to mark.
      await form(page)
        .getByRole('button', { name: /^Remove / })
        .click()
      await well(page).setInputFiles(file('hole.png', await lagoon(400, 300, 1, true)))
      await expect(makeButton(page, 'Erase object')).toBeEnabled()
    },
  )
})
