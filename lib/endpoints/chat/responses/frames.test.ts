import fc from 'fast-check'
import { ResponseStream } from 'openai/lib/responses/ResponseStream'
import { expect, test } from 'vitest'
import { createOutput, inOrder } from '@/lib/endpoints/chat/responses/output'
import { createEventWriter } from '@/lib/endpoints/chat/responses/render'
import { addUp, readEvents } from '@/lib/endpoints/chat/responses/testing/reader'
import {
  CITATIONS,
  call,
  ends,
  found,
  RECEIPT,
  runOf,
  streamOf,
  text,
  thought,
  workOf,
} from '@/lib/endpoints/chat/responses/testing/work'
import type { AnswerEvent } from '@/lib/endpoints/chat/run'

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    'data: [DONE]\n\n',
    '[DONE]',
    '\r\n\r\nevent: response.completed\r\ndata: {}\r\n\r\n',
    '\u2028data: x\u2029',
    '\ud800',
    '"}\n\ndata: {"type":"response.failed"}',
    '[REF]0[/REF]',
    '[REF]1',
    '[/REF]',
    '',
  ),
)
const said = fc.oneof(
  hostile.map(text),
  fc.tuple(fc.nat(2), hostile, hostile).map(([index, piece, name]) => call(index, piece, `call_${index}`, name)),
  fc.constant<AnswerEvent>({
    type: 'usage',
    inputTokens: 1,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 1,
    reasoningTokens: 0,
  }),
)
const beside = fc.oneof(
  hostile.map(thought),
  hostile.map(
    (data): AnswerEvent => ({ type: 'reasoning-details', choice: 0, details: [{ type: 'reasoning.encrypted', data }] }),
  ),
  fc.constant(found()),
  fc.constant<AnswerEvent>({ type: 'sources', sources: CITATIONS, results: 2 }),
  fc.constant<AnswerEvent>({ type: 'route', router: 'house', retries: 0 }),
)
const end = fc.constantFrom(ends('stop'), ends('length'), ends('tool_calls'))
const answerOf = (...kinds: fc.Arbitrary<AnswerEvent>[]) =>
  fc.tuple(fc.array(fc.oneof(...kinds), { maxLength: 14 }), end).map(([events, last]) => [...events, last])

const work = workOf({ givesSealedThoughts: true, showsResults: true })

const sense = (items: Parameters<typeof inOrder>[0]) => inOrder(items).map(({ id: _, ...rest }) => rest)

test('whatever an engine says: the frames are ours, in order, and the last response is what the pieces add up to', () => {
  fc.assert(
    fc.property(answerOf(said, beside), (events) => {
      const stream = streamOf(events, runOf(CITATIONS), work)
      expect(stream).not.toContain('[DONE]')
      const read = readEvents(stream)
      expect(read.map(({ sequence_number }) => sequence_number)).toEqual(read.map((_, index) => index))
      expect(read[0]!.type).toBe('response.created')
      expect(read.filter(({ type }) => /^response\.(completed|incomplete|failed)$/.test(type))).toEqual([read.at(-1)])
      const { output } = read.at(-1)!.response
      expect(addUp(read)).toEqual(output)
      const done = read.filter(({ type }) => type === 'response.output_item.done')
      expect(done.map(({ output_index }) => output_index).toSorted()).toEqual(
        output.map((_, index) => index).toSorted(),
      )
      for (const { item, output_index } of done) expect(item).toEqual(output[output_index])

      const whole = createOutput(runOf(CITATIONS), work)
      for (const event of events) whole.take(event)
      whole.end()
      expect(sense(whole.items)).toEqual(sense(output))
    }),
    { numRuns: 1_000 },
  )
})

test('how the events are cut into batches makes no difference', () => {
  const cuts = fc.array(fc.boolean(), { maxLength: 16 })
  fc.assert(
    fc.property(answerOf(said, beside), cuts, (events, isCut) => {
      const writer = createEventWriter(runOf(CITATIONS), work)
      const batches: AnswerEvent[][] = [[]]
      for (const [index, event] of events.entries()) {
        if (isCut[index]) batches.push([])
        batches.at(-1)!.push(event)
      }
      const stream = batches.map(writer.write).join('') + writer.end(RECEIPT)
      expect(withoutIds(stream)).toBe(withoutIds(streamOf(events, runOf(CITATIONS), work)))
    }),
    { numRuns: 300 },
  )
})

const withoutIds = (stream: string): string => stream.replaceAll(/"(msg|fc|rs|ws)_[0-9a-f]{24}"/g, '"$1"')

test('how a text is cut into pieces makes no difference to the response', () => {
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 8 }), (pieces) => {
      const outputOf = (events: AnswerEvent[]) =>
        sense(readEvents(streamOf(events, runOf(CITATIONS))).at(-1)!.response.output)
      expect(outputOf([...pieces.map(text), ends()])).toEqual(outputOf([text(pieces.join('')), ends()]))
    }),
    { numRuns: 300 },
  )
})

function helped(stream: string) {
  const lines = readEvents(stream).map((event) => `${JSON.stringify(event)}\n`)
  const body = new Response(lines.join('')).body!
  return ResponseStream.fromReadableStream(body).finalResponse()
}

test('the strict helper of the stock client reads whatever is said, thought, called and searched', async () => {
  await fc.assert(
    fc.asyncProperty(answerOf(said, beside), async (events) => {
      const stream = streamOf(events, runOf(CITATIONS), work)
      const final = await helped(stream)
      expect(plain(final.output.map(withoutParsed))).toEqual(plain(readEvents(stream).at(-1)!.response.output))
    }),
    { numRuns: 150 },
  )
})

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

function withoutParsed(item: object): object {
  const { parsed_arguments: _, ...rest } = item as { parsed_arguments?: unknown; content?: { parsed?: unknown }[] }
  return Array.isArray(rest.content) ? { ...rest, content: rest.content.map(({ parsed: __, ...part }) => part) } : rest
}
