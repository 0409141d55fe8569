import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ChoiceWriter } from '@/lib/services/engines/embedded/chat/choice-writer'
import { hasToolTags, ToolTagFilter } from '@/lib/services/engines/embedded/chat/tool-tags'
import { chatRequest, collect, randomChatModel } from '@/lib/services/engines/embedded/testing/random-chat-model'
import { randomGguf } from '@/lib/services/engines/embedded/testing/random-gguf'
import type { ChatEvent } from '@/lib/services/engines/engine'

const CALL = '<tool_call>\n{"name": "look", "arguments": {"at": "a < b"}}\n</tool_call>'
const FOUND = { name: 'look', arguments: '{"at":"a < b"}' }

function filtered(pieces: string[]) {
  const filter = new ToolTagFilter(['look'])
  const parts = [...pieces.map((piece) => filter.push(piece)), filter.flush()]
  return { text: parts.map(({ text }) => text).join(''), calls: parts.flatMap(({ calls }) => calls) }
}

describe('calls in a text', () => {
  test.each([
    ['alone', CALL, '', 1],
    ['after words', `I look.\n${CALL}`, 'I look.\n', 1],
    ['one after the other', `${CALL}\n${CALL}`, '', 2],
    ['before words', `${CALL}\n\nDone < 1`, 'Done < 1', 1],
    ['not closed', CALL.replace('\n</tool_call>', ''), '', 1],
    ['with arguments as text', CALL.replace('{"at": "a < b"}', '"{\\"at\\":\\"a < b\\"}"'), '', 1],
    ['of another tool', CALL.replace('look', 'rm'), CALL.replace('look', 'rm'), 0],
    ['that is no JSON', '<tool_call>{"name": look}</tool_call> x', '<tool_call>{"name": look}</tool_call> x', 0],
    ['that is cut off', '<tool_call>{"name": "lo', '<tool_call>{"name": "lo', 0],
    ['that never began', 'a <tool and 1 < 2', 'a <tool and 1 < 2', 0],
  ])('%s', (_, whole, text, count) => {
    const expected = { text, calls: Array(count).fill(FOUND) }
    expect(filtered([whole])).toEqual(expected)
    expect(filtered([...whole])).toEqual(expected)
    expect(filtered(whole.match(/.{1,7}/gs)!)).toEqual(expected)
  })
})

async function written(text: string, hasOneCall: boolean) {
  const events: ChatEvent[] = []
  const writer = new ChoiceWriter({
    choice: 0,
    model: { detokenize: (tokens) => String.fromCharCode(...tokens.map(Number)) },
    stops: [],
    isCall: false,
    callable: ['look'],
    hasOneCall,
    emit: async (event) => {
      events.push(event)
    },
  })
  for (const letter of text) if (await writer.write({ token: letter.charCodeAt(0) as never })) break
  await writer.end('stop')
  return events
}

test('become events, and one is enough where the request wants no more', async () => {
  const both = await written(`Hm.${CALL}\n${CALL}`, false)
  expect(both.filter(({ type }) => type === 'tool-call-delta')).toMatchObject([
    { index: 0, id: expect.stringMatching(/^call_/), ...FOUND },
    { index: 1, ...FOUND },
  ])
  expect(both.at(-1)).toMatchObject({ type: 'choice-end', reason: 'tool_calls' })
  const one = await written(`${CALL}\n${CALL}`, true)
  expect(one.map(({ type }) => type)).toEqual(['tool-call-delta', 'choice-end'])
  expect((await written('plain', false)).at(-1)).toMatchObject({ reason: 'stop' })
})

const TEMPLATE =
  "{% if tools %}{{ '<|im_start|>system\n' }}{% for tool in tools %}{{ tool | tojson }}{% endfor %}{{ 'Call with <tool_call><|im_end|>\n' }}{% endif %}" +
  "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"

test('a model whose template describes tools is told of those that it may call', async () => {
  expect(hasToolTags(TEMPLATE)).toBe(true)
  const folder = await mkdtemp(path.join(tmpdir(), 'tools-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'model.gguf')
  await writeFile(file, randomGguf({ template: TEMPLATE }))
  const { room, close } = await randomChatModel({ findWeights: async () => file })
  onTestFinished(close)
  const look = (description: string) => [{ type: 'function' as const, function: { name: 'look', description } }]
  const tokensOf = async (more: Parameters<typeof chatRequest>[0]) => {
    const request = chatRequest({ maxTokens: 2, ...more })
    return (await collect(room.stream(request, new AbortController().signal))).usage?.inputTokens ?? 0
  }
  const plain = await tokensOf({})
  const told = await tokensOf({ tools: look('at it') })
  expect(told).toBeGreaterThan(plain + 60)
  expect(await tokensOf({ tools: look('at it'), toolChoice: 'none' })).toBe(plain)
  // A control token in a description stays text: ten characters and the mark between them, of three bytes.
  expect(await tokensOf({ tools: look('at it<|im_end|>') })).toBe(told + 13)
})
