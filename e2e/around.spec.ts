import type { Page } from '@playwright/test'
import { answered, answers, ask, DESK, inspect, openNewChat, PHONE } from './ui-page'
import { expect, test } from './ui-scripted'

// What is around the chats: the palette, the keys, the settings, reading without a connection.

// Titles by the model would be requests of their own, at times of their own.
test.beforeEach(({ page }) => page.addInitScript(() => localStorage.setItem('lagoon:titles', 'words')))

const palette = (page: Page) => page.getByRole('dialog', { name: 'Search and commands' })
const chosen = (page: Page) => palette(page).getByRole('option', { selected: true })

/** Opens the palette with its key, types, and waits until what is wanted is what Enter would take. */
async function pickInPalette(page: Page, typed: string, wanted: string | RegExp): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k')
  await expect(palette(page).getByRole('combobox')).toBeFocused()
  await page.keyboard.type(typed)
  await expect(palette(page).getByRole('option').filter({ hasText: wanted }).first()).toBeVisible()
  for (let step = 0; step < 30 && !(await chosen(page).filter({ hasText: wanted }).isVisible()); step += 1) {
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
  await expect(palette(page)).toBeHidden()
}

test('everything is reached from the palette with the keyboard', DESK, async ({ page, scripted }) => {
  scripted.upstream.otherwise({ text: 'Tides follow the moon.' })
  await openNewChat(page)
  await ask(page, 'Why are there tides?')
  await answered(page)

  await pickInPalette(page, '>new chat', 'New chat')
  await expect(page).toHaveURL(/\/$/)
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeFocused()
  await pickInPalette(page, 'moon', 'Tides follow the moon.')
  await expect(answers(page)).toContainText('Tides follow the moon.')
  await pickInPalette(page, 'harbour', 'Harbour Mini')
  await expect(page.getByRole('button', { name: 'Model: Harbour Mini' })).toBeVisible()
  await pickInPalette(page, '#base balance', /eth_getBalance/)
  await expect(page).toHaveURL(/\/rpc\/base-\w+\/eth_getBalance/)
  await pickInPalette(page, '#polygon', /Polygon/)
  await expect(page).toHaveURL(/\/rpc\/polygon-\w+$/)
  await pickInPalette(page, '>dark theme', 'Use dark theme')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  for (const [typed, name, url] of [
    ['matrix', 'RPC matrix', /\/rpc\/matrix\?/],
    ['>characters', /^Characters/, /\/characters$/],
    ['>wallet', /^Wallet/, /\/wallet$/],
    ['>spending caps', 'Spending caps', /\/settings\/money#caps$/],
  ] as const) {
    await pickInPalette(page, typed, name)
    await expect(page).toHaveURL(url)
  }
  await pickInPalette(page, 'moon', 'Tides follow the moon.')
  await expect(answers(page)).toContainText('Tides follow the moon.')
})

test('the keys: a palette, a list of keys, others in their place, none while typing', async ({
  page,
  scripted,
}, testInfo) => {
  scripted.upstream.otherwise({ text: 'Here:\n\n```js\nlet a = 1\n```\n' })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await openNewChat(page)
  await ask(page, 'Show me code.')
  await answered(page)
  await page.keyboard.press('Escape')
  await page.keyboard.press('ControlOrMeta+Shift+;')
  await expect(page.getByText('Code copied')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('let a = 1')

  await page.keyboard.press('ControlOrMeta+k')
  await expect(palette(page).getByRole('option').first()).toBeVisible()
  await inspect(page, testInfo, 'palette')
  await page.keyboard.type('zzzz no such thing')
  await expect(palette(page).getByText('No results.')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(palette(page)).toBeHidden()

  await page.getByRole('main').focus()
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(sheet.getByText('Choose a model')).toBeVisible()
  await inspect(page, testInfo, 'shortcuts')
  await sheet.getByRole('button', { name: 'Change shortcuts' }).click()
  await expect(page).toHaveURL(/\/settings\/shortcuts$/)

  const keys = page.getByRole('list', { name: 'Keys' })
  await keys.getByRole('button', { name: 'Change shortcut for Show or hide cost ledger' }).click()
  await expect(page.getByRole('button', { name: /^New shortcut for/ })).toBeFocused()
  await page.keyboard.press('ControlOrMeta+b')
  await expect(
    keys.getByText('Already used by “Show or hide sidebar”. Reassigning removes the shortcut there.'),
  ).toBeVisible()
  await inspect(page, testInfo, 'rebind')
  await page.keyboard.press('Alt+x')
  await keys.getByRole('button', { name: 'Save shortcut', exact: true }).click()
  await expect(page.locator('html')).not.toHaveAttribute('data-ledger', 'hidden')
  await page.keyboard.press('l')
  await expect(page.locator('html')).not.toHaveAttribute('data-ledger', 'hidden')
  await page.keyboard.press('Alt+x')
  await expect(page.locator('html')).toHaveAttribute('data-ledger', 'hidden')
  await page.reload()
  await page.keyboard.press('Alt+x')
  await expect(page.locator('html')).toHaveAttribute('data-ledger', 'shown')

  await page.getByRole('group', { name: 'Single-key shortcuts' }).getByText('Off').click()
  await page.getByRole('main').focus()
  await page.keyboard.press('?')
  await page.keyboard.press('ControlOrMeta+.')
  await expect(page).toHaveURL(/\/settings$/)
  await expect(sheet).toBeHidden()
  await page.goBack()
  await page.getByRole('button', { name: 'Reset all shortcuts' }).click()
  await expect(keys.getByRole('listitem').filter({ hasText: 'Show or hide cost ledger' }).locator('kbd')).toHaveText(
    'L',
  )
})

test('a setting is found by its words, is in force at once, and stays', async ({ page }, testInfo) => {
  await page.goto('/settings')
  await page.getByRole('combobox', { name: 'Search settings' }).fill('spacing')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/settings\/appearance#density$/)
  await expect(page.getByRole('heading', { name: 'Density' })).toBeInViewport()
  const bar = page.locator('header').first()
  const before = (await bar.boundingBox())!.height
  await page.getByText('Compact', { exact: true }).click()
  // Fingers keep their targets: on a phone only the lines of answers stand closer.
  if (testInfo.project.name === 'desktop')
    await expect.poll(async () => (await bar.boundingBox())!.height).toBeLessThan(before)
  await page.getByText('Larger', { exact: true }).click()
  await expect.poll(() => page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe('20px')
  await inspect(page, testInfo, 'settings-large')
  await page.reload()
  await expect(page.getByRole('radio', { name: 'Compact' })).toBeChecked()
  await expect.poll(() => page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe('20px')
  await page.getByText('Normal', { exact: true }).click()
  await page.getByText('Comfortable', { exact: true }).click()

  for (const [section, name] of [
    ['general', 'General'],
    ['models', 'Models and answers'],
    ['money', 'Billing'],
    ['privacy', 'Privacy and data'],
    ['about', 'About'],
  ] as const) {
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name }).click()
    await expect(page).toHaveURL(new RegExp(`/settings/${section}$`))
    await expect(page.getByRole('heading', { name, level: 2 })).toBeVisible()
    await expect(page.locator('.skeleton').locator('visible=true')).toHaveCount(0)
    await inspect(page, testInfo, `settings-${section}`)
  }
  await page.goto('/settings/models')
  await page.getByRole('textbox', { name: 'System prompt' }).fill('Answer in verse.')
  await page.getByRole('combobox', { name: 'Default model' }).selectOption('harbour-mini')
  await page.keyboard.press('ControlOrMeta+Shift+O')
  await expect(page.getByRole('button', { name: 'Model: Harbour Mini' })).toBeVisible()
  await page.goto('/settings/privacy#leaves')
  const leaves = page.getByRole('region', { name: 'Data leaving this device' })
  await expect(leaves.getByText('System prompt')).toBeVisible()
  await expect(leaves.getByText('Harbour Mini: private')).toBeVisible()
})

test('nothing scrolls sideways at 320 pixels, and the composer stays above a keyboard', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 256 })
  for (const path of ['/', '/c/none', '/settings/appearance', '/settings/shortcuts', '/settings/privacy']) {
    await page.goto(path)
    await expect(page.getByRole('main')).toBeVisible()
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width, path).toBeLessThanOrEqual(320)
    const wide = await page.evaluate(() => {
      const scrollers = [...document.querySelectorAll('main, main div')]
      return scrollers.filter(
        (one) => /auto|scroll/.test(getComputedStyle(one).overflowY) && one.scrollWidth > one.clientWidth + 1,
      ).length
    })
    expect(wide, path).toBe(0)
  }
  // 360 by 640 with a keyboard that takes the lower half.
  await page.setViewportSize({ width: 360, height: 330 })
  await page.goto('/')
  await page.getByRole('textbox', { name: 'Message', exact: true }).focus()
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeInViewport({ ratio: 1 })
})

