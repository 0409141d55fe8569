import type { Page, TestInfo } from '@playwright/test'
import { answered, answers, ask, DESK, inspect, openNewChat, PHONE } from '@/e2e/testing/ui-page'
import { expect, test } from './ui-scripted'

// What is around the chats: the palette, the keys, the settings, reading without a connection.

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

test(
  'the palette and the shortcuts lead everywhere, and a shortcut gets other keys',
  DESK,
  async ({ page, scripted }, testInfo) => {
    scripted.upstream.otherwise({ text: 'Tides follow the moon.\n\n```js\nlet a = 1\n```\n', tokensPerSecond: 0 })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await openNewChat(page)
    await ask(page, 'Why are there tides?')
    await answered(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('ControlOrMeta+Shift+;')
    await expect(page.getByText('Code copied')).toBeVisible()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('let a = 1')

    await pickInPalette(page, '>new chat', 'New chat')
    await expect(page).toHaveURL(/\/$/)
    await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeFocused()
    await pickInPalette(page, 'moon', 'Tides follow the moon.')
    await expect(answers(page)).toContainText('Tides follow the moon.')
    await pickInPalette(page, '#base balance', /eth_getBalance/)
    await expect(page).toHaveURL(/\/rpc\/base-\w+\/eth_getBalance/)
    await pickInPalette(page, 'moon', 'Tides follow the moon.')
    await expect(answers(page)).toContainText('Tides follow the moon.')

    await expectOverlaysFit(page, testInfo)
    await page.keyboard.press('Alt+x')
    await page.getByRole('button', { name: 'Save shortcut', exact: true }).click()
    await page.keyboard.press('l')
    await expect(page.locator('html')).not.toHaveAttribute('data-ledger', 'hidden')
    await page.keyboard.press('Alt+x')
    await expect(page.locator('html')).toHaveAttribute('data-ledger', 'hidden')
  },
)

/** Looks at the palette, the list of shortcuts, and at a shortcut that is given the keys of another. */
async function expectOverlaysFit(page: Page, testInfo: TestInfo): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k')
  await expect(palette(page).getByRole('option').first()).toBeVisible()
  await inspect(page, testInfo, 'palette')
  await page.keyboard.press('Escape')
  await expect(palette(page)).toBeHidden()

  await page.getByRole('main').focus()
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(sheet.getByText('Choose a model')).toBeVisible()
  await inspect(page, testInfo, 'shortcuts')
  await sheet.getByRole('button', { name: 'Change shortcuts' }).click()
  await expect(page).toHaveURL(/\/settings\/shortcuts$/)
  await page.getByRole('button', { name: 'Change shortcut for Show or hide cost ledger' }).click()
  await expect(page.getByRole('button', { name: /^New shortcut for/ })).toBeFocused()
  await page.keyboard.press('ControlOrMeta+b')
  await expect(page.getByText(/^Already used by “Show or hide sidebar”/)).toBeVisible()
  await inspect(page, testInfo, 'rebind')
}

test('a setting is found by its words, is in force at once, and stays', async ({ page }, testInfo) => {
  await page.goto('/settings')
  await page.getByRole('combobox', { name: 'Search settings' }).fill('spacing')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/settings\/appearance#density$/)
  await expect(page.getByRole('heading', { name: 'Density' })).toBeInViewport()
  const fontSize = () => page.evaluate(() => getComputedStyle(document.documentElement).fontSize)
  await page.getByText('Larger', { exact: true }).click()
  await expect.poll(fontSize).toBe('20px')
  await inspect(page, testInfo, 'settings-large')
  // Fingers keep their targets: on a phone only the lines of answers stand closer.
  if (testInfo.project.name === 'desktop') {
    const bar = page.locator('header').first()
    const before = (await bar.boundingBox())!.height
    await page.getByText('Compact', { exact: true }).click()
    await expect.poll(async () => (await bar.boundingBox())!.height).toBeLessThan(before)
    await page.reload()
    await expect(page.getByRole('radio', { name: 'Compact' })).toBeChecked()
    await expect.poll(fontSize).toBe('20px')
    await page.getByText('Comfortable', { exact: true }).click()
  }
  await page.getByText('Normal', { exact: true }).click()

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
})

test(
  'chats are read, searched and drafted without a connection',
  DESK,
  async ({ page, context, scripted }, testInfo) => {
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
      ['/somewhere/else', 'This page is not available offline.'],
      ['/', 'What would you like to know?'],
    ] as const) {
      await page.goto(path)
      await expect(page.getByRole('heading', { name: heading })).toBeVisible()
    }
    const field = page.getByRole('textbox', { name: 'Message', exact: true })
    await field.fill('Kept while offline')
    await page.reload()
    await expect(field).toHaveValue('Kept while offline')
    const kept = await page.evaluate(async () => {
      const names = await caches.keys()
      const urls = await Promise.all(
        names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)),
      )
      return urls.flat()
    })
    expect(kept.filter((url) => new URL(url).pathname.startsWith('/api/'))).toEqual([])
    expect(kept.filter((url) => new URL(url).origin !== new URL(address).origin)).toEqual([])

    // The page that was opened without a connection sends once there is one.
    await context.setOffline(false)
    await expect(page.getByRole('button', { name: /^Model: (?!loading)/ })).toBeVisible()
    await field.press('Enter')
    await answered(page)
    await expect(answers(page)).toContainText('A second answer.')
  },
)

test(
  'on a phone a finger brings the chats and takes them away, and what lies over the page fits',
  PHONE,
  async ({ page }, testInfo) => {
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

    await expectOverlaysFit(page, testInfo)
  },
)
