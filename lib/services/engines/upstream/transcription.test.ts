import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { upstreamTranscriptionEngine } from '@/lib/services/engines/transcription-engine'
import { createUpstreamClient, type UpstreamClient } from '@/lib/services/engines/upstream/http-client'

type Reply = { status?: number; body: string }
let answer: (form: FormData) => Reply
let seen: FormData[] = []
let calls: UpstreamClient
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const form = await new Response(Buffer.concat(chunks), { headers }).formData()
  seen.push(form)
  const { status = 200, body } = answer(form)
  response.writeHead(status).end(body)
})

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  calls = createUpstreamClient({ name: 'house', baseUrls: [`http://127.0.0.1:${port}/v1`] })
})
afterAll(async () => {
  await calls.close()
  server.close()
})

function recognise(reply: (form: FormData) => Reply, wantsTimes = false) {
  answer = reply
  seen = []
  const file = { bytes: new Uint8Array([1, 2, 3]), name: 'audio.mp3', type: 'audio/mpeg' }
  const request = { model: 'whisper', sound: new Float32Array(0), file, language: 'en', wantsTimes }
  return upstreamTranscriptionEngine(calls).recognise(request, new AbortController().signal)
}

test('the file goes as it was sent, and the text comes back', async () => {
  expect(await recognise(() => ({ body: '{"text":" Hello. "}' }))).toMatchObject({ text: 'Hello.' })
  const form = seen[0]!
  expect(['model', 'language', 'response_format'].map((name) => form.get(name))).toEqual(['whisper', 'en', 'json'])
  const file = form.get('file') as File
  expect([file.name, file.type, [...(await file.bytes())]]).toEqual(['audio.mp3', 'audio/mpeg', [1, 2, 3]])
})

test('times are asked for and kept where they can be true', async () => {
  const segments = [
    { text: ' One.', start: 0, end: 1.5 },
    { text: 'Backwards', start: 3, end: 2 },
    { start: 1, end: 2 },
  ]
  const words = [{ word: 'One', start: 0, end: 0.5 }]
  const heard = await recognise(
    () => ({ body: JSON.stringify({ text: 'One.', language: 'english', segments, words }) }),
    true,
  )
  expect(seen[0]!.getAll('timestamp_granularities[]')).toEqual(['segment', 'word'])
  expect(heard).toEqual({
    text: 'One.',
    language: 'english',
    segments: [{ text: 'One.', start: 0, end: 1.5 }],
    words: [{ text: 'One', start: 0, end: 0.5 }],
  })
})

test('a server that knows no times is asked again without them', async () => {
  const heard = await recognise(
    (form) =>
      form.get('response_format') === 'json'
        ? { body: '{"text":"Hi"}' }
        : { status: 400, body: '{"error":{"message":"response_format verbose_json is not compatible"}}' },
    true,
  )
  expect(heard).toMatchObject({ text: 'Hi', segments: undefined })
})

test('a reply without text is a failure, and is asked for again', async () => {
  await expect(recognise(() => ({ body: '{"words":[]}' }))).rejects.toMatchObject({ reason: 'failed' })
  let asked = 0
  const heard = await recognise(() => (++asked < 2 ? { status: 503, body: '' } : { body: '{"text":"Again"}' }))
  expect(heard.text).toBe('Again')
})
