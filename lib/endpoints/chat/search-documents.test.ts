import { expect, test } from 'vitest'
import { documentEvents, shiftToolCalls } from '@/lib/endpoints/chat/stages'

test('what was found becomes one tool call with its arguments as JSON', () => {
  const call = documentEvents(
    [
      { title: 'Forecast', url: 'https://weather.example/', content: 'Rain [DONE]\n"soon"', date: '2026-07-18' },
      { title: 'Climate', url: 'https://climate.example/' },
    ],
    2,
  )
  expect(call).toMatchObject({
    type: 'tool-call-delta',
    choice: 2,
    index: 0,
    id: expect.stringMatching(/^call_[0-9a-f]{24}$/),
    name: 'service_web_search_documents',
  })
  expect(JSON.parse('arguments' in call ? call.arguments : '')).toEqual({
    documents: [
      {
        id: '0',
        title: 'Forecast',
        url: 'https://weather.example/',
        snippet: 'Rain [DONE]\n"soon"',
        published_at: '2026-07-18',
      },
      { id: '1', title: 'Climate', url: 'https://climate.example/', snippet: '', published_at: null },
    ],
  })
})

test('the model’s own calls come after it', () => {
  const call = { type: 'tool-call-delta', choice: 0, index: 0, name: 'get_weather', arguments: '' } as const
  expect(shiftToolCalls(call)).toEqual([{ ...call, index: 1 }])
  const text = { type: 'text-delta', choice: 0, text: 'Rain' } as const
  expect(shiftToolCalls(text)).toEqual([text])
})
