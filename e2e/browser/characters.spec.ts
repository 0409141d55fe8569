import type { Page } from '@playwright/test'
import type { ScriptedUpstream } from '@/e2e/testing/scripted-upstream'
import { answered, answers, ask, DESK, inspect, openNewChat, PHONE } from '@/e2e/testing/ui-page'
import { withTexts } from '@/lib/contract/characters/card-png'
import { askByKeys, isAt, isHeld, isIn, tabTo } from './by-keys'
import { expect, test } from './ui-scripted'

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })

const ANSWER = 'Then we shall read it together, line by line.'

/** The words that the model was given before the conversation, when it was asked this. Titles are asked for, too. */
function systemOf({ requests }: ScriptedUpstream, question: string): string {
  const asked = requests.find(({ body }) => body.messages.at(-1)?.content === question)
  return String(asked?.body.messages.find(({ role }) => role === 'system')?.content ?? '')
}

test('on a phone a character of the gallery is found and talked to', PHONE, async ({ page, scripted }, testInfo) => {
  scripted.upstream.otherwise({ text: ANSWER, tokensPerSecond: 0 })
  await page.goto('/characters')
  const grid = page.getByRole('grid', { name: 'Characters' })
  await expect(grid.getByRole('link').first()).toBeVisible()
  await inspect(page, testInfo, 'characters')
  await page.getByRole('button', { name: 'Coding' }).tap()
  await grid.getByRole('button', { name: 'Favourite: Rook' }).tap()
  await grid.getByRole('link', { name: /Rook/ }).tap()
  await expect(page.getByRole('heading', { name: 'Rook' })).toBeVisible()
  await expect(page.getByText('No ratings yet.')).toBeVisible()
  await inspect(page, testInfo, 'character')

  await page.getByRole('button', { name: 'Start chat' }).tap()
  await expect(answers(page)).toContainText('Rook. Show me the change')
  await ask(page, 'Here it is.')
  await answered(page)
  await inspect(page, testInfo, 'character-chat')
  // A phone leaves the character in the composer as well.
  await expect(page.getByRole('button', { name: 'Remove character' })).toBeVisible()
  await page.getByRole('button', { name: 'Character: Rook' }).tap()
  const picker = page.getByRole('dialog', { name: 'Choose a character' })
  await expect(picker.getByRole('group', { name: 'Favourites' }).getByRole('option', { name: /Rook/ })).toBeVisible()
  await inspect(page, testInfo, 'character-picker')
  await picker.getByRole('button', { name: 'Continue without a character' }).tap()
  await expect(picker).toBeHidden()
  await expect(page.getByRole('button', { name: 'Remove character' })).toBeHidden()
})

