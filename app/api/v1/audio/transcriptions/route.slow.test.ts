import { expect, test } from 'vitest'
import { POST } from '@/app/api/v1/audio/transcriptions/route'
import { POST as voices } from '@/app/api/v1/audio/voices/route'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { replyJson, scriptedStudio } from '@/lib/services/engines/upstream/testing/studio'
import { makeWithFfmpeg, tone } from '@/lib/services/media/testing'
import { writeWav } from '@/lib/services/media/wav'

const studio = await scriptedStudio()
const stage = await chatStage({
  route: { path: 'audio/transcriptions', POST, body: {} },
  engines: { deaf: { kind: 'openai', baseUrls: [`${studio.origin}/v1`] } },
  models: [
    { type: 'asr', id: 'ear', engine: 'house', pricing: { per_audio_second: { usd: 0.0001 } } },
    { type: 'asr', id: 'deaf', engine: 'deaf', pricing: { per_audio_second: { usd: 0.0001 } } },
    { type: 'tts', id: 'mouth', engine: 'house', voices: ['Ada'] },
  ],
})
const { call, spent } = stage
const [aiff, webm] = makeWithFfmpeg(
  [...tone(1), '-f', 'aiff', 'out.aiff'],
  [...tone(1), '-c:a', 'libopus', '-f', 'webm', 'out.webm'],
) as [Uint8Array, Uint8Array]
const silence = writeWav(new Float32Array(16_000), 16_000)
const beep = writeWav(
  Float32Array.from({ length: 16_000 }, (_, at) => 0.3 * Math.sin(at / 6)),
  16_000,
)

type Sent = { bytes?: Uint8Array; name?: string; type?: string; fields?: [string, string][]; route?: typeof ROUTES.ear }
const ROUTES = {
  ear: { path: 'audio/transcriptions', POST, body: {} },
  voices: { path: 'audio/voices', POST: voices, body: {} },
}
async function send({ bytes = beep, name = 'a.wav', type = 'audio/wav', fields = [], route }: Sent = {}) {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(bytes)], name, { type }))
  for (const [field, value] of fields) form.append(field, value)
  const encoded = new Response(form)
  const headers = { 'content-type': encoded.headers.get('content-type')! }
  const response = await call({}, { raw: await encoded.arrayBuffer(), headers, route })
  return { response, body: (await response.json()) as Record<string, unknown> & { issues?: { path: string[] }[] } }
}

test.each<[string, Sent, number, string]>([
  ['a type that is no sound', { name: 'a.txt', type: 'text/plain' }, 400, 'INVALID_AUDIO_FORMAT'],
  ['an ending that is no sound’s', { name: 'a.exe' }, 400, 'INVALID_AUDIO_FORMAT'],
  [
    'a name without an ending, of a type that is no sound',
    { name: 'a', type: 'image/png' },
    400,
    'INVALID_AUDIO_FORMAT',
  ],
  ['text under the name of sound', { bytes: Buffer.from('not sound at all, really') }, 400, 'INVALID_AUDIO_FORMAT'],
  ['a format that is not accepted, under another name', { bytes: aiff }, 400, 'INVALID_AUDIO_FORMAT'],
  ['an empty file', { bytes: new Uint8Array(0) }, 422, 'ASR_UPSTREAM_VALIDATION_FAILED'],
  ['silence', { bytes: silence }, 422, 'ASR_UPSTREAM_VALIDATION_FAILED'],
  ['a head without sound', { bytes: beep.slice(0, 44) }, 422, 'ASR_UPSTREAM_VALIDATION_FAILED'],
  [
    'a damaged file',
    { bytes: Buffer.concat([webm.slice(0, 200), Buffer.alloc(500)]), name: 'a.webm', type: 'audio/webm' },
    422,
    'ASR_UPSTREAM_VALIDATION_FAILED',
  ],
  ['an unknown format', { fields: [['response_format', 'docx']] }, 400, 'INVALID_REQUEST'],
  ['a switch that is neither', { fields: [['timestamps', 'yes']] }, 400, 'INVALID_REQUEST'],
  ['times of what has none', { fields: [['timestamp_granularities[]', 'phoneme']] }, 400, 'INVALID_REQUEST'],
  ['a language that is none', { fields: [['language', 'the queen’s english']] }, 400, 'INVALID_REQUEST'],
  ['an unknown model', { fields: [['model', 'nobody']] }, 404, 'MODEL_NOT_FOUND'],
  ['a model of another type', { fields: [['model', 'mouth']] }, 400, 'INVALID_MODEL'],
  ['more than 25 MB', { bytes: new Uint8Array(25_000_001) }, 413, 'PAYLOAD_TOO_LARGE'],
])('%s is refused, and free', async (_, sent, status, code) => {
  const { response, body } = await send(sent)
  expect([response.status, body.code]).toEqual([status, code])
  expect(await spent()).toBe(0)
})

