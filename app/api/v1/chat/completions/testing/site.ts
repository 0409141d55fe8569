import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach } from 'vitest'

type Answer = (response: ServerResponse) => void

/** What the two pages that the search finds say. */
export const TIDE_FACT = 'High water at Saint Malo is at 07:42 on Friday, and the coefficient is 108.'
export const HARBOUR_FACT = 'The harbour master of Saint Malo answers on channel 12 by day and by night.'

/**
 * A web site on loopback, with a search that answers as SearXNG does. A test says what stands at a path in `at`; all else
 * is a 404. `seen` holds the paths that were asked for, `left` counts readers who went away before the answer ended.
 */
export async function localSite() {
  const site = { origin: '', seen: [] as string[], left: 0, at: {} as Record<string, Answer> }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    site.seen.push(pathname)
    response.on('close', () => {
      if (!response.writableFinished) site.left++
    })
    const answer = site.at[pathname]
    if (answer) answer(response)
    else response.writeHead(404).end('none')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  site.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  beforeEach(() => {
    const { origin } = site
    Object.assign(site, { seen: [], left: 0 })
    site.at = {
      '/search': findings([
        { title: 'Tides', url: `${origin}/tides`, content: TIDE_FACT, publishedDate: '2026-11-18' },
        { title: 'Harbour', url: `${origin}/harbour`, content: HARBOUR_FACT },
      ]),
      '/tides': page('Tides', TIDE_FACT),
      '/harbour': page('Harbour', HARBOUR_FACT),
    }
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return site
}

/** A reply of the search. */
export const findings = (results: object[]): Answer => file('application/json', JSON.stringify({ results }))

export const file =
  (type: string, body: string | Uint8Array): Answer =>
  (response) =>
    void response.writeHead(200, { 'content-type': type }).end(body)

/** An article, long enough to be read as one. */
export const page = (title: string, text: string): Answer =>
  file(
    'text/html; charset=utf-8',
    `<html><head><title>${title}</title></head><body><article><h1>${title}</h1><p>${text}</p><p>${'The sea rises and falls twice a day, and the moon decides how far. '.repeat(6)}</p></article></body></html>`,
  )

/** Takes the request and never answers. */
export const silence: Answer = () => {}
