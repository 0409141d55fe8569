import { expect } from '@playwright/test'
import { type FieldRow, part, user, wireText } from '@/e2e/contract/field-rows'
import { dataUrl, textPicture } from '@/e2e/testing/local-site'
import { makeWithFfmpeg, testImage } from '@/lib/services/media/testing'

const roles = (...messages: object[]) => ({ messages: [...messages, { role: 'user', content: 'Hello' }] })
/** The messages of a chat and their parts. */
export const MESSAGES: FieldRow[] = [
  {
    field: 'role `system`',
    body: roles({ role: 'system', content: 'Speak like a harbour pilot.' }),
    effect: ['stands in the prompt', ({ wire }) => expect(wireText(wire)).toContain('harbour pilot')],
    refused: roles({
      role: 'system',
      content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }],
    }),
  },
  {
    field: 'role `developer`',
    body: roles({ role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] }),
    effect: [
      'stands in the prompt, as system',
      ({ wire }) => expect(wireText(wire)).toMatch(/"role":"system".*Be brief\./),
    ],
    refused: roles({ role: 'developer' }),
  },
  {
    field: 'role `assistant`',
    body: roles({ role: 'user', content: 'Hi' }, { role: 'assistant', content: 'Ahoy' }),
    effect: ['stands in the prompt', ({ wire }) => expect(wireText(wire)).toContain('Ahoy')],
    refused: roles({ role: 'assistant', content: 7 }),
  },
  {
    field: 'role `tool`, `tool_calls`',
    body: roles(
      { role: 'user', content: 'Tide?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_tide', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'at noon' }] },
    ),
    effect: [
      'the call and its result reach the model server',
      ({ wire }) => expect(wireText(wire)).toMatch(/"tool_calls".*"tool_call_id":"call_1"/),
    ],
    refused: roles({ role: 'tool', content: 'x' }),
  },
  {
    field: '`reasoning_details`',
    body: roles(
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Ahoy', reasoning_details: [{ type: 'reasoning.text', text: 'hm', extra: 1 }] },
    ),
    effect: [
      'pass unchanged',
      ({ wire }) => expect(wireText(wire)).toContain('{"type":"reasoning.text","text":"hm","extra":1}'),
    ],
    refused: roles({ role: 'assistant', content: 'x', reasoning_details: [{}] }),
  },
  {
    field: '`name`',
    body: { messages: [{ role: 'user', name: 'ada', content: 'Hello' }] },
    effect: ['reaches the model server', ({ wire }) => expect(wireText(wire)).toContain('"name":"ada"')],
    refused: { messages: [{ role: 'user', name: 7, content: 'Hello' }] },
  },
  {
    field: 'part `text`',
    body: part(),
    effect: ['stands in the prompt', ({ wire }) => expect(wireText(wire)).toContain('What is this?')],
    refused: user([{ type: 'text', text: '' }]),
  },
  {
    field: 'part `image_url`',
    body: async () =>
      part({ type: 'image_url', image_url: { url: dataUrl('image/png', await textPicture('HELLO')), detail: 'high' } }),
    effect: [
      'reaches a model that sees as a picture',
      ({ wire }) =>
        expect(wireText(wire)).toMatch(/"type":"image_url","image_url":\{"url":"data:image\/(png|jpeg);base64,/),
    ],
    refused: part({ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }),
  },
  {
    field: 'part `input_audio`',
    body: part({ type: 'input_audio', input_audio: { data: tone(), format: 'pcm16' } }),
    effect: [
      'reaches a model that hears as WAV',
      ({ wire }) => expect(wireText(wire)).toMatch(/"input_audio":\{"data":"UklGR/),
    ],
    refused: part({ type: 'input_audio', input_audio: { data: 'http://example.org/a.wav', format: 'wav' } }),
  },
  {
    field: 'part `video_url`',
    body: () => part({ type: 'video_url', video_url: { url: dataUrl('video/mp4', film()) } }),
    effect: [
      'reaches a model that takes video as it was sent',
      ({ wire }) => expect(wireText(wire)).toMatch(/"type":"video_url","video_url":\{"url":"data:video\/mp4;base64,/),
    ],
    refused: part({ type: 'video_url', video_url: {} }),
  },
  {
    field: 'part `file`',
    body: part({
      type: 'file',
      file: { filename: 'tide.md', file_data: dataUrl('text/markdown', '# Tides\n\nThe word is periwinkle.') },
    }),
    effect: [
      'its text stands in the prompt, under its name',
      ({ wire }) => expect(wireText(wire)).toMatch(/tide\.md.*periwinkle/),
    ],
    refused: part({ type: 'file', file: { file_data: 'nothing' } }),
  },
  {
    field: '`cache_control`',
    body: user([{ type: 'text', text: 'Long and always the same.', cache_control: { type: 'ephemeral', ttl: '1h' } }]),
    effect: [
      'reaches the model server at its part',
      ({ wire }) => expect(wireText(wire)).toContain('"cache_control":{"type":"ephemeral"'),
    ],
    refused: user([{ type: 'text', text: 'x', cache_control: { type: 'for-ever' } }]),
  },
]

/** Half a second of 24 kHz silence with a click: raw samples have no container to be wrong. */
function tone(): string {
  const samples = Buffer.alloc(24_000)
  samples.writeInt16LE(20_000, 12_000)
  return samples.toString('base64')
}

/** A second of a moving test picture, without sound. */
function film(): Uint8Array {
  const [bytes] = makeWithFfmpeg([...testImage('128x96', 1, 5), '-c:v', 'libx264', '-pix_fmt', 'yuv420p', 'film.mp4'])
  return bytes!
}