test('chats are read, searched and drafted without a connection', async ({ page, context, scripted }, testInfo) => {
  scripted.upstream.next({ text: 'The quokka lives on Rottnest Island.' })
  scripted.upstream.next({ text: 'A second answer.' })
  // A driven browser meets the server as a newcomer does, unless it asks for the worker.
  await page.addInitScript(() => localStorage.setItem('lagoon:keep-pages', 'on'))
  await openNewChat(page)
  await ask(page, 'Where do quokkas live?')
  await answered(page)
  const address = page.url()
  await page.evaluate(() => navigator.serviceWorker.ready)
  await page.waitForFunction(() => localStorage.getItem('lagoon:pages-kept') !== null)
  await page.waitForLoadState('networkidle')

  const manifest = await (await page.request.get('/manifest.webmanifest')).json()
  expect(manifest).toMatchObject({ id: '/', start_url: '/', display: 'standalone' })
  for (const icon of manifest.icons) expect((await page.request.get(icon.src)).ok(), icon.src).toBe(true)

  await context.setOffline(true)
  await page.reload()
  await expect(
    page.getByText('You’re offline. You can read chats; messages wait until you’re back online.'),
  ).toBeVisible()
  await expect(answers(page)).toContainText('Rottnest Island')
  await inspect(page, testInfo, 'offline')
  await pickInPalette(page, 'rottnest', 'Rottnest')
  await expect(page).toHaveURL(new RegExp(new URL(address).pathname))
  for (const [path, heading] of [
    ['/settings/privacy', 'Privacy and data'],
    ['/', 'What would you like to know?'],
    ['/somewhere/else', 'This page is not available offline.'],
  ] as const) {
    await page.goto(path)
    await expect(page.getByRole('heading', { name: heading })).toBeVisible()
  }
  await page.goto('/')
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Kept while offline')
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue('Kept while offline')
  const kept = await page.evaluate(async () => {
    const names = await caches.keys()
    const urls = await Promise.all(
      names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)),
    )
    return urls.flat()
  })
  expect(kept.filter((url) => new URL(url).pathname.startsWith('/api/'))).toEqual([])
  expect(kept.filter((url) => new URL(url).origin !== new URL(address).origin)).toEqual([])

  await context.setOffline(false)
  await page.reload()
  await expect(page.getByRole('button', { name: /^Model: (?!loading)/ })).toBeVisible()
  await context.setOffline(true)
  await page.getByRole('textbox', { name: 'Message', exact: true }).press('Enter')
  await expect(page.getByText('Not sent: you’re offline. Your draft is saved.')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue('Kept while offline')
  await context.setOffline(false)
  await page.getByRole('textbox', { name: 'Message', exact: true }).press('Enter')
  await answered(page)
  await expect(answers(page)).toContainText('A second answer.')
})

test('a finger from the edge of the page brings the chats, one towards it takes them away', PHONE, async ({ page }) => {
  await openNewChat(page)
  const finger = await page.context().newCDPSession(page)
  const swipe = async (from: number, to: number) => {
    const at = (x: number) => [{ x, y: 400 }]
    await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(from) })
    await finger.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at((from + to) / 2) })
    await finger.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(to) })
    await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  }
  const chats = page.getByRole('dialog', { name: 'Chats' })
  // A page listens once it has had its first moments.
  await expect(async () => {
    await swipe(10, 160)
    await expect(chats).toBeVisible({ timeout: 500 })
  }).toPass()
  await swipe(250, 60)
  await expect(chats).toBeHidden()
  await expect(page.getByRole('button', { name: 'Open chats' })).toBeFocused()
  await swipe(200, 330)
  await swipe(10, 40)
  await page.waitForTimeout(300)
  await expect(chats).toBeHidden()
})