test(
  'by keys: a character of the gallery is found, rated, talked to, and left in the middle of a chat',
  DESK,
  async ({ page, scripted }, testInfo) => {
    const { keyboard } = page
    scripted.upstream.otherwise({ text: ANSWER, tokensPerSecond: 0 })
    await openNewChat(page)
    await page.getByRole('main').focus()
    await keyboard.press('g')
    await keyboard.press('h')
    await expect(page).toHaveURL('/characters')
    const grid = page.getByRole('grid', { name: 'Characters' })
    await expect(grid.getByRole('link').first()).toBeVisible()
    await inspect(page, testInfo, 'characters')
    await tabTo(page, 'Coding')
    await keyboard.press('Enter')
    await tabTo(page, 'Search characters', 'Shift+Tab')
    await keyboard.type('reviewer')
    await expect(grid.getByRole('link')).toHaveCount(1)
    await tabTo(page, 'Favourite: Rook')
    await keyboard.press('Enter')
    await expect(grid.getByRole('button', { name: 'Favourite: Rook' })).toHaveAttribute('aria-pressed', 'true')
    await isHeld(page)
    await keyboard.press('Shift+Tab')
    await isAt(grid.getByRole('link', { name: /Rook/ }))
    await keyboard.press('Enter')
    await expect(page).toHaveURL('/characters/code-reviewer')
    await expect(page.getByRole('heading', { name: 'Rook' })).toBeVisible()
    await isIn(page.getByRole('main'))
    await expect(page.getByText('This character is fictional and played by a model.')).toBeVisible()
    await expect(page.getByText(/Price per million tokens: \$0\.40 input, \$1\.20 output\./)).toBeVisible()
    await expect(page.getByRole('button', { name: 'Favourite: Rook' })).toHaveAttribute('aria-pressed', 'true')
    await expect(page.getByText('No ratings yet.')).toBeVisible()
    await inspect(page, testInfo, 'character')

    await page.getByRole('radio', { name: '4 stars' }).check()
    await page.getByRole('textbox', { name: /^Review/ }).fill('<img src=x onerror="window.hacked = 1">Sharp.')
    await page.getByRole('button', { name: 'Submit rating', exact: true }).press('Enter')
    await expect(page.getByRole('listitem').getByText(/onerror.*Sharp\./)).toBeVisible()
    await expect(page.getByText('4.0 out of 5 (1 rating)')).toBeVisible()

    await tabTo(page, 'Start chat', 'Shift+Tab')
    await keyboard.press('Enter')
    await expect(page).toHaveURL(/\/c\//)
    await expect(answers(page)).toContainText('Rook. Show me the change')
    expect(scripted.upstream.requests).toHaveLength(0)
    await isAt(composer(page))
    await keyboard.type('Here it is.')
    await keyboard.press('Enter')
    await answered(page)
    await expect(answers(page).last()).toContainText(ANSWER)
    await expect(answers(page).last()).toContainText('Rook')
    expect(systemOf(scripted.upstream, 'Here it is.')).toContain('You are Rook, a senior engineer who reviews code.')
    await inspect(page, testInfo, 'character-chat')

    // Left beside the field, taken again and left in the list of characters.
    await tabTo(page, 'Remove character')
    await keyboard.press('Enter')
    await isAt(composer(page))
    await keyboard.press('ControlOrMeta+Shift+H')
    const picker = page.getByRole('dialog', { name: 'Choose a character' })
    await isIn(picker)
    await expect(picker.getByRole('group', { name: 'Favourites' }).getByRole('option', { name: /Rook/ })).toBeVisible()
    await inspect(page, testInfo, 'character-picker')
    await tabTo(page, 'Search characters')
    await keyboard.type('rook')
    const search = picker.getByRole('combobox', { name: 'Search characters' })
    await expect(search).toHaveAttribute('aria-activedescendant', /code-reviewer$/)
    await keyboard.press('Enter')
    await expect(picker).toBeHidden()
    await isAt(composer(page))
    await tabTo(page, 'Character: Rook', 'Shift+Tab')
    await keyboard.press('Enter')
    await isIn(picker)
    await tabTo(page, 'Continue without a character')
    await keyboard.press('Enter')
    await expect(picker).toBeHidden()
    await isAt(page.getByRole('button', { name: 'Choose a character' }))
    await askByKeys(page, 'And now by yourself.')
    await answered(page, 2)
    await expect(
      page.getByRole('separator', { name: 'Rook left. The model answers without a character' }),
    ).toBeVisible()
    expect(systemOf(scripted.upstream, 'And now by yourself.')).not.toContain('Rook')
    await isAt(composer(page))
  },
)

test(
  'from an address of nobody to a character of one’s own, made, asked and deleted with the keyboard alone',
  DESK,
  async ({ page, scripted }, testInfo) => {
    await page.goto('/characters/nobody-at-all')
    await expect(page.getByRole('heading', { name: 'Character not found.' })).toBeVisible()
    await inspect(page, testInfo, 'character-unknown')
    await page.getByRole('button', { name: 'Show all characters' }).press('Enter')
    const grid = page.getByRole('grid', { name: 'Characters' })
    await expect(grid.getByRole('link').first()).toBeVisible()
    await grid.getByRole('link').first().focus()
    await page.keyboard.press('End')
    await expect(grid.getByRole('gridcell').last().getByRole('link')).toBeFocused()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await expect(grid.getByRole('link').nth(1)).toBeFocused()

    await page.getByRole('button', { name: 'Create character' }).focus()
    await page.keyboard.press('Enter')
    const form = page.getByRole('dialog', { name: 'Create character' })
    await form.getByRole('textbox', { name: 'Name' }).focus()
    await page.keyboard.type('Old Tom')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('You are {{char}}, who keeps the light.')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Come in, {{user}}.')
    await inspect(page, testInfo, 'character-form')
    await form.getByRole('button', { name: 'Save in this browser' }).focus()
    await page.keyboard.press('Enter')

    const sheet = page.getByRole('dialog', { name: 'Old Tom' })
    await expect(sheet).toContainText('Come in, User.')
    await inspect(page, testInfo, 'character-own')
    await sheet.getByRole('button', { name: 'Start chat' }).focus()
    await page.keyboard.press('Enter')
    await expect(answers(page)).toContainText('Come in, User.')
    await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeFocused()
    await page.keyboard.type('Is it late?')
    await page.keyboard.press('Enter')
    await answered(page)
    const { body } = scripted.upstream.requests[0] ?? { body: { messages: [] } }
    expect(systemOf(scripted.upstream, 'Is it late?')).toContain('You are Old Tom, who keeps the light.')
    expect(body.messages.slice(1)).toMatchObject([
      { role: 'assistant', content: 'Come in, User.' },
      { role: 'user', content: 'Is it late?' },
    ])

    await page.getByRole('main').focus()
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.getByRole('button', { name: 'Yours' }).press('Enter')
    await grid.getByRole('button', { name: /^Old Tom/ }).press('Enter')
    await sheet.getByRole('button', { name: 'Delete' }).press('Enter')
    await expect(page.getByText('Characters you create or import appear here.')).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await expect(grid.getByRole('button', { name: /^Old Tom/ })).toBeVisible()
  },
)

test('a hostile card does nothing, and stays on the device', DESK, async ({ page, scripted }, testInfo) => {
  const requested: string[] = []
  page.on('request', (request) => requested.push(`${request.url()} ${request.postData() ?? ''}`))
  await page.goto('/characters')
  await expect(page.getByRole('grid', { name: 'Characters' }).getByRole('link').first()).toBeVisible()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Import card' }).click()
  await (await chooser).setFiles({ name: '"><script>.png', mimeType: 'image/png', buffer: hostileCard() })

  const sheet = page.getByRole('dialog', { name: /script/ })
  await expect(sheet).toContainText(`${EVIL} creator_notes`)
  await expect(sheet).toContainText(`${EVIL} first_mes`)
  await inspect(page, testInfo, 'character-hostile')
  expect(requested.filter((text) => text.includes('tracker') || text.includes('secret words'))).toEqual([])

  const download = page.waitForEvent('download')
  await sheet.getByRole('button', { name: 'Export card' }).click()
  expect((await download).suggestedFilename()).toMatch(/^[\w .-]+\.png$/)
  await sheet.getByRole('button', { name: 'Start chat' }).click()
  await expect(answers(page)).toContainText('first_mes')
  await ask(page, 'Hello')
  await answered(page)
  expect(systemOf(scripted.upstream, 'Hello')).toContain('secret words')
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
  expect(requested.filter((text) => text.startsWith('https://tracker'))).toEqual([])
})

test(
  'five hundred models are searched, narrowed, starred and chosen with the keyboard alone',
  DESK,
  async ({ page, scripted }, testInfo) => {
    await page.route('**/api/v1/models?type=text', async (route) => {
      const reply = await route.fetch()
      const list = (await reply.json()) as { data: { id: string; model_spec: { name: string } }[] }
      const [first] = list.data
      const more = Array.from({ length: 500 - list.data.length }, (_, at) => ({
        ...first,
        id: `filler-${at}`,
        model_spec: { ...first?.model_spec, name: `Filler ${at}` },
      }))
      await route.fulfill({ response: reply, json: { ...list, data: [...more, ...list.data] } })
    })
    await openNewChat(page)
    await page.getByRole('region', { name: 'Conversation' }).or(page.locator('main')).first().focus()
    await page.keyboard.press('ControlOrMeta+Shift+M')
    const dialog = page.getByRole('dialog', { name: 'Choose a model' })
    const field = dialog.getByRole('combobox', { name: 'Search models' })
    await expect(field).toBeFocused()
    await expect(dialog.getByRole('option').first()).toHaveAttribute('aria-setsize', '500')
    expect(await dialog.getByRole('option').count()).toBeLessThan(40)

    await page.keyboard.press('PageUp')
    await page.keyboard.type('filler 49')
    await expect(dialog.getByRole('listbox', { name: 'Models' }).getByRole('option').first()).toContainText('Filler 49')
    for (let at = 0; at < 5; at++) await page.keyboard.press('ArrowDown')
    const name = await activeName(page)
    await dialog.getByRole('button', { name: `Favourite: ${name}` }).press('Enter')
    await field.press('ControlOrMeta+a')
    await page.keyboard.press('Delete')
    await expect(dialog.getByText('Favourites', { exact: true })).toBeVisible()
    await dialog.getByRole('button', { name: 'Filters' }).press('Enter')
    await dialog.getByRole('button', { name: 'reasoning' }).press('Enter')
    await inspect(page, testInfo, 'models-filtered')
    await dialog.getByRole('button', { name: 'reasoning' }).press('Enter')
    await field.focus()
    await page.keyboard.type('harbour')
    // The filters have lists of their own.
    await expect(dialog.getByRole('listbox', { name: 'Models' }).getByRole('option')).toHaveCount(1)
    await page.keyboard.press('Enter')
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('button', { name: 'Model: Harbour Mini' })).toBeVisible()
    await ask(page, 'Who is there?')
    await answered(page)
    expect(scripted.upstream.requests[0]?.body.model).toBe('mini')

    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Model: Harbour Mini' }).press('Enter')
    await expect(dialog.getByText('Recent', { exact: true })).toBeVisible()
  },
)

