import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { afterAll, beforeEach } from 'vitest'
import { startLocalServer } from '@/lib/kernel/testing/local-server'

export type Seen = { method: string; path: string; type: string; raw: Buffer; json?: Record<string, unknown> }
export type Answer = (seen: Seen, response: ServerResponse, request: IncomingMessage) => unknown

export async function scriptedStudio() {
  const studio = { origin: '', seen: [] as Seen[], left: 0, answer: (() => undefined) as Answer }
  const server = await startLocalServer(async (request, response) => {
    const raw = await buffer(request)
    const type = request.headers['content-type'] ?? ''
    const json = type === 'application/json' && raw.length > 0 ? JSON.parse(raw.toString()) : undefined
    const seen = { method: request.method ?? '', path: request.url ?? '', type, raw, json }
    studio.seen.push(seen)
    response.on('close', () => {
      if (!response.writableFinished) studio.left++
    })
    await studio.answer(seen, response, request)
  })
  studio.origin = server.origin
  beforeEach(() => void Object.assign(studio, { seen: [], left: 0 }))
  afterAll(server.close)
  return studio
}

export const replyJson = (response: ServerResponse, body: unknown, status = 200) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

export function plain(width: number, height: number, format: 'png' | 'jpeg' | 'webp' | 'gif' = 'png'): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: { r: 200, g: 120, b: 40 } } })
    .toFormat(format)
    .toBuffer()
}

export async function withHole(width: number, height: number, share = 0.25): Promise<Buffer> {
  const hole = { width: Math.round(width * share), height: Math.round(height * share) }
  const opaque = await sharp(await plain(width, height))
    .ensureAlpha()
    .png()
    .toBuffer()
  const cut = await sharp({ create: { ...hole, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 1 } } })
    .png()
    .toBuffer()
  return sharp(opaque)
    .composite([{ input: cut, blend: 'dest-out' }])
    .png()
    .toBuffer()
}

export const inOpenAiStyle = (image: Buffer) => ({ created: 1, data: [{ b64_json: image.toString('base64') }] })
