import { expect, test } from 'vitest'
import { EXTRA_MODELS } from '@/app/api/v1/chat/completions/testing/extra-models'
import { audio, dataUrl, document, image, imageAt, square, text } from '@/app/api/v1/chat/completions/testing/media'
import { file, localSite } from '@/app/api/v1/chat/completions/testing/site'
import { type Call, chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { usd } from '@/lib/contract/money'

const site = await localSite()
const stage = await chatStage({
  settings: { SEARCH_PROVIDER: 'searxng', SEARCH_URL: site.origin, EGRESS_ALLOW_ORIGINS: site.origin },
  models: EXTRA_MODELS,
})
const { upstream, call, spent } = stage

type Part = Record<string, unknown>
const user = (...content: Part[]) => ({ role: 'user', content })
const say = (model: string, ...content: Part[]) => ({ model, messages: [user(...content)] })
const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)

/** Nothing runs and nothing is charged: the place of the fault, and what is said of it. */
async function faultOf(body: Record<string, unknown>, options: Call = {}) {
  const response = await call(body, options)
  const answer = await response.json()
  expect(response.status, JSON.stringify(answer)).toBe(answer.code === 'PAYLOAD_TOO_LARGE' ? 413 : 400)
  expect(upstream.seen).toEqual([])
  expect(await spent()).toBe(0)
  return { code: answer.code, path: answer.issues?.[0]?.path.join('.'), message: answer.issues?.[0]?.message }
}

const IMAGE = imageAt(dataUrl('image/png', 'x'))
const AUDIO = audio(Buffer.alloc(100))
const VIDEO = { type: 'video_url', video_url: { url: dataUrl('video/mp4', 'x') } }
const FILE = document('text/plain', 'tide')
const MARKED = { ...text('tide'), cache_control: { type: 'ephemeral' } }

test.each<[string, Record<string, unknown>, string]>([
  ['11 images', say('gallery', ...times(11, IMAGE)), 'messages.0.content'],
  ['6 sounds', say('listener', ...times(6, AUDIO)), 'messages.0.content'],
  ['4 videos', say('gallery', ...times(4, VIDEO)), 'messages.0.content'],
  ['6 files', say('gallery', ...times(6, FILE)), 'messages.0.content'],
  [
    '6 files in a later message',
    { model: 'gallery', messages: [user(FILE), user(...times(6, FILE))] },
    'messages.1.content',
  ],
  ['101 in all', { model: 'gallery', messages: [...times(10, user(...times(10, IMAGE))), user(FILE)] }, 'messages'],
  ['4 videos in all', { model: 'gallery', messages: times(2, user(VIDEO, VIDEO)) }, 'messages'],
  [
    '5 marks',
    { model: 'gallery', messages: [{ role: 'system', content: [MARKED] }, user(...times(4, MARKED))] },
    'messages',
  ],
])('too many: %s', async (_, body, path) => {
  expect(await faultOf(body)).toMatchObject({
    code: 'INVALID_REQUEST',
    path,
    message: expect.stringMatching(/contains/),
  })
})

test('as many as are allowed go through', async () => {
  const marks = [user(...times(4, MARKED), ...times(5, FILE)), user(...times(5, FILE))]
  expect((await call({ model: 'gallery', messages: marks })).status).toBe(200)
  expect((await call(say('gallery', ...(await Promise.all(times(10, 0).map(() => image())))))).status).toBe(200)
})

test.each<[string, string, Part]>([
  ['an image', 'blind', IMAGE],
  ['an image', 'listener', IMAGE],
  ['sound', 'seer', AUDIO],
  ['sound', 'helped', AUDIO],
  ['a video', 'blind', VIDEO],
])('%s is not for a model without a way to take it: %s', async (_, model, part) => {
  const fault = await faultOf(say(model, text('What?'), part))
  expect(fault).toMatchObject({ code: 'INVALID_REQUEST', path: 'messages.0.content.1.type' })
  expect(fault.message).toContain(`${model} does not take`)
})

test.each<[string, Part]>([
  ['system', IMAGE],
  ['developer', FILE],
  ['assistant', IMAGE],
  ['tool', AUDIO],
])('a %s message takes text and nothing else', async (role, part) => {
  const messages = [{ role, content: [part], tool_call_id: 'call_1' }, user(text('Hi'))]
  expect((await faultOf({ model: 'gallery', messages })).path).toMatch(/^messages\.0/)
})

