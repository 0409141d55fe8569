import OpenAI, { toFile } from 'openai'
import { expect, test } from '@/e2e/testing/contract-test'
import { createKey } from '@/e2e/testing/fixtures'

/** Vectors, speech and hearing by the embedded models, asked by the field's own client. */

const TEXT = 'The library closes early. Water boils on the stove. We go home by train.'
const MOST_WRONG = 0.15

let client: OpenAI
let root: string
let key: string

test.beforeAll(async ({ baseURL }) => {
  test.setTimeout(180_000)
  key = await createKey('INFERENCE')
  root = `${baseURL}/api/v1`
  client = new OpenAI({ baseURL: root, apiKey: key, maxRetries: 0 })
})

test('models are listed with what they can do and cost', async () => {
  const listed = async (type: string) => {
    const reply = await fetch(`${root}/models?type=${type}`)
    return ((await reply.json()) as { data: { id: string; model_spec: Record<string, unknown> }[] }).data
  }
  const [embedding] = await listed('embedding')
  expect(embedding?.model_spec).toMatchObject({
    embeddingDimensions: 384,
    maxInputTokens: 256,
    pricing: { input: { usd: expect.any(Number), diem: expect.any(Number) } },
  })
  const [speech] = await listed('tts')
  expect(speech?.model_spec).toMatchObject({
    voices: expect.arrayContaining(['af_heart', 'bm_george']),
    supported_formats: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
    default_format: 'mp3',
  })
  expect(speech?.model_spec).not.toHaveProperty('voice_cloning')
  expect((await listed('asr'))[0]?.model_spec).toMatchObject({ pricing: { per_audio_second: expect.anything() } })
})

test('nearest neighbours by embedding make sense, and base64 is the same vectors', async () => {
  const pairs = [
    ['The cat sits on the mat', 'A feline is resting on a rug'],
    ['How do I reset my password?', 'I forgot my login credentials'],
    ['Tides are caused by lunar gravity', 'The moon pulls the water of the sea'],
    ['Shares fell sharply on Monday', 'The stock market had a bad day'],
  ]
  // The client asks for base64 by itself, and decodes it.
  const { data, usage, model } = await client.embeddings.create({
    model: 'text-embedding-ada-002',
    input: pairs.flat(),
  })
  expect(model).toBe('all-minilm-l6-v2')
  expect(usage.prompt_tokens).toBe(usage.total_tokens)
  expect(usage.prompt_tokens).toBeGreaterThan(50)
  const vectors = data.map(({ embedding }) => embedding)
  const likeness = (one: number[], other: number[]) => one.reduce((sum, value, at) => sum + value * other[at]!, 0)
  for (const [index, vector] of vectors.entries()) {
    const others = vectors.map((other, at) => (at === index ? -1 : likeness(vector, other)))
    // A pair stands side by side.
    expect(others.indexOf(Math.max(...others))).toBe(index ^ 1)
  }
  const input = pairs[0]![0]!
  const { data: floats } = await client.embeddings.create({ model, input, encoding_format: 'float' })
  expect(likeness(floats[0]!.embedding, vectors[0]!)).toBeCloseTo(1, 4)
})

test('text that is spoken and written down again is the same text', async () => {
  const speech = await client.audio.speech.create({ model: 'kokoro-82m', voice: 'af_heart', input: TEXT })
  expect(speech.headers.get('content-type')).toBe('audio/mpeg')
  const bytes = Buffer.from(await speech.arrayBuffer())
  expect(Number(speech.headers.get('content-length'))).toBe(bytes.length)
  const heard = await client.audio.transcriptions.create({
    model: 'moonshine-tiny',
    file: await toFile(bytes, 'speech.mp3'),
  })
  const wrong = wordErrorRate(wordsOf(TEXT), wordsOf(heard.text))
  test.info().annotations.push({ type: 'word error rate', description: wrong.toFixed(3) })
  expect(wrong).toBeLessThanOrEqual(MOST_WRONG)

  const file = await toFile(bytes, 'speech.mp3')
  const timed = await client.audio.transcriptions.create({
    model: 'moonshine-tiny',
    file,
    response_format: 'verbose_json',
    timestamp_granularities: ['segment'],
  })
  expect(timed.segments!.length).toBeGreaterThan(1)
  expect(timed.segments!.map(({ text }) => text).join(' ')).toBe(timed.text)
  const srt = await client.audio.transcriptions.create({ model: 'moonshine-tiny', file, response_format: 'srt' })
  expect(String(srt)).toMatch(/^1\n00:00:00,\d{3} --> /)
})

test('speech that is streamed begins before it is all there', async () => {
  const reply = await fetch(`${root}/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: TEXT, response_format: 'wav', streaming: true, speed: 2 }),
  })
  expect(reply.status).toBe(200)
  expect(reply.headers.get('content-length')).toBeNull()
  const chunks = await Array.fromAsync(reply.body!)
  expect(chunks.length).toBeGreaterThan(1)
  expect(Buffer.concat(chunks).toString('latin1', 0, 4)).toBe('RIFF')
})

test('what is wrong is said in the field’s own errors', async () => {
  const refused = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: { status: number }) => error.status,
    )
  const model = 'all-minilm-l6-v2'
  expect(await refused(client.embeddings.create({ model, input: [[1, 2]] }))).toBe(400)
  expect(await refused(client.embeddings.create({ model, input: 'a', dimensions: 64 }))).toBe(400)
  expect(await refused(client.audio.speech.create({ model: 'kokoro-82m', voice: 'alloy', input: 'Hi' }))).toBe(400)
  expect(await refused(client.audio.speech.create({ model: 'nobody', voice: 'alloy', input: 'Hi' }))).toBe(404)
  const text = await toFile(Buffer.from('no sound'), 'a.mp3')
  expect(await refused(client.audio.transcriptions.create({ model: 'moonshine-tiny', file: text }))).toBe(400)
  const form = new FormData()
  form.set('file', new File([new Uint8Array(10)], 'a.wav'))
  const headers = { authorization: `Bearer ${key}` }
  expect((await fetch(`${root}/audio/voices`, { method: 'POST', headers, body: form })).status).toBe(400)
  for (const path of ['embeddings', 'audio/speech', 'audio/transcriptions', 'audio/voices']) {
    const reply = await fetch(`${root}/${path}`, { method: 'POST' })
    expect(reply.status).toBe(402)
    expect(reply.headers.get('payment-required')).toBeTruthy()
  }
})

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z']+/g) ?? []

/** Words to insert, leave out or replace, for each word that was said. */
function wordErrorRate(wanted: string[], heard: string[]): number {
  let row = Array.from({ length: heard.length + 1 }, (_, index) => index)
  for (const [i, word] of wanted.entries()) {
    const next = [i + 1]
    for (const [j, other] of heard.entries()) {
      next.push(Math.min(row[j]! + (word === other ? 0 : 1), row[j + 1]! + 1, next[j]! + 1))
    }
    row = next
  }
  return row.at(-1)! / wanted.length
}
