import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { DESK, inspect, takePicture } from '@/e2e/testing/ui-page'
import { LANGUAGES, type Language } from '@/lib/i18n/languages'
import type { Catalog } from '@/lib/i18n/t'
import { PHONE_VIEW, type View, viewer, watchRequests } from './page-views'
import { expect, test } from './ui-scripted'

const ROUTES = [
  '/',
  '/characters',
  '/rpc',
  '/rpc/base-sepolia/eth_blockNumber',
  '/wallet',
  '/settings/general',
  '/nowhere',
]

const catalogOf = (tag: string): Catalog =>
  JSON.parse(readFileSync(path.resolve('lib', 'i18n', 'messages', `${tag}.json`), 'utf8'))

function saidAs(tag: string, sentence: string): string {
  const said = catalogOf(tag)[sentence]
  if (typeof said !== 'string') throw new Error(`${tag} does not say: ${sentence}`)
  return said
}

test.describe('in a browser that asks for Arabic', () => {
  test.use({ locale: 'ar-EG' })

  test('a chat is Arabic, from right to left', async ({ page, scripted }, testInfo) => {
    scripted.upstream.next({ text: 'المد يأتي مرتين في اليوم. Use `tide()` for it.', tokensPerSecond: 0 })
    const faults = noteFaults(page)
    await expectTakenOver(page, watchRequests(page), { tag: 'ar', direction: 'rtl' })
    expect(faults).toEqual([])
    await page.getByRole('textbox', { name: saidAs('ar', 'Message'), exact: true }).fill('متى المد؟')
    await page.getByRole('button', { name: saidAs('ar', 'Send'), exact: true }).click()
    await expect(page.getByRole('paragraph').filter({ hasText: 'المد يأتي مرتين في اليوم.' })).toBeVisible()
    await expect(page).toHaveURL(/\/c\//)
    await inspect(page, testInfo, 'arabic-chat')
  })

  test('every page is Arabic, from right to left, with nothing left in English', DESK, async ({ page }) => {
    const quiet = watchRequests(page)
    const show = await viewer(page)
    const desk: View = { ...page.viewportSize()!, isPhone: false }
    for (const route of ROUTES) {
      await page.goto(route)
      await quiet()
      for (const view of [desk, PHONE_VIEW]) {
        const name = `${route} on a ${view.isPhone ? 'phone' : 'desktop'}`
        if (view.isPhone) await show(view)
        await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
        expect(await leftInEnglish(page, catalogOf('ar')), name).toEqual([])
        expect(await arabicFromLeft(page), name).toEqual([])
        expect(await widthBeyond(page), name).toBeLessThanOrEqual(0)
        await takePicture(page, `arabic${route.replaceAll('/', '-')}-${view.isPhone ? 'phone' : 'desktop'}`)
      }
      await show(desk)
    }

    // Of the documentation the frame is translated, and the text is not.
    await page.goto('/docs/guides/rpc')
    await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
    await expect(page.getByRole('article')).toHaveAttribute('dir', 'ltr')
    await expect(page.getByRole('article')).toHaveAttribute('lang', 'en')
    await expect(page.getByRole('heading', { level: 1, name: 'JSON-RPC' })).toBeVisible()
  })
})

test('a language is chosen in the settings, is kept, and is given back', DESK, async ({ page }) => {
  const quiet = watchRequests(page)
  await page.goto('/settings/general')
  await page.getByRole('combobox', { name: 'Language' }).selectOption({ label: 'Deutsch' })
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  for (const route of ['/', '/settings/general']) {
    await page.goto(route)
    await quiet()
    expect(await leftInEnglish(page, catalogOf('de')), route).toEqual([])
  }
  await page.getByRole('combobox', { name: saidAs('de', 'Language') }).selectOption({ index: 0 })
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
})

test(
  'each language has its page, which the server writes and the browser takes over without a word changed',
  DESK,
  async ({ page, context, baseURL }) => {
    const faults = noteFaults(page)
    const quiet = watchRequests(page)
    for (const language of LANGUAGES.filter(({ tag }) => tag !== 'ar')) {
      await context.addCookies([{ name: 'language', value: language.tag, url: baseURL! }])
      await expectTakenOver(page, quiet, language)
      expect(faults, language.tag).toEqual([])
    }
  },
)

/** Everything that the browser reports as an error. */
function noteFaults(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  return faults
}

/** Opens a page that is written in its language, also when the browser has taken it over. */
async function expectTakenOver(
  page: Page,
  quiet: () => Promise<void>,
  { tag, direction }: Pick<Language, 'tag' | 'direction'>,
): Promise<void> {
  const response = await page.goto('/')
  const html = (await response?.text()) ?? ''
  expect(html).toContain(`<html lang="${tag}" dir="${direction}"`)
  const asked = tag === 'en' ? 'Ask anything…' : saidAs(tag, 'Ask anything…')
  expect(html).toContain(`placeholder="${asked}"`)
  await expect(page.getByPlaceholder(asked, { exact: true })).toBeVisible()
  await quiet()
}

/** Arabic texts that are laid out from left to right, which puts their full stops at the wrong end. */
const arabicFromLeft = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { textContent, parentElement } = walker.currentNode
      if (!textContent || !parentElement || !/\p{Script=Arabic}/u.test(textContent)) continue
      if (parentElement.checkVisibility() && getComputedStyle(parentElement).direction === 'ltr')
        found.push(textContent)
    }
    return found
  })

/** Words on the page that the language has others for. */
async function leftInEnglish(page: Page, catalog: Catalog): Promise<string[]> {
  const english = Object.entries(catalog).flatMap(([key, said]) => (said === key || key.length < 4 ? [] : [key]))
  return await page.evaluate((keys) => {
    const known = new Set(keys)
    const seen: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement
      if (!parent?.closest('script, style, [lang="en"], [translate="no"], code, pre'))
        seen.push(walker.currentNode.textContent?.trim() ?? '')
    }
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
      for (const name of ['aria-label', 'title', 'placeholder']) seen.push(element.getAttribute(name) ?? '')
    }
    return [...new Set([document.title.split(' · ')[0] ?? '', ...seen])].filter((text) => known.has(text))
  }, english)
}

/** By how many pixels the page is wider than its window. */
const widthBeyond = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