test.each(['json', 'verbose_json'])(
  'the reply says how long the recording is and how much of it is charged: %s',
  async (format) => {
    studio.answer = (_, response) =>
      replyJson(response, { text: 'Hello.', segments: [{ start: 0, end: 1, text: 'Hello.' }] })
    const bytes = writeWav(
      Float32Array.from({ length: 2.05 * 16_000 }, (_, at) => 0.3 * Math.sin(at / 6)),
      16_000,
    )
    const { body } = await send({
      bytes,
      fields: [
        ['model', 'deaf'],
        ['response_format', format],
      ],
    })
    expect(body).toMatchObject({ text: 'Hello.', duration: 2.05, usage: { type: 'duration', seconds: 3 } })
    expect(await spent()).toBe(0.0003)
  },
)

test('times of words are refused where the model gives none, and the refusal is free', async () => {
  studio.answer = (_, response) =>
    replyJson(response, { text: 'Hello.', segments: [{ start: 0, end: 1, text: 'Hello.' }] })
  const { response, body } = await send({
    fields: [
      ['model', 'deaf'],
      ['timestamp_granularities[]', 'word'],
    ],
  })
  expect([response.status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  expect(JSON.stringify(body)).toContain('choose segment')
  expect(await spent()).toBe(0)
})

test('a model that fails is 502, and free', async () => {
  studio.answer = (_, response) => void response.writeHead(500).end()
  const { response, body } = await send({ fields: [['model', 'deaf']] })
  expect([response.status, body.code]).toEqual([502, 'ASR_UPSTREAM_FAILED'])
  expect(await spent()).toBe(0)
})

test('JSON is 415, a form without a file 400, a form of nothing but parts 400, nobody 402', async () => {
  expect((await call({})).status).toBe(415)
  const form = async (fill: (form: FormData) => void) => {
    const data = new FormData()
    fill(data)
    const encoded = new Response(data)
    const headers = { 'content-type': encoded.headers.get('content-type')! }
    return call({}, { raw: await encoded.arrayBuffer(), headers })
  }
  expect((await form((data) => data.set('file', 'no file'))).status).toBe(400)
  expect((await form((data) => Array.from({ length: 100 }, () => data.append('a', 'b')))).status).toBe(400)
  const torn = { 'content-type': 'multipart/form-data; boundary=x' }
  expect((await call({}, { raw: '--y\r\nnonsense', headers: torn })).status).toBe(400)
  expect((await call({}, { headers: { authorization: undefined } })).status).toBe(402)
})

test('a voice cannot be cloned, whoever asks, and a bad sample is told first', async () => {
  const route = ROUTES.voices
  expect((await send({ route })).response.status).toBe(403)
  expect((await send({ route, fields: [['model', 'mouth']] })).body).toMatchObject({
    code: 'UNAUTHORIZED',
    error: expect.stringContaining('mouth does not clone'),
  })
  expect((await send({ route, fields: [['model', 'nobody']] })).response.status).toBe(404)
  expect((await send({ route, bytes: aiff })).body).toMatchObject({ code: 'INVALID_AUDIO_FORMAT' })
})
