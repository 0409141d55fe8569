import { expect, test } from 'vitest'
import { ResponsesRequest } from '@/lib/contract/responses.schema'
import { conversationOf, FIELD_PLACES, type Place, placeOf } from '@/lib/endpoints/chat/responses/conversation'

function read(input: unknown, instructions?: string) {
  const places = new Map(FIELD_PLACES)
  const messages = conversationOf(ResponsesRequest.parse({ model: 'm', input, instructions }), places)
  return { messages, at: (...path: Place) => placeOf(path, places).join('.') }
}

const messagesOf = (input: unknown, instructions?: string) => read(input, instructions).messages
const call = (id: string, name = 'add') => ({ type: 'function_call', call_id: id, name, arguments: '{}' })
const called = (id: string, name = 'add') => ({ id, type: 'function', function: { name, arguments: '{}' } })
const output = (id: string, value: unknown = '3') => ({ type: 'function_call_output', call_id: id, output: value })
const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ type: 'message', role: 'assistant', content })

test('a text is a question', () => {
  expect(messagesOf('Hi')).toEqual([{ role: 'user', content: 'Hi' }])
})

test('instructions are a system message before everything', () => {
  expect(messagesOf('Hi', 'Be brief.')).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
  ])
  expect(messagesOf('Hi', '')).toHaveLength(1)
})

test.each(['user', 'assistant', 'system', 'developer'])('a message of the %s, with and without a type', (role) => {
  const expected = [{ role, content: 'Hi' }]
  expect(messagesOf([{ role, content: 'Hi' }])).toEqual(expected)
  expect(messagesOf([{ type: 'message', id: 'msg_1', status: 'completed', role, content: 'Hi' }])).toEqual(expected)
  expect(messagesOf([{ role, id: null, status: null, content: [{ text: 'Hi' }] }])).toEqual([
    { role, content: [{ type: 'text', text: 'Hi' }] },
  ])
})

test.each(['input_text', 'output_text', 'text', undefined])('text of type %s', (type) => {
  expect(messagesOf([user([{ type, text: 'Hi' }])])[0]!.content).toEqual([{ type: 'text', text: 'Hi' }])
})

test.each(['input_image', 'image_url', undefined])('an image of type %s, as an address and as an object', (type) => {
  const expected = [{ type: 'image_url', image_url: { url: 'https://a/b.png' } }]
  const image_url = 'https://a/b.png'
  expect(messagesOf([user([{ type, image_url }])])[0]!.content).toEqual(expected)
  expect(messagesOf([user([{ type, image_url: { url: image_url, detail: 'low' } }])])[0]!.content).toEqual(expected)
})

test('files and sounds', () => {
  const audio = { type: 'input_audio', input_audio: { data: 'AAAA' } }
  const parts = [
    { type: 'input_file', file_data: 'data:text/plain;base64,eA==', filename: 'x.txt' },
    { type: 'input_file', file_url: 'https://a/b.pdf' },
    audio,
  ]
  expect(messagesOf([user(parts)])[0]!.content).toEqual([
    { type: 'file', file: { file_data: 'data:text/plain;base64,eA==', filename: 'x.txt' } },
    { type: 'file', file: { file_data: 'https://a/b.pdf', filename: undefined } },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  ])
})

test('calls made at once are one message, each followed by its result', () => {
  expect(messagesOf([user('?'), call('a'), call('b', 'mul'), output('a'), output('b', [{ text: '4' }])])).toEqual([
    { role: 'user', content: '?' },
    { role: 'assistant', content: null, tool_calls: [called('a'), called('b', 'mul')] },
    { role: 'tool', tool_call_id: 'a', content: '3' },
    { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: '4' }] },
  ])
})

test('calls of two rounds are two messages', () => {
  const roles = messagesOf([user('?'), call('a'), output('a'), call('b'), output('b')]).map(({ role }) => role)
  expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool'])
})

test.each([
  ['before', [assistant('I add.'), call('a')]],
  ['after', [call('a'), assistant('I add.')]],
  ['around thoughts', [call('a'), { type: 'reasoning', id: 'rs_1', summary: ['hm'] }, assistant('I add.')]],
])('a text %s a call is of the same message: its result comes next', (_, items) => {
  expect(messagesOf([user('?'), ...items, output('a')])).toEqual([
    { role: 'user', content: '?' },
    { role: 'assistant', content: 'I add.', tool_calls: [called('a')] },
    { role: 'tool', tool_call_id: 'a', content: '3' },
  ])
})

test('texts on both sides of a call are parts of its message; texts without a call stay apart', () => {
  expect(messagesOf([assistant('One.'), call('a'), assistant([{ type: 'output_text', text: 'Two.' }])])).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'One.' },
        { type: 'text', text: 'Two.' },
      ],
      tool_calls: [called('a')],
    },
  ])
  expect(messagesOf([assistant('One.'), assistant('Two.')])).toHaveLength(2)
})

test('what has no effect leaves no message, and an empty answer comes back as it was sent', () => {
  const items = [
    { type: 'reasoning', id: 'rs_1', summary: ['hm'], encrypted_content: 'x' },
    { type: 'item_reference', id: 'msg_1' },
    { type: 'web_search_call', id: 'ws_1', status: 'completed' },
    assistant([{ type: 'output_text', text: '', annotations: [] }]),
    assistant([]),
    user('Hi'),
  ]
  expect(messagesOf(items)).toEqual([
    { role: 'assistant', content: '' },
    { role: 'assistant', content: '' },
    { role: 'user', content: 'Hi' },
  ])
})

test('every place in the messages leads back to where the caller wrote it', () => {
  const { at } = read(
    [
      { type: 'item_reference', id: 'x' },
      user([
        { text: '?' },
        { type: 'input_image', image_url: 'https://a/b.png' },
        { type: 'input_image', image_url: { url: 'https://a/b.png' } },
        { type: 'input_file', file_url: 'https://a/b.pdf' },
        { type: 'input_file', file_data: 'https://a/b.pdf' },
        { type: 'input_audio', input_audio: { data: 'AAAA' } },
      ]),
      call('a'),
      call('b'),
      assistant('I add.'),
      output('a', [{ text: '3' }]),
    ],
    'Be brief.',
  )
  const parts = ['messages', 1, 'content'] as const
  expect([
    at('messages'),
    at('messages', 0, 'content'),
    at(...parts),
    at(...parts, 1, 'image_url', 'url'),
    at(...parts, 2, 'image_url', 'url'),
    at(...parts, 3, 'file', 'file_data'),
    at(...parts, 3, 'file'),
    at(...parts, 4, 'file', 'file_data'),
    at(...parts, 5, 'input_audio', 'format'),
    at(...parts, 5, 'type'),
    at('messages', 2, 'tool_calls', 1, 'function', 'name'),
    at('messages', 2, 'tool_calls', 1, 'id'),
    at('messages', 2, 'content'),
    at('messages', 3, 'content', 0, 'text'),
    at('model'),
  ]).toEqual([
    'input',
    'instructions',
    'input.1.content',
    'input.1.content.1.image_url',
    'input.1.content.2.image_url.url',
    'input.1.content.3.file_url',
    'input.1.content.3',
    'input.1.content.4.file_data',
    'input.1.content.5.input_audio.format',
    'input.1.content.5.type',
    'input.3.name',
    'input.3.call_id',
    'input.4.content',
    'input.5.output.0.text',
    'model',
  ])
  expect(read('Hi').at('messages', 0, 'content')).toBe('input')
  expect(read('Hi', 'x').at('messages', 1, 'content')).toBe('input')
})