test.each<[string, Part, string, string]>([
  ['image that is no image', IMAGE, 'INVALID_REQUEST', 'image_url'],
  [
    'image cut short',
    imageAt(dataUrl('image/png', (await square(400)).subarray(0, 90))),
    'CORRUPTED_IMAGE',
    'image_url',
  ],
  ['image of 63 pixels', await image(63), 'IMAGE_TOO_SMALL', 'image_url'],
  [
    'drawing in SVG',
    imageAt(dataUrl('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>')),
    'INVALID_REQUEST',
    'image_url',
  ],
  ['address of a file here', imageAt('file:///etc/passwd'), 'INVALID_REQUEST', 'image_url.url'],
  ['data URL that is none', imageAt('data:image/png;base64,%%%'), 'INVALID_REQUEST', 'image_url.url'],
  ['empty data URL', imageAt('data:image/png;base64,'), 'INVALID_REQUEST', 'image_url.url'],
  ['private address', imageAt('http://10.0.0.1/x.png'), 'INVALID_REQUEST', 'image_url.url'],
  ['video that is none', VIDEO, 'INVALID_VIDEO_FORMAT', 'video_url'],
  [
    'file of more than 25 MB',
    { type: 'file', file: { file_data: dataUrl('text/plain', Buffer.alloc(25_000_001, 'a')) } },
    'PAYLOAD_TOO_LARGE',
    'file.file_data',
  ],
  [
    'private address of a file',
    { type: 'file', file: { file_data: 'http://169.254.169.254/' } },
    'INVALID_REQUEST',
    'file.file_data',
  ],
])('an attachment that cannot be used is named: %s', async (_, part, code, place) => {
  expect(await faultOf(say('gallery', text('What?'), part))).toMatchObject({
    code,
    path: `messages.0.content.1.${place}`,
  })
})

test.each<[string, Part, string, string]>([
  ['bytes that are no sound', AUDIO, 'INVALID_AUDIO_FORMAT', 'input_audio'],
  [
    'an address',
    { type: 'input_audio', input_audio: { data: 'https://a.example/a.mp3' } },
    'INVALID_REQUEST',
    'input_audio.data',
  ],
  [
    'a format of its own',
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'midi' } },
    'INVALID_REQUEST',
    'input_audio.format',
  ],
])('sound that cannot be used is named: %s', async (_, part, code, place) => {
  expect(await faultOf(say('listener', text('What?'), part))).toMatchObject({
    code,
    path: `messages.0.content.1.${place}`,
  })
})

test.each(['/typed', '/gone', '/moved', '/words'])('a remote image at %s is refused with its place', async (path) => {
  site.at['/typed'] = file('text/html', await square())
  site.at['/words'] = file('image/png', '<html>no image</html>')
  site.at['/photo'] = file('image/png', await square())
  site.at['/moved'] = (response) => void response.writeHead(302, { location: '/photo' }).end()
  const fault = await faultOf(say('seer', imageAt(site.origin + path)))
  expect(fault.code).toBe('INVALID_REQUEST')
  expect(fault.path).toMatch(/^messages\.0\.content\.0\.image_url/)
  expect(site.seen).toEqual([path])
})

test('errors come in the order of the contract', async () => {
  const poor = await stage.openAccount(usd('0.05'))
  const headers = { authorization: `Bearer ${poor.secret}` }
  const statusOf = async (body: Record<string, unknown>, options: Call = { headers }) => {
    const response = await call(body, options)
    return [response.status, (await response.json()).code ?? 'x402']
  }
  const tooMany = times(11, IMAGE)
  const wrongKey = { headers: { authorization: 'Bearer SERVICE_INFERENCE_KEY_wrong' } }
  // Everything is wrong with this request, and then one thing less at a time.
  const all = { model: 'nothing', messages: [user(...tooMany)], service_parameters: { character_slug: 'nobody' } }
  expect(await statusOf({ ...all, temperature: 'hot' }, wrongKey)).toEqual([401, 'AUTHENTICATION_FAILED'])
  expect(await statusOf({ ...all, temperature: 'hot' })).toEqual([400, 'INVALID_REQUEST'])
  expect(await statusOf(all)).toEqual([404, 'MODEL_NOT_FOUND'])
  expect(await statusOf({ ...all, model: 'pro' })).toEqual([401, 'PRO_ONLY_MODEL'])
  expect(await statusOf({ ...all, model: 'blind' })).toEqual([400, 'INVALID_REQUEST'])
  expect(await statusOf({ ...all, model: 'gallery', messages: [user(IMAGE)] })).toEqual([404, 'CHARACTER_NOT_FOUND'])
  expect(await statusOf(say('gallery', IMAGE))).toEqual([402, 'INSUFFICIENT_BALANCE'])
  expect((await faultOf(say('gallery', IMAGE))).code).toBe('INVALID_REQUEST')
  expect(upstream.seen).toEqual([])
})
