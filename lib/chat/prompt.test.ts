import { expect, test } from 'vitest'
import { buildPrompt, promptText, SERVICE_SYSTEM_PROMPT, type TextMessage } from '@/lib/chat/prompt'

const user: TextMessage = { role: 'user', content: 'Hello', name: undefined }

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

test("without it only the caller's prompts remain", () => {
  expect(buildPrompt([user], { includesServicePrompt: false })).toEqual([{ role: 'user', content: 'Hello' }])
})

test('assistant turns with neither text nor calls are left out', () => {
  const empty = { role: 'assistant', content: undefined, tool_calls: undefined } as TextMessage
  const call = {
    role: 'assistant',
    content: undefined,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'add', arguments: '{}' } }],
  } as TextMessage
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
