import { expect, test } from 'vitest'
import { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import { ApiError } from '@/lib/contract/errors'
import { isOnSite, isVideoPage, mediaRoutes, planAttachments, takesSameMedia } from '@/lib/endpoints/chat/attachments'
import type { Model } from '@/lib/services/models/model'

const model = (capabilities: Model['capabilities'], id = 'atlas') => ({ id, capabilities }) as Model
const reader = model({ supportsVision: true }, 'reader')
const ear = model({}, 'ear')
const plain = model({})
const seer = model({ supportsVision: true })
const gallery = model({ supportsVision: true, supportsMultipleImages: true })
const all = model({ supportsVision: true, supportsAudioInput: true, supportsVideoInput: true })

const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
const SOUND = { type: 'input_audio', input_audio: { data: 'AAAA' } }
const VIDEO = { type: 'video_url', video_url: { url: 'https://a.example/v.mp4' } }
const FILE = { type: 'file', file: { file_data: 'data:text/plain,tide' } }
const PHOTO = { type: 'file', file: { file_data: 'data:IMAGE/PNG;base64,AAAA' } }
const SAY = { type: 'text', text: 'What is it?' }

const messagesOf = (...contents: unknown[]) =>
  ChatCompletionRequest.parse({ model: 'm', messages: contents.map((content) => ({ role: 'user', content })) }).messages
const plan = (one: Model, ...contents: unknown[]) =>
  planAttachments(messagesOf(...contents), one, mediaRoutes(one, {})).map(
    ({ message, part, content }) => `${message}.${part} ${content.type}`,
  )
function refusal(one: Model, ...contents: unknown[]) {
  try {
    plan(one, ...contents)
  } catch (error) {
    if (error instanceof ApiError) return error.issues?.[0]
  }
  return undefined
}

test('a page of a video site is refused plainly, unless the model declares that it opens that site', () => {
  const page = { type: 'video_url', video_url: { url: 'https://www.youtube.com/watch?v=x' } }
  const opener = { ...all, videoSites: ['youtube.com', 'youtu.be'] }
  expect(plan(opener, [SAY, page])).toEqual(['0.1 video_url'])
  expect(plan(all, [SAY, VIDEO])).toEqual(['0.1 video_url'])
  for (const one of [all, { ...all, videoSites: ['films.example'] }, seer]) {
    expect(refusal(one, [SAY, page])).toMatchObject({
      path: ['messages', 0, 'content', 1, 'video_url', 'url'],
      message: expect.stringContaining('is a page of a video site, which atlas cannot open'),
    })
  }
})

test('a fallback that does not open the site does not take the page', () => {
  const page = { type: 'video_url', video_url: { url: 'https://youtu.be/x' } }
  const opener = { ...all, videoSites: ['youtu.be'] }
  const routes = mediaRoutes(opener, {})
  const attachments = planAttachments(messagesOf([page]), opener, routes)
  expect(takesSameMedia(attachments, routes, opener)).toBe(true)
  expect(takesSameMedia(attachments, routes, all)).toBe(false)
})

test('media go the model’s own way, else a helper’s; a video falls apart where one of its parts has a way', () => {
  expect(mediaRoutes(all, { vision: reader, audio: ear })).toEqual({
    image: 'native',
    audio: 'native',
    video: 'native',
  })
  expect(mediaRoutes(plain, { vision: reader })).toEqual({ image: reader, audio: undefined, video: 'parts' })
  expect(mediaRoutes(plain, { audio: ear })).toEqual({ image: undefined, audio: ear, video: 'parts' })
  expect(mediaRoutes(seer, { audio: ear })).toEqual({ image: 'native', audio: ear, video: 'parts' })
  expect(mediaRoutes(plain, {})).toEqual({ image: undefined, audio: undefined, video: undefined })
})

test('an attachment is known by its place; text is none', () => {
  expect(plan(all, 'Hello', [SAY, IMAGE, FILE], [VIDEO, SAY, SOUND])).toEqual([
    '1.1 image_url',
    '1.2 file',
    '2.0 video_url',
    '2.2 input_audio',
  ])
})

test('what a model has no way for is refused where it stands; a file is for everyone', () => {
  expect(refusal(plain, 'Hi', [SAY, IMAGE])).toMatchObject({ path: ['messages', 1, 'content', 1, 'type'] })
  expect(refusal(seer, [SOUND])?.message).toContain('atlas does not take audio')
  expect(refusal(plain, [VIDEO])?.message).toContain('video')
  expect(plan(plain, [FILE, PHOTO])).toEqual(['0.0 file', '0.1 file'])
})

test.each([
  [IMAGE, 10],
  [SOUND, 5],
  [VIDEO, 3],
  [FILE, 5],
])('a message holds so many of a kind and no more: %j', (part, max) => {
  const many = (count: number) => Array.from({ length: count }, () => part)
  expect(plan(all, many(max)).length).toBeGreaterThan(0)
  expect(refusal(all, SAY.text, many(max + 1))).toMatchObject({ path: ['messages', 1, 'content'] })
})

test('a request holds a hundred in all, and three videos', () => {
  const ten = Array.from({ length: 10 }, () => IMAGE)
  const hundred = Array.from({ length: 10 }, () => ten)
  expect(plan(gallery, ...hundred)).toHaveLength(100)
  expect(refusal(gallery, ...hundred, [FILE])).toMatchObject({ path: ['messages'] })
  expect(refusal(all, [VIDEO, VIDEO], [VIDEO])).toBeUndefined()
  expect(refusal(all, [VIDEO, VIDEO], [VIDEO, VIDEO])).toMatchObject({ path: ['messages'] })
})

test('four marks for the cache, wherever they stand', () => {
  const marked = (part: object) => ({ ...part, cache_control: { type: 'ephemeral' } })
  expect(refusal(all, [marked(SAY), marked(IMAGE)], [marked(FILE), marked(SAY)])).toBeUndefined()
  expect(refusal(all, [marked(SAY), marked(IMAGE)], [marked(FILE), marked(SAY), marked(SOUND)])?.message).toContain('5')
})

test('a model of one image gets the images of the last message that has any, and everything else', () => {
  const turns = [
    [IMAGE, PHOTO, FILE],
    [IMAGE, PHOTO],
    [SAY, FILE],
  ]
  expect(plan(seer, ...turns)).toEqual(['0.2 file', '1.0 image_url', '1.1 file', '2.1 file'])
  expect(plan(gallery, ...turns)).toHaveLength(6)
  expect(plan(seer, [IMAGE], [PHOTO])).toEqual(['1.0 file'])
})

test('images that are read by a helper are those of the last message too: each costs', () => {
  const routes = mediaRoutes(plain, { vision: reader })
  expect(planAttachments(messagesOf([IMAGE], [IMAGE, IMAGE]), plain, routes)).toHaveLength(2)
})

test('a fallback must take what the model takes by itself', () => {
  const takes = (one: Model, fallback: Model, ...parts: unknown[]) => {
    const routes = mediaRoutes(one, { audio: ear })
    return takesSameMedia(planAttachments(messagesOf(parts), one, routes), routes, fallback)
  }
  expect(takes(seer, plain, FILE)).toBe(true)
  expect(takes(seer, plain, IMAGE)).toBe(false)
  expect(takes(seer, plain, PHOTO)).toBe(false)
  expect(takes(seer, gallery, IMAGE, PHOTO)).toBe(true)
  // Its frames are images; its sound is written down for either.
  expect(takes(seer, plain, VIDEO)).toBe(false)
  expect(takes(seer, gallery, VIDEO)).toBe(true)
  expect(takes(all, gallery, VIDEO)).toBe(false)
  expect(takes(seer, plain, SOUND)).toBe(true)
  expect(takes(all, gallery, SOUND)).toBe(false)
})

test.each([
  'https://www.youtube.com/watch?v=x',
  'https://youtu.be/x',
  'HTTPS://M.YouTube.com./watch',
  'http://vimeo.com/1',
])('a page of a video site: %s', (address) => {
  expect(isVideoPage(address)).toBe(true)
})

test.each([
  'https://notyoutube.com/x.mp4',
  'https://youtube.com.evil.example/x',
  'https://youtube.com@evil.example/x',
  'https://files.example/youtube.com/x.mp4',
  'data:video/mp4;base64,AAAA',
  'ftp://youtube.com/x',
  'https://',
])('none: %s', (address) => {
  expect(isVideoPage(address)).toBe(false)
})

test('a model reads the sites that it declares, and no others', () => {
  expect(isOnSite('https://films.example/watch/1', ['films.example'])).toBe(true)
  expect(isOnSite('https://www.youtube.com/watch?v=x', ['films.example'])).toBe(false)
  expect(isOnSite('https://www.youtube.com/watch?v=x', [])).toBe(false)
})
