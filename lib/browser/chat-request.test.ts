import 'fake-indexeddb/auto'
import { expect, test } from 'vitest'
import { chatRequest, type RequestTurn, readAttachment } from '@/lib/browser/chat-request'
import { keepBlob } from '@/lib/browser/storage/blobs'
import type { Attachment } from '@/lib/browser/storage/records'
import { MAX_PER_MESSAGE } from '@/lib/contract/limits'

const PLAIN = { settings: {} }
const MODEL = { id: 'atlas' }
const asks = (text: string, attachments: Attachment[] = []): RequestTurn => ({ role: 'user', text, attachments })
const answers = (text: string): RequestTurn => ({ role: 'assistant', text })
const file = (kind: Attachment['kind'], name: string, more: Partial<Attachment> = {}): Attachment => ({
  id: name,
  kind,
  name,
  mediaType: 'application/octet-stream',
  size: 3,
  hash: name,
  ...more,
})
const read = async ({ name }: Attachment) => `data:x/y;base64,${name}`

test('a plain question says nothing but itself', async () => {
  expect(await chatRequest([], PLAIN, MODEL, { text: 'Tides?', attachments: [] })).toEqual({
    model: 'atlas',
    messages: [{ role: 'user', content: 'Tides?' }],
  })
})

test('everything that is set goes out under its name on the wire', async () => {
  const settings = {
    systemPrompt: 'Be brief.',
    isServicePromptOff: true,
    temperature: 0,
    topP: 0.5,
    maxOutputTokens: 100,
    effort: 'low',
    isThinkingOff: true,
    sources: { web: 'auto', readsLinks: true, searchesX: true },
  } as const
  const character = { slug: 'sailor', systemPrompt: 'The person is called Ann.' }
  expect(await chatRequest([asks('Hi')], { settings, character }, { ...MODEL, efforts: ['low'] })).toEqual({
    model: 'atlas',
    messages: [
      { role: 'system', content: 'The person is called Ann.\n\nBe brief.' },
      { role: 'user', content: 'Hi' },
    ],
    temperature: 0,
    top_p: 0.5,
    max_completion_tokens: 100,
    reasoning_effort: 'low',
    service_parameters: {
      character_slug: 'sailor',
      enable_web_search: 'auto',
      enable_web_scraping: true,
      enable_x_search: true,
      enable_web_citations: true,
      include_search_results_in_stream: true,
      include_service_system_prompt: false,
      disable_thinking: true,
    },
  })
})

test('an effort that the model does not know is left out, since it would refuse the question', async () => {
  const body = await chatRequest([asks('Hi')], { settings: { effort: 'high' } }, { ...MODEL, efforts: ['low'] })
  expect(body).not.toHaveProperty('reasoning_effort')
})

test('files go out in their forms before the words, those of earlier questions again', async () => {
  const turns = [asks('See', [file('image', 'a.png')]), answers('I see.')]
  const outgoing = {
    text: 'And these?',
    attachments: [
      file('document', 'b.pdf'),
      file('audio', 'c.mp3', { mediaType: 'audio/mpeg' }),
      file('audio', 'd.flac'),
      file('video', 'e.mp4'),
    ],
  }
  const { messages } = await chatRequest(turns, PLAIN, MODEL, outgoing, read)
  expect(messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:x/y;base64,a.png' } },
        { type: 'text', text: 'See' },
      ],
    },
    { role: 'assistant', content: 'I see.' },
    {
      role: 'user',
      content: [
        { type: 'file', file: { filename: 'b.pdf', file_data: 'data:x/y;base64,b.pdf' } },
        { type: 'input_audio', input_audio: { data: 'c.mp3', format: 'mp3' } },
        { type: 'input_audio', input_audio: { data: 'd.flac', format: 'flac' } },
        { type: 'video_url', video_url: { url: 'data:x/y;base64,e.mp4' } },
        { type: 'text', text: 'And these?' },
      ],
    },
  ])
})

test('earlier files that this model cannot take are named in words, so that the new question is not refused', async () => {
  const takes = { images: false, audio: false, video: false, documents: 'itself', maxFiles: MAX_PER_MESSAGE } as const
  const turns = [asks('See', [file('image', 'a.png')]), answers('I see.')]
  const { messages } = await chatRequest(turns, PLAIN, { id: 'blind', takes }, { text: 'So?', attachments: [] }, read)
  expect(messages[0]?.content).toEqual([
    { type: 'text', text: '[The file a.png is not sent to this model.]' },
    { type: 'text', text: 'See' },
  ])
})

test('of many videos the latest three go along', async () => {
  const turns = [1, 2, 3, 4].map((at) => asks('', [file('video', `${at}.mp4`)]))
  const { messages } = await chatRequest(turns, PLAIN, MODEL, undefined, read)
  expect(JSON.stringify(messages).match(/video_url"/g)).toHaveLength(6)
  expect(JSON.stringify(messages[0])).toContain('1.mp4 is not sent')
})

test('a file that is gone is said to be, and the question goes out', async () => {
  const { messages } = await chatRequest([], PLAIN, MODEL, { text: 'x', attachments: [file('image', 'gone.png')] })
  expect(JSON.stringify(messages)).toContain('gone.png is not on this device any more')
})

test('an answer at the end is asked to go on, and marks of sources stay here', async () => {
  const { messages } = await chatRequest([asks('Tides?'), answers('Two[REF]0[/REF] of')], PLAIN, MODEL)
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  expect(messages[1]?.content).toBe('Two of')
})

test('an answer that came to nothing, and thoughts, are not sent', async () => {
  const turns = [asks('a'), { ...answers(''), reasoning: 'Hm' }, asks('b')]
  expect((await chatRequest(turns, PLAIN, MODEL)).messages).toEqual([
    { role: 'user', content: 'a' },
    { role: 'user', content: 'b' },
  ])
})

test('bytes become exactly their base64, also over many pieces', async () => {
  const bytes = Uint8Array.from({ length: 60_001 }, (_, at) => (at * 31) % 256)
  const hash = await keepBlob('chat', new Blob([bytes]))
  const url = await readAttachment(file('image', 'x', { hash, mediaType: 'image/png' }))
  expect(url).toBe(`data:image/png;base64,${Buffer.from(bytes).toString('base64')}`)
})
