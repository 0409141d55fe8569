import { expect, test } from 'vitest'
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

const typesOf = (stream: string): string[] =>
  readEvents(stream).map(
    ({ type, output_index: at }) => type.replace('response.', '') + (at === undefined ? '' : ` ${at}`),
  )

test('a plain answer: each event in its place, with its fields', () => {
  const events = readEvents(streamOf([text('Rain "x"'), text('\n.'), ends()]))
  const id = events[2]!.item.id
  expect(id).toMatch(/^msg_[0-9a-f]{24}$/)
  const place = { output_index: 0, item_id: id, content_index: 0 }
  const part = { type: 'output_text', text: 'Rain "x"\n.', annotations: [] }
  const message = { type: 'message', id, status: 'completed', role: 'assistant', content: [part] }
  const head = { id: 'resp_1', object: 'response', created_at: 7, model: 'atlas' }
  expect(events).toEqual(
    [
      { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } },
      { type: 'response.in_progress', response: { ...head, status: 'in_progress', output: [] } },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { ...message, status: 'in_progress', content: [] },
      },
      { type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '', annotations: [] } },
      { type: 'response.output_text.delta', ...place, delta: 'Rain "x"' },
      { type: 'response.output_text.delta', ...place, delta: '\n.' },
      { type: 'response.output_text.done', ...place, text: 'Rain "x"\n.' },
      { type: 'response.content_part.done', ...place, part },
      { type: 'response.output_item.done', output_index: 0, item: message },
      {
        type: 'response.completed',
        response: {
          ...head,
          status: 'completed',
          output: [message],
          usage: {
            input_tokens: 9,
            output_tokens: 5,
            total_tokens: 14,
            input_tokens_details: { cached_tokens: 4 },
            output_tokens_details: { reasoning_tokens: 2 },
          },
          cost: { diem: 0, usd: 0.0000066 },
          service_parameters: { include_search_results_in_stream: false, web_search_citations: [] },
        },
      },
    ].map((event, sequence_number) => ({ ...event, sequence_number })),
  )
})

