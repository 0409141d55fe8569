import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import { chunk, DONE, frame } from '@/lib/services/engines/upstream/testing/fake-upstream'

const USAGE = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }
const MAX_DIMENSIONS = 1_024
const FILM = Buffer.concat([
  Buffer.from([0, 0, 0, 24]),
  Buffer.from('ftypisom\0\0\0\0isommp42'),
  Buffer.alloc(5_000, 7),
])

/** The beginning of an MP3, and something after it. */
const SONG = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(2_000, 7)])

export type FuzzUpstream = { baseUrl: string; close: () => Promise<void> }

/** A provider of everything, at once and without a fault: whatever goes wrong is the service's own. */
export async function startFuzzUpstream(): Promise<FuzzUpstream> {
  const picture = await plainPicture(256)
  const server = createServer((request, response) => {
    answer(request, response, picture).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const plainPicture = (side: number): Promise<Buffer> =>
  sharp({ create: { width: side, height: side, channels: 3, background: { r: 200, g: 120, b: 40 } } })
    .png()
    .toBuffer()

async function answer(request: IncomingMessage, response: ServerResponse, picture: Buffer): Promise<void> {
  const chunks: Buffer[] = []
  for await (const piece of request) chunks.push(piece as Buffer)
  const isJson = request.headers['content-type']?.startsWith('application/json')
  const body = isJson ? (JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>) : {}
  const path = (request.url ?? '').replace(/^\/v1/, '')
  const json = (value: unknown) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  const bytes = (type: string, value: Buffer) => response.writeHead(200, { 'content-type': type }).end(value)
  switch (path) {
    case '/chat/completions':
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(spoken(body))
    case '/embeddings':
      return void json(vectors(body))
    case '/images/generations':
    case '/images/edits':
      return void json({ created: 1, data: [{ b64_json: picture.toString('base64') }] })
    case '/image/upscale':
    case '/image/background-remove':
      return void bytes('image/png', picture)
    case '/audio/speech':
      return void bytes('application/octet-stream', Buffer.alloc(400, 1))
    case '/audio/transcriptions':
      return void json({ text: 'High water is at nine.', language: 'en' })
    case '/videos':
      return void json({ id: body.model === 'band' ? 'song-1' : 'film-1', status: 'queued' })
    case '/videos/song-1/content':
      return void bytes('audio/mpeg', SONG)
    case '/videos/film-1/content':
      return void bytes('video/mp4', FILM)
    default:
      return void json({ id: path.split('/').at(-1), status: 'completed' })
  }
}

/** In JSON where that was asked for. */
function spoken({ response_format: format }: Record<string, unknown>): string {
  const isJson = typeof format === 'object' && format !== null && 'type' in format && format.type !== 'text'
  return [
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: isJson ? '{"water":' : 'High ' }),
    chunk({ content: isJson ? '"high"}' : 'water.' }),
    chunk({}, 'stop'),
    frame({ choices: [], usage: USAGE }),
    DONE,
  ].join('')
}

function vectors({ input, dimensions }: Record<string, unknown>) {
  const length = typeof dimensions === 'number' ? Math.min(dimensions, MAX_DIMENSIONS) : MAX_DIMENSIONS
  const embedding = Array(length).fill(0.5)
  const data = [input].flat().map((_, index) => ({ object: 'embedding', index, embedding }))
  return { object: 'list', data, usage: { prompt_tokens: 3, total_tokens: 3 } }
}
