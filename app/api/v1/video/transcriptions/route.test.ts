import { expect, test } from 'vitest'
import { file, localSite } from '@/app/api/v1/chat/completions/testing/site'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { POST } from '@/app/api/v1/video/transcriptions/route'
import { captionText, findMedia } from '@/lib/endpoints/video/transcription'
import { scriptedProvider, sendJson } from '@/lib/services/jobs/testing-jobs'
import { writeWav } from '@/lib/services/media/wav'

const site = await localSite()
const provider = await scriptedProvider()
const stage = await chatStage({
  route: { path: 'video/transcriptions', POST, body: { model: undefined } },
  settings: { EGRESS_ALLOW_ORIGINS: site.origin },
  models: [
    { type: 'asr', id: 'ear', engine: 'listener', traits: ['default'], pricing: { per_audio_second: { usd: 0.001 } } },
  ],
  engines: { listener: { kind: 'openai', baseUrls: [provider.url] } },
})
provider.answer = (_, response) => sendJson(response, { text: 'High water at noon.', language: 'english' })
const AUDIO = Buffer.from(
  writeWav(
    Float32Array.from({ length: 40_000 }, (_, n) => Math.sin(n / 9) / 2),
    16_000,
  ),
)
const CAPTIONS =
  'WEBVTT\n\n1\n00:00.000 --> 00:02.000\n<v Ada>Welcome back\n\n00:02.000 --> 00:04.000\nto the tide &amp; you'
const CAPTIONED = '<video src="/film.mp4"><track kind="captions" srclang="en" src="/words.vtt"></video>'

test('what a recording says is written down, and each begun second is charged', async () => {
  site.at['/talk.wav'] = file('audio/wav', AUDIO)
  const response = await stage.call({ url: `${site.origin}/talk.wav` })
  expect([response.status, await response.json()]).toEqual([200, { transcript: 'High water at noon.', lang: 'en' }])
  expect(await stage.linesOf()).toEqual({ 'ear-asr-second': [3, 0.003] })
})

test('a page’s own captions are taken as they are, and cost nothing', async () => {
  site.at['/page'] = file('text/html', CAPTIONED)
  site.at['/words.vtt'] = file('text/vtt', CAPTIONS)
  const response = await stage.call({ url: `${site.origin}/page`, response_format: 'text' })
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
  expect(await response.text()).toBe('Welcome back to the tide & you')
  expect(await stage.spent()).toBe(0)
})

test('a page that names a file has that heard', async () => {
  site.at['/page'] = file('text/html', '<meta property="og:video" content="/talk.wav">')
  site.at['/talk.wav'] = file('audio/wav', AUDIO)
  expect(await (await stage.call({ url: `${site.origin}/page` })).json()).toMatchObject({
    transcript: 'High water at noon.',
  })
})

test.each([
  ['no address', {}, 'url'],
  ['an address of a file', { url: 'file:///etc/passwd' }, 'url'],
  ['an address inside', { url: 'http://169.254.169.254/' }, 'url'],
  ['a page without a video', { url: '/plain' }, 'url'],
  ['nothing there', { url: '/none' }, 'url'],
  ['a file that is no video', { url: '/text' }, 'url'],
  ['an unknown format', { url: '/plain', response_format: 'srt' }, 'response_format'],
  ['an unknown field', { url: '/plain', model: 'ear' }, undefined],
])('%s: 400, and nothing is charged', async (_, body: { url?: string }, field) => {
  site.at['/plain'] = file('text/html', '<p>no film here</p>')
  site.at['/text'] = file('video/mp4', 'only words')
  const url = body.url?.startsWith('/') ? site.origin + body.url : body.url
  const response = await stage.call({ ...body, ...(url && { url }) })
  expect(response.status).toBe(400)
  if (field) expect(Object.keys((await response.json()).details)).toContain(field)
  expect(await stage.spent()).toBe(0)
})

test('captions keep their words and lose their times', () => {
  expect(captionText(CAPTIONS)).toBe('Welcome back to the tide & you')
  expect(
    captionText('1\r\n00:00:01,000 --> 00:00:02,000\r\nHi\r\n\r\n2\r\n00:00:02,000 --> 00:00:03,000\r\nHi\r\n'),
  ).toBe('Hi')
})

test('addresses of a page are made whole, and only those of the web count', () => {
  expect(findMedia('<video><source src="a.mp4?x=1&amp;y=2" type="video/mp4"></video>', 'https://v.example/p/')).toEqual(
    {
      video: 'https://v.example/p/a.mp4?x=1&y=2',
    },
  )
  expect(findMedia('<track src="javascript:alert(1)"><video src="data:video/mp4,x">', 'https://v.example/')).toEqual({})
})
