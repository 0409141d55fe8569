import { expect, test } from 'vitest'
import { POST } from '@/app/api/v1/audio/speech/route'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'

const pricing = { input: { usd: 15 } }
const stage = await chatStage({
  route: { path: 'audio/speech', POST, body: { model: 'mouth', input: 'Hello there.' } },
  models: [
    { type: 'tts', id: 'mouth', engine: 'house', voices: ['Ada', 'Ben'], supported_formats: ['mp3', 'wav'], pricing },
    { type: 'tts', id: 'open', engine: 'house', supports_custom_voice_id: true, default_format: 'opus', pricing },
  ],
})
const { upstream, call, spent, linesOf } = stage
const AUDIO = Buffer.from('these bytes stand for sound')

function speak(_: unknown, response: Parameters<typeof upstream.answer>[1]): void {
  response.writeHead(200, { 'content-type': 'audio/mpeg' })
  response.write(AUDIO.subarray(0, 10))
  response.end(AUDIO.subarray(10))
}

async function say(body: Record<string, unknown> = {}, answer: typeof upstream.answer = speak) {
  upstream.answer = answer
  const response = await call(body)
  return { response, bytes: Buffer.from(await response.clone().arrayBuffer()) }
}

test('a file comes whole, in the model’s own voice and format, and its characters are charged', async () => {
  const { response, bytes } = await say()
  expect(response.status).toBe(200)
  expect(bytes).toEqual(AUDIO)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'audio/mpeg',
    'content-length': String(AUDIO.length),
    'x-service-model-id': 'mouth',
  })
  expect(upstream.seen[0]).toEqual({
    model: 'mouth',
    input: 'Hello there.',
    voice: 'Ada',
    response_format: 'mp3',
    speed: 1,
  })
  expect(await spent()).toBe(0.00018)
  expect(await linesOf()).toEqual({ 'mouth-tts-input-mchar': [12, 0.00018] })
})

test('a stream comes as it is made, and costs the same', async () => {
  const { response, bytes } = await say({ streaming: true, voice: 'Ben', response_format: 'wav', prompt: 'Cheerfully' })
  expect(bytes).toEqual(AUDIO)
  expect(response.headers.get('content-type')).toBe('audio/wav')
  expect(response.headers.get('content-length')).toBeNull()
  expect(upstream.seen[0]).toMatchObject({ voice: 'Ben', response_format: 'wav', instructions: 'Cheerfully' })
  expect(await spent()).toBe(0.00018)
})

test('fields that common clients send are ignored, and a model that takes foreign voices gets them', async () => {
  const more = { user: 'me', instructions: 'Say it well', language: 'en', temperature: 1, top_p: 1, speed: 0.25 }
  const { response } = await say({ model: 'open', voice: 'their-voice-7', ...more })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('audio/opus')
  expect(upstream.seen[0]).toMatchObject({ voice: 'their-voice-7', speed: 0.25 })
})

test.each([
  ['no text', { input: undefined }, 'input', ''],
  ['empty text', { input: '' }, 'input', 'empty'],
  ['nothing that can be said', { input: ' … !' }, 'input', 'letter'],
  ['too much text', { input: 'a'.repeat(4_097) }, 'input', '4096'],
  ['a voice of another model', { voice: 'alloy' }, 'voice', 'Ada, Ben'],
  ['a voice in the wrong case', { voice: 'ada' }, 'voice', 'Ada, Ben'],
  ['a cloned voice', { voice: 'vv_2Kd81mXc' }, 'voice', 'Ada, Ben'],
  ['no voice where there is no default', { model: 'open' }, 'voice', 'required'],
  ['an unknown format', { response_format: 'midi' }, 'response_format', 'mp3'],
  ['a format that the model does not make', { response_format: 'flac' }, 'response_format', 'mp3, wav'],
  ['too slow', { speed: 0.2 }, 'speed', '0.25'],
  ['too fast', { speed: 4.1 }, 'speed', '4'],
  ['an unknown field', { pitch: 2 }, undefined, 'pitch'],
  ['text for a switch', { streaming: 'yes' }, 'streaming', ''],
])('%s: 400 that says where', async (_, body, field, word) => {
  const { response } = await say(body)
  const said = (await response.json()) as { issues: { path: string[]; message: string }[] }
  expect(response.status).toBe(400)
  if (field) expect(said.issues[0]!.path[0]).toBe(field)
  expect(said.issues[0]!.message).toContain(word)
  expect(await spent()).toBe(0)
})

test('a failure behind us is 502 and free, also before the first byte of a stream', async () => {
  for (const streaming of [false, true]) {
    const { response } = await say({ streaming }, (_, reply) => void reply.writeHead(500).end())
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ code: 'UPSTREAM_FAILED' })
  }
  expect(await spent()).toBe(0)
})

test('a stream that breaks is closed, and what was spoken is paid', async () => {
  upstream.answer = (_, response) => {
    response.writeHead(200)
    response.write(AUDIO)
    setTimeout(() => response.destroy(), 50)
  }
  const response = await call({ streaming: true })
  expect(response.status).toBe(200)
  await expect(response.arrayBuffer()).rejects.toThrow()
  expect(await spent()).toBe(0.00018)
})

test('no credentials, another type, a foreign model', async () => {
  expect((await call({}, { headers: { authorization: undefined } })).status).toBe(402)
  expect((await call({}, { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
  expect((await call({ model: 'nobody' })).status).toBe(404)
  expect(await (await call({ model: 'atlas' })).json()).toMatchObject({ code: 'INVALID_MODEL' })
})
