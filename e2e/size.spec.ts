import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from '@playwright/test'
import filePlugin from '@size-limit/file'
import sizeLimit from 'size-limit'
import { expect, test } from './fixtures'
import { answered, ask, openNewChat } from './ui-page'

/** Bytes after gzip, by the bars of what a visitor may be made to fetch. */
const KB = 1_000
const STATIC = '/_next/static/'
/** What only wallet code says: the calls by which it finds the wallets of a browser. */
const WALLET_CALLS = ['eip6963:requestProvider', 'wallet-standard:app-ready']

test.beforeEach(({}, testInfo) => {
  test.skip(testInfo.project.name === 'phone', 'the same files')
})

for (const { route, scriptKb } of [
  { route: '/', scriptKb: 190 },
  { route: '/c/00000000-0000-4000-8000-000000000000', scriptKb: 190 },
  { route: '/wallet', scriptKb: 220 },
  { route: '/usage', scriptKb: 220 },
  { route: '/keys', scriptKb: 220 },
  { route: '/rpc', scriptKb: 220 },
]) {
  test(`${route} is usable after ${scriptKb} KB of scripts, and its styles are small`, async ({ request }) => {
    const html = await (await request.get(route)).text()
    // Old browsers get a script more, which new ones do not fetch.
    const tags = [...html.matchAll(/<script(?![^>]*nomodule)[^>]*\ssrc="([^"]+)"/gi)].map(([, src]) => src!)
    expect(tags.length).toBeGreaterThan(0)
    expect(await gzipped(tags)).toBeLessThanOrEqual(scriptKb * KB)
    const styles = [...html.matchAll(/<link[^>]*rel="stylesheet"[^>]*href="([^"]+)"/gi)].map(([, href]) => href!)
    expect(await gzipped(styles)).toBeLessThanOrEqual(25 * KB)
  })
}

test('a chat that was answered took 320 KB of scripts, no wallet code, and nothing from elsewhere', async ({
  page,
  baseURL,
}) => {
  const fetched = watchFiles(page)
  await openNewChat(page)
  await ask(page, 'Say hello.')
  await answered(page)
  await page.waitForLoadState('networkidle')
  const scripts = fetched.filter((url) => url.endsWith('.js'))
  expect(await gzipped(scripts.map((url) => new URL(url).pathname))).toBeLessThanOrEqual(320 * KB)
  expect(await scriptsThatSay(scripts, WALLET_CALLS)).toEqual([])
  expect(fetched.filter((url) => new URL(url).origin !== baseURL)).toEqual([])
})

/** The files that a page asks for from now on, each once. */
function watchFiles(page: Page): string[] {
  const urls: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (/^https?:/.test(url) && !urls.includes(url)) urls.push(url)
  })
  return urls
}

async function gzipped(addresses: string[]): Promise<number> {
  const checks = [{ files: addresses.map(fileOf), gzip: true }]
  // Its types know of names only, its program takes a whole configuration.
  const [measured] = (await sizeLimit([filePlugin], { checks } as unknown as string[])) as { size: number }[]
  return measured!.size
}

async function scriptsThatSay(urls: string[], words: string[]): Promise<string[]> {
  const texts = await Promise.all(urls.map(async (url) => [url, await readFile(fileOf(url), 'utf8')] as const))
  return texts.flatMap(([url, text]) => (words.some((word) => text.includes(word)) ? [url] : []))
}

/** Where the build keeps what is served under an address. */
function fileOf(address: string): string {
  const { pathname } = new URL(address, 'http://localhost')
  const isBuilt = pathname.startsWith(STATIC)
  return isBuilt
    ? path.join('.next', 'static', decodeURI(pathname.slice(STATIC.length)))
    : path.join('public', pathname)
}
