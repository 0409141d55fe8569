import { describe, expect, test } from 'vitest'
import { ToolCallStream } from '@/lib/services/engines/embedded/chat/choice-writer'

function read(pieces: string[], isWhole = true) {
  const stream = new ToolCallStream()
  const given = [...pieces.map((piece) => stream.push(piece)), stream.flush(isWhole)].filter(
    (piece) => piece !== undefined,
  )
  return { names: given.flatMap(({ name }) => name ?? []), text: given.map((piece) => piece.arguments).join('') }
}

describe('a tool call that is being written', () => {
  const call = '{"name": "get_weather", "arguments": {"city": "Paris", "near": {"sea": true}}}'
  const args = '{"city": "Paris", "near": {"sea": true}}'

  test.each([
    ['at once', [call]],
    ['letter by letter', [...call]],
    ['over several lines', ['{\n  "name" : "get_weather",\n  "arguments":\n', '  ', `${args}\n`, '}\n']],
  ])('gives its name once and its arguments without the outer brace, %s', (_, pieces) => {
    expect(read(pieces)).toEqual({ names: ['get_weather'], text: args })
  })

  test('keeps braces that belong to a string', () => {
    const text = '{"code": "if (a) { b }}"}'
    expect(read([...`{"name":"run","arguments":${text}}`]).text).toBe(text)
  })

  test('gives what there is when it is cut off', () => {
    expect(read(['{"name": "run", "arguments": {"a": {"b": 1}'], false).text).toBe('{"a": {"b": 1}')
  })

  test('gives nothing before its name is whole', () => {
    expect(read(['{"name": "get_wea'], false)).toEqual({ names: [], text: '' })
  })
})
