import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import { createChunkWriter, SSE_DONE, SSE_PING } from '@/lib/endpoints/chat/render'
import type { ChatRun } from '@/lib/endpoints/chat/run'
import type { ChatEvent } from '@/lib/services/engines/engine'

const model = { id: 'atlas' } as ChatRun['model']
const work = { id: 'chatcmpl-1', created: 7, request: { n: 2 }, options: { echo: {} } } as ChatWork

function readFrames(stream: string): { data: string[]; others: string[] } {
  const data: string[] = []
  const others: string[] = []
  for (const block of stream.split(/(?:\r\n|\r|\n){2}/)) {
    const lines = block.split(/\r\n|\r|\n/)
    const values = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).replace(/^ /, ''))
    if (values.length > 0) data.push(values.join('\n'))
    others.push(...lines.filter((line) => line !== '' && !line.startsWith('data:') && !line.startsWith(':')))
  }
  return { data, others }
}

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    'data: [DONE]\n\n',
    '[DONE]',
    SSE_DONE,
    SSE_PING,
    '\r\n\r\nevent: error\r\ndata: {}\r\n\r\n',
    '\u2028data: x\u2029',
    '\u0085\u000b\u000c',
    '\ud800',
    '\udc00 half',
    '"}]}\n\ndata: {"error":{}}',
    '\\u005bDONE]',
    '</script>',
    '\u0000',
  ),
)
const choice = fc.constantFrom(0, 1)
const event: fc.Arbitrary<ChatEvent> = fc.oneof(
  fc.record({ type: fc.constant('text-delta' as const), choice, text: hostile }),
  fc.record({
    type: fc.constant('text-delta' as const),
    choice,
    text: hostile,
    logprobs: hostile.map((token) => [{ token, logprob: -1, top_logprobs: [{ token, logprob: -2 }] }]),
  }),
  fc.record({ type: fc.constant('reasoning-delta' as const), choice, text: hostile }),
  fc.record({
    type: fc.constant('reasoning-details' as const),
    choice,
    details: hostile.map((text) => [{ type: text, [text]: text }]),
  }),
  fc.record({
    type: fc.constant('tool-call-delta' as const),
    choice,
    index: fc.nat(2),
    id: hostile,
    name: hostile,
    arguments: hostile,
  }),
)

test('whatever an engine says, the frames read back to it, and no frame is of its making', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      const writer = createChunkWriter(work, () => model)
      const stream = writer.write(events) + SSE_DONE
      const { data, others } = readFrames(stream)
      expect(others).toEqual([])
      expect(data.pop()).toBe('[DONE]')
      expect(data.some((line) => line.includes('[DONE]'))).toBe(false)
      const chunks = data.map((line) => JSON.parse(line))
      for (const chunk of chunks) expect(Object.keys(chunk)).toEqual(['id', 'object', 'created', 'model', 'choices'])
      for (const index of [0, 1]) {
        const deltas = chunks.flatMap(({ choices }) => choices).filter((one) => one.index === index)
        const of = (type: ChatEvent['type']) =>
          events.filter((one) => one.type === type && 'choice' in one && one.choice === index)
        const texts = (type: 'text-delta' | 'reasoning-delta') => of(type).map((one) => 'text' in one && one.text)
        expect(deltas.map(({ delta }) => delta.content ?? '').join('')).toBe(texts('text-delta').join(''))
        expect(deltas.map(({ delta }) => delta.reasoning_content ?? '').join('')).toBe(
          texts('reasoning-delta').join(''),
        )
        const details = deltas.flatMap(({ delta }) => delta.reasoning_details ?? [])
        expect(details).toEqual(of('reasoning-details').flatMap((one) => ('details' in one ? one.details : [])))
        const calls = deltas.flatMap(({ delta }) => delta.tool_calls ?? [])
        expect(calls.map((call) => call.function.arguments)).toEqual(
          of('tool-call-delta').map((one) => 'arguments' in one && one.arguments),
        )
      }
    }),
    { numRuns: 1_000 },
  )
})
