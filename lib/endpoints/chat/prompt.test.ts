import { expect, test } from 'vitest'
import {
  buildPrompt,
  promptText,
  type ReadMessage,
  SERVICE_SYSTEM_PROMPT,
  withFindings,
} from '@/lib/endpoints/chat/prompt'

const user: ReadMessage = { role: 'user', content: 'Hello', name: undefined }

test("the service's prompt stands first, the caller's own after it in one message", () => {
  expect(
    buildPrompt([{ role: 'system', content: 'Be brief.', name: undefined }, user], { includesServicePrompt: true }),
  ).toEqual([
    { role: 'system', content: `${SERVICE_SYSTEM_PROMPT}\n\nBe brief.` },
    { role: 'user', content: 'Hello' },
  ])
  expect(buildPrompt([user], { includesServicePrompt: true })[0]).toEqual({
    role: 'system',
    content: SERVICE_SYSTEM_PROMPT,
  })
})

test("a model's own prompt stands in place of the service's; an empty one is none", () => {
  const options = { includesServicePrompt: true, servicePrompt: 'You are a friendly chatbot.' }
  expect(buildPrompt([user], options)[0]).toEqual({ role: 'system', content: 'You are a friendly chatbot.' })
  expect(buildPrompt([user], { ...options, includesServicePrompt: false })).toHaveLength(1)
  expect(buildPrompt([user], { ...options, servicePrompt: '' })).toEqual([{ role: 'user', content: 'Hello' }])
})

test("without it only the caller's prompts remain", () => {
  expect(buildPrompt([user], { includesServicePrompt: false })).toEqual([{ role: 'user', content: 'Hello' }])
})

test('assistant turns with neither text nor calls are left out', () => {
  const empty = { role: 'assistant', content: undefined, tool_calls: undefined } as ReadMessage
  const call = {
    role: 'assistant',
    content: undefined,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'add', arguments: '{}' } }],
  } as ReadMessage
  expect(buildPrompt([user, empty, call], { includesServicePrompt: false })).toEqual([
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: null, tool_calls: call.role === 'assistant' ? call.tool_calls : [] },
  ])
})

test('the text to count holds parts and calls', () => {
  expect(
    promptText([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'x', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
      },
    ]),
  ).toBe('a\nb\nadd{"a":1}')
})

const system: ReadMessage = { role: 'system', content: 'Be brief.', name: undefined }
const character = {
  slug: 'keeper',
  systemPrompt: 'You keep the light.',
  context: [
    { role: 'user' as const, content: 'Who?' },
    { role: 'assistant' as const, content: 'The keeper.' },
  ],
  replacesServicePrompt: false,
}

test('a character speaks after the service and before the caller, and its talk opens the conversation', () => {
  expect(buildPrompt([system, user], { includesServicePrompt: true, character })).toEqual([
    { role: 'system', content: `${SERVICE_SYSTEM_PROMPT}\n\nYou keep the light.\n\nBe brief.` },
    ...character.context,
    { role: 'user', content: 'Hello' },
  ])
  const replacing = { ...character, replacesServicePrompt: true }
  for (const options of [
    { includesServicePrompt: true, character: replacing },
    { includesServicePrompt: false, character },
  ]) {
    expect(buildPrompt([user], options)[0]).toEqual({ role: 'system', content: 'You keep the light.' })
  }
})

test('a character that only brings talk leaves the caller’s prompt alone', () => {
  const silent = { ...character, systemPrompt: '' }
  expect(buildPrompt([system, user], { includesServicePrompt: false, character: silent })).toEqual([
    { role: 'system', content: 'Be brief.' },
    ...character.context,
    { role: 'user', content: 'Hello' },
  ])
})

test('a prompt of the caller’s in parts keeps its parts, and its marks for the cache', () => {
  const parts = [
    { type: 'text' as const, text: 'Be brief.', cache_control: { type: 'ephemeral' as const, ttl: undefined } },
  ]
  const developer: ReadMessage = { role: 'developer', content: parts, name: undefined }
  expect(buildPrompt([developer, user], { includesServicePrompt: true })[0]).toEqual({
    role: 'developer',
    content: [{ type: 'text', text: `${SERVICE_SYSTEM_PROMPT}\n\n` }, ...parts],
  })
})

test('what was found stands before the last question, whatever comes after it', () => {
  const answer: ReadMessage = { role: 'assistant', content: 'Aye', tool_calls: undefined } as ReadMessage
  const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AA' } }
  const shown: ReadMessage = { role: 'user', content: [image], name: undefined }
  expect(withFindings([system, user, answer], 'FOUND')).toEqual([
    system,
    {
      ...user,
      content: [
        { type: 'text', text: 'FOUND\n\n' },
        { type: 'text', text: 'Hello' },
      ],
    },
    answer,
  ])
  expect(withFindings([user, shown], 'FOUND')).toEqual([
    user,
    { ...shown, content: [{ type: 'text', text: 'FOUND\n\n' }, image] },
  ])
  expect(withFindings([system], 'FOUND')).toEqual([system])
})
