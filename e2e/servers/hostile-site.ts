import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

export type HostileSite = { origin: string; close: () => Promise<void> }

const MEGABYTE = 1_048_576

/** A site on loopback that answers as no site should. A server reaches it only where its origin is allowed. */
export async function startHostileSite(): Promise<HostileSite> {
  const gzip = gzipSync(Buffer.alloc(200 * MEGABYTE))
  // The highest quality, which is the default, takes seven seconds to save no byte.
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  const brotli = brotliCompressSync(Buffer.alloc(200 * MEGABYTE), { params: quality })
  const pages: Record<string, (response: ServerResponse) => unknown> = {
    '/gzip.png': (response) =>
      response.writeHead(200, { 'content-type': 'image/png', 'content-encoding': 'gzip' }).end(gzip),
    '/br.txt': (response) =>
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'br' }).end(brotli),
    '/gzip.html': (response) =>
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(gzip),
    '/endless.mp4': (response) => pour(response.writeHead(200, { 'content-type': 'video/mp4' })),
    '/huge.png': (response) =>
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': '99999999999' }).write('x'),
  }
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    const answer = pages[request.url ?? ''] ?? (() => response.writeHead(404).end())
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** As much as the other side takes, without end. */
function pour(response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536, 'a')));
  }
  response.on('drain', more)
  more()
}
