import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SSE_DONE } from '@/lib/endpoints/chat/render'
import type { ChatEvent } from '@/lib/services/engines/engine'
import { ReplyReader } from '@/lib/services/engines/upstream/chat/reply-reader'
import { UpstreamError } from '@/lib/services/engines/upstream/failures'
import {
  chunk,
  collect,
  DONE,
  frame,
  request,
  textOf,
  USAGE,
} from '@/lib/services/engines/upstream/testing/fake-upstream'
import { serve } from '@/lib/services/engines/upstream/testing/serve'

const INJECTION = 'a\r\n\r\ndata: [DONE]\n\n\u2028event: error\ndata: {"error":{}}\u0000\u0085\u2029x-balance: 9'
const ONE_LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u

async function answer(body: string, wanted = request(), headers: Record<string, string> = {}): Promise<ChatEvent[]> {
  const { engine } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).end(body)
  })
  return collect(engine, wanted)
}

const calls = (events: ChatEvent[]) => events.filter((event) => event.type === 'tool-call-delta')

describe('an upstream that means harm', () => {
  test('writes the end of the stream into its text, and it is text', async () => {
    const text = ['data: [DONE]', '\n\n', '[DONE]', `${SSE_DONE}`, INJECTION].join('|')
    const events = await answer(chunk({ content: text }) + chunk({ content: 'on' }, 'stop') + DONE)
    expect(textOf(events)).toBe(`${text}on`)
  })

  test.each([
    ['in one delta', chunk({ content: 'tide '.repeat(2_000) }, 'stop')],
    ['in one thought', chunk({ reasoning_content: 'tide '.repeat(2_000) }, 'stop')],
    ['in many deltas', chunk({ content: 'tide ' }).repeat(2_000)],
    [
      'as a whole reply',
      JSON.stringify({ choices: [{ message: { content: 'tide '.repeat(2_000) }, finish_reason: 'stop' }] }),
    ],
  ])('does not keep the bound, %s: the answer is cut and ends with `length`', async (_, said) => {
    const counted = frame({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 2_000, total_tokens: 2_007 } })
    const events = await answer(said.startsWith('{') ? said : said + counted + DONE, request({ maxTokens: 1 }))
    const text = events.map((event) => ('text' in event ? event.text : '')).join('')
    expect(text.length).toBeGreaterThan(4)
    expect(text.length).toBeLessThan(80)
    expect(events.at(-1)).toEqual({ type: 'choice-end', choice: 0, reason: 'length' })
  })

  test('says more after the end, which is not heard', async () => {
    const late = chunk({ content: 'late' }) + frame({ error: { message: 'late' } })
    expect(textOf(await answer(chunk({ content: 'Hello' }, 'stop') + DONE + late))).toBe('Hello')
  })

  test('names itself, its model and its fingerprint, and none of it is told', async () => {
    const names = { id: INJECTION, model: INJECTION, system_fingerprint: INJECTION, provider: INJECTION, object: 'x' }
    const events = await answer(chunk({ content: 'Hello' }, 'stop', { ...names, usage: USAGE }) + DONE, request(), {
      'x-request-id': 'evil',
      'x-balance-remaining': '9',
      'set-cookie': 'a=b',
    })
    expect(JSON.stringify(events)).not.toMatch(/x-balance|evil|DONE/)
    expect(events.map(({ type }) => type)).toEqual(['route', 'text-delta', 'choice-end', 'usage'])
  })

  test('ends a choice with a reason of its own making, and it is one of three', async () => {
    for (const reason of [INJECTION, 'constructor', '__proto__', '', 'tool_calls']) {
      const last = (await answer(chunk({ content: 'x' }, reason) + DONE)).at(-1)
      expect(last).toEqual({ type: 'choice-end', choice: 0, reason: 'stop' })
    }
  })

  test('calls a tool by a name and an id that are more than that', async () => {
    const call = { index: 0, id: INJECTION, function: { name: INJECTION, arguments: INJECTION } }
    const [event] = calls(await answer(chunk({ tool_calls: [call] }, 'tool_calls') + DONE))
    expect(event).toMatchObject({ id: expect.stringMatching(/^call_[\da-f]{24}$/), arguments: INJECTION })
    expect(event?.name).toMatch(ONE_LINE)
    const long = { index: 0, id: 'x'.repeat(5_000), function: { name: 'f'.repeat(5_000), arguments: '' } }
    const [bounded] = calls(await answer(chunk({ tool_calls: [long] }) + DONE))
    expect([bounded?.id?.length, bounded?.name?.length]).toEqual([29, 256])
  })

  test("calls by the service's own names, which only the caller's tools may have", async () => {
    const name = 'service_web_search_documents'
    const body =
      chunk({ content: 'x', tool_calls: [{ index: 0, id: 'c', function: { name, arguments: '{}' } }] }) + DONE
    expect(calls(await answer(body))).toEqual([])
    const declared = request({ tools: [{ type: 'function', function: { name } }] })
    expect(calls(await answer(body, declared))).toHaveLength(1)
  })

  test('thinks in details that are nested without end, which are none', async () => {
    const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
    const good = { type: 'reasoning.text', text: 'hm', signature: 'x', extra: { list: [1] } }
    const body = `data: {"choices":[{"index":0,"delta":{"reasoning_details":[${deep},${JSON.stringify(good)}]}}]}\n\n`
    expect((await answer(body + DONE)).find(({ type }) => type === 'reasoning-details')).toMatchObject({
      details: [good],
    })
  })

  test.each([
    ['content', `{"content":[${'{"text":['.repeat(20_000)}1${']}'.repeat(20_000)}]}`],
    ['arguments', `{"tool_calls":[{"function":{"name":"f","arguments":${'['.repeat(50_000)}${']'.repeat(50_000)}}}]}`],
  ])('nests its %s without end: that answer may fail, and the next one is well', async (_, delta) => {
    const body = `data: {"choices":[{"index":0,"delta":${delta}}]}\n\n${DONE}`
    const ended = await answer(body).then(
      () => 'failed',
      (error) => error.reason,
    )
    expect(ended).toBe('failed')
    expect(textOf(await answer(chunk({ content: 'Hello' }, 'stop') + DONE))).toBe('Hello')
  })

  test('counts as it likes, and what cannot be is no count', async () => {
    for (const usage of [{ prompt_tokens: 1e300 }, { ...USAGE, completion_tokens: -5 }, 'all', [], { toString: 1 }]) {
      const events = await answer(chunk({ content: 'x' }, 'stop', { usage }) + DONE)
      expect(events.some(({ type }) => type === 'usage')).toBe(false)
    }
  })

  test('whatever JSON it sends makes events of ours or a failure of ours', () => {
    const key = fc.constantFrom(
      'choices',
      'delta',
      'content',
      'tool_calls',
      'index',
      'function',
      'name',
      'error',
      'usage',
    )
    const anything = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 6 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('any'), { maxLength: 3 }),
        tie('object'),
      ),
      object: fc.dictionary(key, tie('any'), { maxKeys: 5 }),
    })).object
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 4 }), (values) => {
        const out: ChatEvent[] = []
        const reader = new ReplyReader(request({ nativeSearch: { sources: ['x'], maxResults: 5 } }), [])
        try {
          reader.push([Buffer.from(values.map(frame).join(''))], out)
          reader.end(out)
          reader.reply.end(out)
        } catch (error) {
          expect(error).toBeInstanceOf(UpstreamError)
        }
        for (const event of out) {
          if ('choice' in event) expect(event.choice).toBe(0)
          if (event.type === 'tool-call-delta' && event.name !== undefined) expect(event.name).toMatch(ONE_LINE)
          if (event.type === 'choice-end') expect(['stop', 'length', 'tool_calls']).toContain(event.reason)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
