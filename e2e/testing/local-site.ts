import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'

export type LocalSite = {
  origin: string
  /** Paths that were asked for, in order. */
  visits: string[]
  close: () => Promise<void>
}

/** What the pages say, and the search finds. */
export const TIDE_FACT = 'High water at Saint Malo is at 07:42 on Friday, and the coefficient is 108.'
const HARBOUR_FACT = 'The harbour master of Saint Malo answers on channel 12.'

const CAPTIONS = 'WEBVTT\n\n00:00.000 --> 00:02.000\nHigh water is at nine.\n'

const page = (title: string, text: string) =>
  `<!doctype html><html><head><title>${title}</title></head><body><nav>Home About</nav><article><h1>${title}</h1>` +
  `<p>${text}</p><p>${'The sea rises and falls twice a day, and the moon decides how far. '.repeat(6)}</p></article>` +
  `<script>document.title = 'nothing'</script></body></html>`

/**
 * A web site on loopback for everything that fetches: two articles, a film's captions, a picture with text, a text
 * file, a way to be sent elsewhere, and a search that answers as SearXNG does. A server reaches it only where its origin is allowed.
 */
export async function startLocalSite(): Promise<LocalSite> {
  const visits: string[] = []
  const picture = await textPicture('LAGOON TIDE TABLE')
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://site')
    visits.push(url.pathname)
    const send = (type: string, body: string | Buffer) => response.writeHead(200, { 'content-type': type }).end(body)
    if (url.pathname === '/tides') return send('text/html; charset=utf-8', page('Tides of Saint Malo', TIDE_FACT))
    if (url.pathname === '/harbour') return send('text/html; charset=utf-8', page('The harbour', HARBOUR_FACT))
    if (url.pathname === '/film') return send('text/html', '<video><track kind="captions" src="/film.vtt"></video>')
    if (url.pathname === '/film.vtt') return send('text/vtt', CAPTIONS)
    if (url.pathname === '/picture.png') return send('image/png', picture)
    if (url.pathname === '/note.txt') return send('text/plain', 'The password of the tide is periwinkle.')
    if (url.pathname === '/to') {
      // As bytes: an address may be spelled in any letters.
      const location = Buffer.from(url.searchParams.get('url') ?? '/').toString('latin1')
      return response.writeHead(302, { location }).end()
    }
    if (url.pathname === '/search') return send('application/json', searchReply(originOf(server)))
    response.writeHead(404).end('none')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: originOf(server),
    visits,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const originOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

function searchReply(origin: string): string {
  const results = [
    { title: 'The harbour', url: `${origin}/harbour`, content: HARBOUR_FACT },
    { title: 'Tides of <b>Saint Malo</b>', url: `${origin}/tides`, content: TIDE_FACT, publishedDate: '2026-11-18' },
    { title: 'Not a page', url: 'javascript:alert(1)', content: 'x' },
  ]
  return JSON.stringify({ query: 'tides', number_of_results: results.length, results })
}

/** Black words on white, as a PNG. */
export function textPicture(text: string): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="200"><rect width="100%" height="100%" fill="white"/><text x="40" y="125" font-family="DejaVu Sans, sans-serif" font-size="64">${text}</text></svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}

export const dataUrl = (mime: string, bytes: Uint8Array | string): string =>
  `data:${mime};base64,${Buffer.from(bytes).toString('base64')}`