/** The name of the model that the arrows are at. */
async function activeName(page: Page): Promise<string> {
  const id = await page.getByRole('combobox', { name: 'Search models' }).getAttribute('aria-activedescendant')
  return (await page.locator(`[id="${id}"] .font-medium`).innerText()).trim()
}

const EVIL = '<script>window.hacked = 1</script><img src="https://tracker.example/p.png" onerror="window.hacked = 1">'

/** A card with a script in every field, in a picture of one pixel. */
function hostileCard(): Buffer {
  const fields = [
    'description',
    'personality',
    'scenario',
    'first_mes',
    'mes_example',
    'creator_notes',
    'system_prompt',
  ]
  const data = {
    name: '<script>window.hacked = 1</script>',
    ...Object.fromEntries(fields.map((field) => [field, `${EVIL} ${field} secret words`])),
    tags: ['<b>tag</b>', 'javascript:window.hacked=1'],
    extensions: { service: { modelId: '<script>', categories: ['<i>'] } },
  }
  return Buffer.from(withTexts(pixel(), { ccv3: JSON.stringify({ spec: 'chara_card_v3', spec_version: '3.0', data }) }))
}

/** The smallest PNG: a grey pixel. */
function pixel(): Uint8Array {
  const base64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  return Buffer.from(base64, 'base64')
}
