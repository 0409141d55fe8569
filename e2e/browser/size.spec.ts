import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from '@playwright/test'
import filePlugin from '@size-limit/file'
import sizeLimit from 'size-limit'
import { answered, ask, DESK, openNewChat } from '@/e2e/testing/ui-page'
import { COMPILE_HINT } from '@/scripts/tools/build'
import { expect, test } from './ui-scripted'

/** Bytes after gzip, by the bars of what a visitor may be made to fetch. */
const KB = 1_000
const STATIC = '/_next/static/'
/** What only wallet code says: the calls by which it finds the wallets of a browser. */
const WALLET_CALLS = ['eip6963:requestProvider', 'wallet-standard:app-ready']

/** What only the code says that asks a browser to keep its chats: the last that a page fetches unasked, seconds after the rest. */
const KEEPS_CHATS = ['mozInnerScreenX']

/** What a page may be made to fetch before it is usable, in KB. */
const SCRIPTS: Record<string, number> = {
  '/': 190,
  '/c/00000000-0000-4000-8000-000000000000': 190,
  '/wallet': 220,
  '/usage': 220,
  '/keys': 220,
  '/rpc': 220,
  '/studio': 305,
  '/docs/reference/chat/create-chat-completion': 190,
}

test('pages are usable after few scripts, and their styles are small', DESK, async ({ request }) => {
  for (const [route, scriptKb] of Object.entries(SCRIPTS)) {
    const html = await (await request.get(route)).text()
    // Old browsers get a script more, which new ones do not fetch.
    const tags = [...html.matchAll(/<script(?![^>]*nomodule)[^>]*\ssrc="([^"]+)"/gi)].map(([, src]) => src!)
    expect(tags.length, route).toBeGreaterThan(0)
    expect.soft(await gzipped(tags), `${route}: scripts`).toBeLessThanOrEqual(scriptKb * KB)
    expect.soft(await withoutHint(tags), `${route}: compiled while they arrive`).toEqual([])
    const styles = [...html.matchAll(/<link[^>]*rel="stylesheet"[^>]*href="([^"]+)"/gi)].map(([, href]) => href!)
    expect.soft(await gzipped(styles), `${route}: styles`).toBeLessThanOrEqual(25 * KB)
  }
})

test(
  'a chat that was answered took 320 KB of scripts, no wallet code, and nothing from elsewhere',
  DESK,
  async ({ page, baseURL, scripted }) => {
    // Code or formulas in the words of a real model would bring scripts of their own.
    scripted.upstream.next({ text: 'Hello there.' })
    const fetched = watchFiles(page)
    await openNewChat(page)
    await ask(page, 'Say hello.')
    await answered(page)
    const scriptsSoFar = () => fetched.filter((url) => url.endsWith('.js'))
    await expect.poll(() => scriptsThatSay(scriptsSoFar(), KEEPS_CHATS)).not.toEqual([])
    await page.waitForLoadState('networkidle')
    const scripts = scriptsSoFar()
    expect(await gzipped(scripts.map((url) => new URL(url).pathname))).toBeLessThanOrEqual(320 * KB)
    expect(await scriptsThatSay(scripts, WALLET_CALLS)).toEqual([])
    expect(fetched.filter((url) => new URL(url).origin !== baseURL)).toEqual([])
  },
)

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

/** The scripts of the build that a browser compiles only as each function is called. */
async function withoutHint(addresses: string[]): Promise<string[]> {
  const built = addresses.filter((address) => new URL(address, 'http://localhost').pathname.startsWith(STATIC))
  const texts = await Promise.all(built.map((address) => readFile(fileOf(address), 'utf8')))
  return built.filter((_, index) => !texts[index]!.startsWith(COMPILE_HINT))
}

/** Where the build keeps what is served under an address. */
function fileOf(address: string): string {
  const { pathname } = new URL(address, 'http://localhost')
  const isBuilt = pathname.startsWith(STATIC)
  return isBuilt
    ? path.join('.next', 'static', decodeURI(pathname.slice(STATIC.length)))
    : path.join('public', pathname)
}