test('thoughts, a text and calls: what begins first has the first index, and all end at the end', () => {
  const stream = streamOf([
    thought('hm'),
    text('I add.'),
    call(0, '', 'call_1', 'add'),
    call(0, '{}'),
    ends('tool_calls'),
  ])
  expect(typesOf(stream)).toEqual([
    'created',
    'in_progress',
    'output_item.added 0',
    'reasoning_summary_part.added 0',
    'reasoning_summary_text.delta 0',
    'output_item.added 1',
    'content_part.added 1',
    'output_text.delta 1',
    'output_item.added 2',
    'function_call_arguments.delta 2',
    'reasoning_summary_text.done 0',
    'reasoning_summary_part.done 0',
    'output_item.done 0',
    'output_text.done 1',
    'content_part.done 1',
    'output_item.done 1',
    'function_call_arguments.done 2',
    'output_item.done 2',
    'completed',
  ])
  const events = readEvents(stream)
  expect(events.find(({ type }) => type === 'response.function_call_arguments.done')).toMatchObject({
    name: 'add',
    arguments: '{}',
  })
  expect(events.at(-1)!.response.output).toMatchObject([
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
    { type: 'message', status: 'completed' },
    { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{}', status: 'completed' },
  ])
})

test('calls whose pieces come mixed stay apart', () => {
  const mixed = [call(0, '{', 'a', 'add'), call(1, '[', 'b', 'mul'), call(0, '}'), call(1, ']'), ends('tool_calls')]
  const events = readEvents(streamOf(mixed))
  expect(addUp(events)).toEqual(events.at(-1)!.response.output)
  expect(events.at(-1)!.response.output).toMatchObject([
    { call_id: 'a', arguments: '{}' },
    { call_id: 'b', arguments: '[]' },
  ])
})

test('a search is the first item of a stream, whole when it is told of', () => {
  expect(typesOf(streamOf([found(), thought('hm'), text('Rain.'), ends()], runOf(CITATIONS)))).toEqual([
    'created',
    'in_progress',
    'output_item.added 0',
    'web_search_call.in_progress 0',
    'web_search_call.searching 0',
    'web_search_call.completed 0',
    'output_item.done 0',
    'output_item.added 1',
    'reasoning_summary_part.added 1',
    'reasoning_summary_text.delta 1',
    'output_item.added 2',
    'content_part.added 2',
    'output_text.delta 2',
    'reasoning_summary_text.done 1',
    'reasoning_summary_part.done 1',
    'output_item.done 1',
    'output_text.done 2',
    'content_part.done 2',
    'output_item.done 2',
    'completed',
  ])
})

test('a search in the middle of an answer, and one after which nothing was said', () => {
  const middle = typesOf(streamOf([text('Let me see. '), found(), text('Rain.'), ends()], runOf(CITATIONS)))
  expect(middle.slice(4, 11)).toEqual([
    'output_text.delta 0',
    'output_item.added 1',
    'web_search_call.in_progress 1',
    'web_search_call.searching 1',
    'web_search_call.completed 1',
    'output_item.done 1',
    'output_text.delta 0',
  ])
  const silent = readEvents(streamOf([found(), ends()], runOf(CITATIONS)))
  expect(silent.at(-1)!.response.output).toEqual([
    {
      type: 'web_search_call',
      id: expect.stringMatching(/^ws_/),
      status: 'completed',
      action: { type: 'search', query: 'tides' },
    },
  ])
})

test('a search that failed is an item that failed, and one that was not needed is none', () => {
  const events = (status: 'failed' | 'not_needed') =>
    readEvents(streamOf([{ type: 'search-results', status, citations: [] }, text('I could not look.'), ends()]))
  expect(events('failed').at(-1)!.response.output[0]).toMatchObject({ type: 'web_search_call', status: 'failed' })
  expect(events('failed').map(({ type }) => type)).not.toContain('response.web_search_call.completed')
  expect(events('not_needed').at(-1)!.response.output).toMatchObject([{ type: 'message' }])
})

test('what a vendor’s own search found is a search too, told once', () => {
  const sources = { type: 'sources' as const, sources: CITATIONS, results: 2 }
  const types = typesOf(streamOf([text('Rain.'), sources, sources, ends()], runOf(CITATIONS)))
  expect(types.filter((type) => type.startsWith('web_search_call.completed'))).toHaveLength(1)
  expect(typesOf(streamOf([{ type: 'sources', sources: [], results: 0 }]))).toEqual([
    'created',
    'in_progress',
    'completed',
  ])
})

test('the results of a search are in its event only where they were asked for', () => {
  const events = [found(), text('Rain.'), ends()]
  const resultsOf = (showsResults: boolean) =>
    readEvents(streamOf(events, runOf(CITATIONS), workOf({ showsResults }))).find(({ type }) =>
      type.endsWith('web_search_call.completed'),
    )?.results
  expect(resultsOf(true)).toEqual(CITATIONS)
  expect(resultsOf(false)).toBeUndefined()
})

test('citation marks are annotations, and those that are not in the list are text', () => {
  const said = '🌊 High [REF]1[/REF], low [REF]7[/REF] [REF]0[/REF].'
  const [message] = readEvents(streamOf([found(), text(said), ends()], runOf(CITATIONS)))
    .at(-1)!
    .response.output.filter(({ type }) => type === 'message')
  const { annotations, text: whole } = (message as { content: { annotations: Annotation[]; text: string }[] })
    .content[0]!
  expect(annotations.map(({ start_index, end_index, ...rest }) => [whole.slice(start_index, end_index), rest])).toEqual(
    [
      ['[REF]1[/REF]', { type: 'url_citation', url: 'https://moon.example/', title: 'Moon' }],
      ['[REF]0[/REF]', { type: 'url_citation', url: 'https://tides.example/', title: 'Tides' }],
    ],
  )
})

type Annotation = { start_index: number; end_index: number }

test('an answer that its bound cut is incomplete, and so is the item that was under way', () => {
  const events = readEvents(streamOf([thought('hm'), text('Half'), ends('length')]))
  expect(events.at(-1)).toMatchObject({
    type: 'response.incomplete',
    response: {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ type: 'reasoning' }, { type: 'message', status: 'incomplete' }],
    },
  })
})

