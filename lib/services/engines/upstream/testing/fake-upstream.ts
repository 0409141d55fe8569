import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { startLocalServer } from '@/lib/kernel/testing/local-server'
import type { ChatEngine, ChatEvent, ChatRequest } from '@/lib/services/engines/engine'

export type FakeUpstream = {
  baseUrl: string
  bodies: Record<string, unknown>[]
  readonly connections: number
  close: () => Promise<void>
}

export type FakeHandler = (request: IncomingMessage, response: ServerResponse, call: number) => unknown

export async function startUpstream(handler: FakeHandler): Promise<FakeUpstream> {
  const bodies: Record<string, unknown>[] = []
  const server = await startLocalServer(async (request, response) => {
    const call = bodies.push(JSON.parse((await text(request)) || '{}'))
    await handler(request, response, call)
  })
  return {
    baseUrl: `${server.origin}/v1`,
    bodies,
    get connections() {
      return server.connections
    },
    close: server.close,
  }
}

export const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

export const chunk = (delta: object, finish: string | null = null, more: object = {}): string =>
  frame({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  })

export const DONE = 'data: [DONE]\n\n'
export const USAGE = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 }
export const PLAIN = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Hel' }),
  chunk({ content: 'lo' }),
  chunk({}, 'stop'),
  frame({ choices: [], usage: USAGE }),
  DONE,
].join('')

type Merged = Record<string, unknown>

/** What a server that would stream these frames sends when it is asked for the answer in one body. */
export function wholeOf(frames: string): string {
  const choices: Merged[] = []
  let usage: unknown
  for (const line of frames.split('\n')) {
    if (!line.startsWith('data: {')) continue
    const chunk = JSON.parse(line.slice('data: '.length))
    usage = chunk.usage ?? usage
    for (const { index, delta, logprobs, finish_reason } of chunk.choices) {
      choices[index] ??= { index, message: { role: 'assistant', content: null }, logprobs: null, finish_reason: null }
      const choice = choices[index]
      choice.message = merged(choice.message as Merged, delta)
      if (logprobs) choice.logprobs = { content: [...contentOf(choice.logprobs), ...logprobs.content] }
      choice.finish_reason = finish_reason ?? choice.finish_reason
    }
  }
  return JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', choices, usage })
}

const contentOf = (logprobs: unknown): unknown[] => (logprobs as { content: unknown[] } | null)?.content ?? []

function merged(before: Merged | undefined, delta: Merged): Merged {
  const into: Merged = { ...before }
  for (const [name, value] of Object.entries(delta)) {
    const known = into[name]
    if (name === 'tool_calls') into.tool_calls = mergedCalls(known as Merged[] | undefined, value as Merged[])
    else if (Array.isArray(value)) into[name] = [...((known as unknown[] | undefined) ?? []), ...value]
    else if (name === 'role' || value === null) into[name] ??= value
    else if (typeof value === 'object') into[name] = merged(known as Merged | undefined, value as Merged)
    else into[name] = typeof known === 'string' ? known + value : value
  }
  return into
}

function mergedCalls(before: Merged[] = [], deltas: Merged[]): Merged[] {
  const calls = [...before]
  for (const { index, ...delta } of deltas as { index: number }[]) {
    calls[index] = calls[index] ? merged(calls[index], { function: (delta as Merged).function }) : merged({}, delta)
  }
  return calls
}

/** Answers in the form that was asked for. */
export function answerIn({ stream }: { stream?: unknown }, response: ServerResponse, frames: string): void {
  if (stream === true) sse(response, frames)
  else response.writeHead(200, { 'content-type': 'application/json' }).end(wholeOf(frames))
}

export function sse(response: ServerResponse, body: string | Buffer): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body)
}

export const request = (more: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'm',
  messages: [{ role: 'user', content: 'Hello' }],
  sampling: {},
  n: 1,
  maxTokens: 100,
  stop: [],
  extra: {},
  ...more,
})

export async function collect(engine: ChatEngine, wanted = request(), signal = new AbortController().signal) {
  const events: ChatEvent[] = []
  for await (const event of engine.stream(wanted, signal)) events.push(event)
  return events
}

export const textOf = (events: ChatEvent[]): string =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
