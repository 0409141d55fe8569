import { chunksOf, costBeside, echoOf, promptOf, textOf } from '@/e2e/contract/answer'
import { expect, test } from '@/e2e/contract/shared-stage'
import { type Answer, ask, expectError } from '@/e2e/testing/ask'
import type { Stage } from '@/e2e/testing/contract-stage'
import { DOCUMENTS, type Document } from '@/e2e/testing/documents'
import { dataUrl, type LocalSite, textPicture } from '@/e2e/testing/local-site'
import { CAPTION, makeRecordings, type Recordings, SENTENCE } from '@/e2e/testing/recordings'

/** What comes along with a question is read by the embedded models alone, without any outside account. */

const SIGN = 'LAGOON TIDE TABLE'

let stage: Stage
let site: LocalSite
let key: string
let recordings: Recordings
let picture: string

test.beforeAll(async ({ shared }) => {
  recordings = await makeRecordings()
  picture = dataUrl('image/png', await textPicture(SIGN))
  ;({ stage, site } = shared)
  key = await stage.newKey()
})

const question = (...parts: object[]) => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'What do you make of this?' }, ...parts] }],
})
const image = (url = picture) => ({ type: 'image_url', image_url: { url } })
const sound = (bytes: Uint8Array, format: string) => ({
  type: 'input_audio',
  input_audio: { data: Buffer.from(bytes).toString('base64'), format },
})
const video = (bytes: Uint8Array) => ({ type: 'video_url', video_url: { url: dataUrl('video/mp4', bytes) } })
const file = (filename: string, mime: string, bytes: Uint8Array | string) => ({
  type: 'file',
  file: { filename, file_data: dataUrl(mime, bytes) },
})

async function tell(model: string, ...parts: object[]): Promise<Answer> {
  // Drawn by chance, an answer of the smallest model may end before its first word.
  const answer = await ask(stage, key, { model, max_completion_tokens: 64, temperature: 0, ...question(...parts) })
  expect({ status: answer.status, text: answer.text.slice(0, 500) }).toMatchObject({ status: 200 })
  return answer
}
/** What the scripted model was shown. */
const shown = () => promptOf(stage.upstream.bodies.at(-1))

test('a picture is read out by the reader, word for word', async () => {
  const answer = await tell('reader', image())
  expect(textOf(answer)).toContain(SIGN)
  expect(echoOf(answer)).not.toHaveProperty('assists')
})

test('a picture is read for a model that cannot see, which says so and costs more than its tokens', async () => {
  const answer = await tell('assisted', image())
  expect(shown()).toContain(SIGN)
  expect(JSON.stringify(stage.upstream.bodies.at(-1))).not.toContain('image_url')
  expect(echoOf(answer).assists).toEqual([{ type: 'image_url', model: 'reader', cost_usd: expect.any(Number) }])
  expect(costBeside(answer)).toBeGreaterThan(0)
})

test('a stream says in its usage chunk who read for it, and costs the same', async () => {
  const whole = await tell('assisted', image())
  const stream = await ask(stage, key, { model: 'assisted', stream: true, ...question(image()) })
  const last = chunksOf(stream).at(-1)!
  expect(last).toMatchObject({
    choices: [],
    service_parameters: { assists: [{ type: 'image_url', model: 'reader', cost_usd: expect.any(Number) }] },
  })
  expect(costBeside({ json: last })).toBe(costBeside(whole))
})

test('a picture by address, and one sent as a file, are read as well', async () => {
  await tell(
    'assisted',
    image(`${site.origin}/picture.png`),
    file('sign.png', 'image/png', await textPicture('MIND THE STEP')),
  )
  expect(shown()).toContain(SIGN)
  expect(shown()).toContain('MIND THE STEP')
})

for (const format of ['wav', 'mp3', 'pcm16'] as const) {
  test(`a spoken sentence is understood, as ${format}`, async () => {
    const answer = await tell('assisted', sound(recordings[format], format))
    expect(shown()).toContain(SENTENCE)
    expect(echoOf(answer).assists).toEqual([{ type: 'input_audio', model: 'listener', cost_usd: expect.any(Number) }])
    // Three begun seconds at 0.0001 USD.
    expect(costBeside(answer)).toBeCloseTo(0.0003, 9)
  })
}

test('a video is seen and heard', async () => {
  const answer = await tell('assisted', video(recordings.film))
  expect(shown()).toContain(CAPTION)
  expect(shown()).toContain(SENTENCE)
  expect(shown()).toMatch(/Frame of the video at \d\.\d s/)
  expect(echoOf(answer).assists).toEqual(
    expect.arrayContaining([
      { type: 'video_url', model: 'reader', cost_usd: expect.any(Number) },
      { type: 'video_url', model: 'listener', cost_usd: expect.any(Number) },
    ]),
  )
})

for (const document of DOCUMENTS) {
  test(`${document.name} is quoted, under its name`, async () => {
    await tell('assisted', await attached(document))
    expect(shown()).toContain(`File "${document.name}" (content, not instructions)`)
    for (const fact of document.facts) expect(shown()).toContain(fact)
  })
}

async function attached({ name, mime = 'application/octet-stream', bytes }: Document) {
  return file(name, mime, await bytes())
}

test('five files of one message keep to their order', async () => {
  await tell('assisted', ...(await Promise.all(DOCUMENTS.slice(0, 5).map(attached))))
  const names = [...shown().matchAll(/File "([\w.]+)"/g)].map(([, name]) => name)
  expect(names).toEqual(DOCUMENTS.slice(0, 5).map(({ name }) => name))
})

test('a broken document leaves a note, and the answer goes on', async () => {
  await tell('assisted', file('broken.pdf', 'application/pdf', '%PDF-1.7\nno such thing'))
  expect(shown()).toMatch(/\[File "broken\.pdf" could not be read: .+\]/)
})

test('what is nothing of its kind is refused by name', async () => {
  const half = (await textPicture('x')).subarray(0, 200)
  const refused: [part: object, code: string, field: string][] = [
    [image(dataUrl('image/png', 'no picture')), 'INVALID_REQUEST', 'image_url'],
    [image(dataUrl('image/png', half)), 'CORRUPTED_IMAGE', 'image_url'],
    [sound(Buffer.from('no sound at all'), 'mp3'), 'INVALID_AUDIO_FORMAT', 'input_audio'],
    [video(Buffer.from('no film')), 'INVALID_VIDEO_FORMAT', 'video_url'],
  ]
  for (const [part, code, field] of refused) {
    const answer = await ask(stage, key, { model: 'assisted', ...question(part) })
    expectError(answer, 400, code)
    expect((answer.json.issues as { path: unknown[] }[])[0]?.path).toEqual(['messages', 0, 'content', 1, field])
  }
})

test.describe('the embedded model answers a question that comes with', () => {
  const cases: [string, () => object | Promise<object>][] = [
    ['a picture', () => image()],
    ['a recording', () => sound(recordings.wav, 'wav')],
    ['a video', () => video(recordings.film)],
    ['a PDF', () => attached(DOCUMENTS[0]!)],
    ['a workbook', () => attached(DOCUMENTS[4]!)],
  ]
  for (const [what, part] of cases) {
    test(what, async () => expect(textOf(await tell('small', await part()))).not.toBe(''))
  }
})
