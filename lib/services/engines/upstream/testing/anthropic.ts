import type { ServerResponse } from 'node:http'

type Event = { type: string } & Record<string, unknown>

/** A stream as the Messages API writes it: every event is named, and pings come in between. */
export const messageStream = (...events: Event[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

export const replyStream = (response: ServerResponse, ...events: Event[]): void =>
  void response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).end(messageStream(...events))

export const started = (usage: object = { input_tokens: 25, output_tokens: 1 }): Event => ({
  type: 'message_start',
  message: {
    id: 'msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyy',
    type: 'message',
    role: 'assistant',
    content: [],
    model: 'claude-opus-4-6',
    stop_reason: null,
    stop_sequence: null,
    usage,
  },
})

export const ping: Event = { type: 'ping' }
export const begun = (index: number, content_block: object): Event => ({
  type: 'content_block_start',
  index,
  content_block,
})
export const continued = (index: number, delta: object): Event => ({ type: 'content_block_delta', index, delta })
export const finished = (index: number): Event => ({ type: 'content_block_stop', index })
export const ended = (stop_reason: string, usage: object = { output_tokens: 15 }, more: object = {}): Event => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null, ...more },
  usage,
})
export const stopped: Event = { type: 'message_stop' }

export const said = (index: number, ...texts: string[]): Event[] => [
  begun(index, { type: 'text', text: '' }),
  ...texts.map((text) => continued(index, { type: 'text_delta', text })),
  finished(index),
]

export const thought = (index: number, text: string, signature: string): Event[] => [
  begun(index, { type: 'thinking', thinking: '', signature: '' }),
  continued(index, { type: 'thinking_delta', thinking: text }),
  continued(index, { type: 'signature_delta', signature }),
  finished(index),
]

export const called = (index: number, id: string, name: string, ...pieces: string[]): Event[] => [
  begun(index, { type: 'tool_use', id, name, input: {} }),
  continued(index, { type: 'input_json_delta', partial_json: '' }),
  ...pieces.map((partial_json) => continued(index, { type: 'input_json_delta', partial_json })),
  finished(index),
]

/** The stream of the documentation, "Basic streaming request". */
export const HELLO: Event[] = [
  started(),
  begun(0, { type: 'text', text: '' }),
  ping,
  continued(0, { type: 'text_delta', text: 'Hello' }),
  continued(0, { type: 'text_delta', text: '!' }),
  finished(0),
  ended('end_turn'),
  stopped,
]

export const refusal = (type: string, message: string): string =>
  JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy' })