test('the arguments of a call that was cut are never told to be done', () => {
  const cut = [call(0, '{}', 'a', 'add'), call(1, '{"ha', 'b', 'add'), ends('length')]
  const events = readEvents(streamOf(cut))
  expect(events.filter(({ type }) => type === 'response.function_call_arguments.done')).toHaveLength(1)
  expect(events.at(-1)!.response.output).toMatchObject([{ status: 'completed' }, { status: 'incomplete' }])
})

test('a failure in mid-stream ends it: what was said stays, nothing of it is done', () => {
  const writer = createEventWriter(runOf(), workOf())
  const stream =
    writer.write([text('Half'), call(0, '{"ha', 'a', 'add')]) +
    writer.fail({ code: 'INFERENCE_FAILED', message: 'It broke.' })
  expect(typesOf(stream)).toEqual([
    'created',
    'in_progress',
    'output_item.added 0',
    'content_part.added 0',
    'output_text.delta 0',
    'output_item.added 1',
    'function_call_arguments.delta 1',
    'failed',
  ])
  expect(readEvents(stream).at(-1)!.response).toMatchObject({
    status: 'failed',
    error: { code: 'INFERENCE_FAILED', message: 'It broke.' },
    usage: { total_tokens: 14 },
    output: [
      { type: 'message', status: 'incomplete', content: [{ text: 'Half' }] },
      { type: 'function_call', status: 'incomplete', arguments: '{"ha' },
    ],
  })
})

test('a failure before the first event is still a response that failed', () => {
  const stream = createEventWriter(runOf(), workOf()).fail({ code: 'REQUEST_TIMEOUT', message: 'Too slow.' })
  expect(typesOf(stream)).toEqual(['created', 'in_progress', 'failed'])
})

test('an answer of no words is complete and empty', () => {
  expect(readEvents(streamOf([ends()])).map(({ type, response }) => [type, response.output])).toEqual([
    ['response.created', []],
    ['response.in_progress', []],
    ['response.completed', []],
  ])
})

test('nothing of an answer comes after its end, and other choices are not told', () => {
  const late = streamOf([text('Rain.'), ends(), text('late'), { type: 'text-delta', choice: 1, text: 'other' }])
  expect(late).not.toMatch(/late|other/)
})

test('sealed thoughts are given where they were asked for', () => {
  const details = {
    type: 'reasoning-details' as const,
    choice: 0,
    details: [{ type: 'reasoning.encrypted', data: 'x9' }],
  }
  const outputOf = (givesSealedThoughts: boolean) =>
    readEvents(streamOf([details, text('Six.'), ends()], runOf(), workOf({ givesSealedThoughts }))).at(-1)!.response
      .output
  expect(outputOf(true)[0]).toMatchObject({ type: 'reasoning', summary: [], encrypted_content: 'x9' })
  expect(outputOf(false).map(({ type }) => type)).toEqual(['message'])
})

test('a call without an id gets one', () => {
  const [item] = readEvents(streamOf([call(0, '{}', '', 'add'), ends()])).at(-1)!.response.output
  expect(item).toMatchObject({ call_id: expect.stringMatching(/^call_[0-9a-f]{24}$/) })
})

test('the end mark inside a text ends nothing, and no line break of a model makes a frame', () => {
  const evil = 'data: [DONE]\n\nevent: response.completed\ndata: {}\n\n\r\n\u2028'
  const stream = streamOf([text(evil), call(0, evil, 'a', 'add'), ends()])
  expect(stream).not.toContain('[DONE]')
  expect(addUp(readEvents(stream))).toMatchObject([{ content: [{ text: evil }] }, { arguments: evil }])
})

test('the receipt may be missing: the price is, the response is not', () => {
  const writer = createEventWriter(runOf(), workOf())
  const [response] = readEvents(writer.write([text('x')]) + writer.end(undefined)).slice(-1)
  expect(response!.response).not.toHaveProperty('cost')
  expect(readEvents(streamOf([text('x')])).at(-1)!.response).toHaveProperty('cost', {
    diem: 0,
    usd: Number(RECEIPT.usd) / 1e9,
  })
})
