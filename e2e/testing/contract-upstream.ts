import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  answerIn,
  chunk,
  DONE,
  type FakeUpstream,
  frame,
  startUpstream,
  wholeOf,
} from '@/lib/services/engines/upstream/testing/fake-upstream'

/** What stands in the upstream's credentials and error texts, and must not reach anybody. */
export const UPSTREAM_SECRET = 'sk-upstream-8c1f0d7e5b3a'

export const SPOKEN = ['The ', 'tide ', 'comes ', 'in.']
export const USAGE = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }
/** At the prices of the stage's models, 1 and 2 USD a million. In nano-dollars. */
export const COST_NANO = 9n * 1_000n + 4n * 2_000n

/** As a model writes that was asked to cite, in the pieces in which it streams. */
const CITING = [
  'High water is at 07:42 [R',
  'EF]0[/REF][REF',
  ']9[/REF], they say [ref] 1 [/ref]',
  ' and [REF]-1[/REF] so.',
]
const TELLING = 'On Friday, high water at Saint Malo is at 07:42, with a coefficient of 108.'

const SLOW_TOKENS = 500
const SLOW_PACE_MS = 20
const LONG_TOKENS = 500_000

type Body = {
  messages: { role: string; content: unknown }[]
  tools?: unknown[]
  response_format?: { type: string }
  stream?: boolean
}
type Behaviour = (response: ServerResponse, body: Body) => unknown

export type ContractUpstream = FakeUpstream & {
  /** Streams whose reader went away, and streams that run now. */
  streams: { left: number; running: number }
}

/** An upstream that behaves as the model's name says: well, or in one of the ways in which servers misbehave. */
export async function startContractUpstream(): Promise<ContractUpstream> {
  const streams = { left: 0, running: 0 }
  const upstream = await startUpstream(async (_request: IncomingMessage, response, call) => {
    const body = upstream.bodies[call - 1] as Body & { model: string }
    streams.running++
    response.once('close', () => {
      streams.running--
      if (!response.writableFinished) streams.left++
    })
    await (BEHAVIOURS[body.model] ?? notFound)(response, body)
  })
  return Object.assign(upstream, { streams })
}

const open = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })
const say = (text: string) => chunk({ content: text })
const spoken = () => chunk({ role: 'assistant', content: '' }) + SPOKEN.map(say).join('')
const end = (usage: object = USAGE) => chunk({}, 'stop') + frame({ choices: [], usage }) + DONE

function refuse(status: number, message: string, headers: Record<string, string> = {}): Behaviour {
  const body = JSON.stringify({ error: { message, type: 'server_error', code: 'upstream_code' } })
  return (response) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

const notFound = refuse(404, 'The model does not exist')

export const BEHAVIOURS: Record<string, Behaviour> = {
  say: (response, body) => {
    const { response_format: format } = body
    answerIn(body, response, (format && format.type !== 'text' ? say('{"city":"Brest"}') : spoken()) + end())
  },
  tools: (response, body) => {
    const result = body.messages.findLast(({ role }) => role === 'tool')
    if (result) return answerIn(body, response, say(`It is ${result.content}.`) + end())
    const call = { index: 0, id: 'call_tide', type: 'function', function: { name: 'get_tide', arguments: '' } }
    const argument = (text: string) => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] })
    const calls =
      chunk({ role: 'assistant', content: null, tool_calls: [call] }) + argument('{"har') + argument('bour":"Brest"}')
    return answerIn(body, response, calls + chunk({}, 'tool_calls') + frame({ choices: [], usage: USAGE }) + DONE)
  },
  slow: async (response, { stream }) => {
    if (stream) open(response)
    for (let sent = 0; sent < SLOW_TOKENS && !response.destroyed; sent++) {
      if (stream) response.write(say(`${sent} `))
      await sleep(SLOW_PACE_MS)
    }
    const ending = end({ prompt_tokens: 9, completion_tokens: SLOW_TOKENS, total_tokens: SLOW_TOKENS + 9 })
    response.end(stream ? ending : wholeOf(ending))
  },
  long: async (response) => {
    open(response)
    const events = new EventTarget()
    for (const name of ['drain', 'close']) response.on(name, () => events.dispatchEvent(new Event('go')))
    for (let sent = 0; sent < LONG_TOKENS && !response.destroyed; sent++) {
      if (response.write(say('flood '))) continue
      await new Promise((resolve) => events.addEventListener('go', resolve, { once: true }))
    }
    response.end(DONE)
  },
  thinks: (response, body) => answerIn(body, response, say('<think>three times ') + say('two</think>\n\nSix.') + end()),
  done: (response, body) => answerIn(body, response, say('data: [DONE]\n\ndata: [DONE]') + end()),

  // With sources at hand: marks that are right, written wrongly, made up, and cut; and an answer that follows one without a mark.
  cites: (response, body) => answerIn(body, response, CITING.map(say).join('') + end()),
  tells: (response, body) => answerIn(body, response, say(TELLING) + end()),

  silent: () => undefined,
  'silent-mid': (response) => open(response).write(spoken()),
  reset: (response) => response.socket?.resetAndDestroy(),
  'reset-mid': async (response) => {
    open(response).write(spoken())
    await sleep(50)
    response.socket?.resetAndDestroy()
  },
  'no-end': (response, body) => answerIn(body, response, spoken()),
  garbage: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>It works!</html>'),
  'garbage-mid': (response) => open(response).end(`${spoken()}data: {"choices":[{"del\u0000\n\n`),
  'error-mid': (response) =>
    open(response).end(spoken() + frame({ error: { message: `broken ${UPSTREAM_SECRET}`, code: 500 } })),
  'error-401': refuse(401, `Incorrect API key provided: ${UPSTREAM_SECRET}`),
  'error-429': refuse(429, 'Slow down', { 'retry-after': '7' }),
  'error-500': refuse(500, `Error: boom\n    at handler (/srv/upstream/index.js:10:5) ${UPSTREAM_SECRET}`),
  'error-503': refuse(503, 'Overloaded'),
  'no-usage': (response, body) => answerIn(body, response, spoken() + chunk({}, 'stop') + DONE),
  'usage-huge': (response, body) =>
    answerIn(body, response, spoken() + end({ prompt_tokens: 1e15, completion_tokens: 1e15 })),
  'usage-negative': (response, body) =>
    answerIn(body, response, spoken() + end({ prompt_tokens: -5, completion_tokens: -7 })),
  'usage-words': (response, body) =>
    answerIn(body, response, spoken() + end({ prompt_tokens: 'many', completion_tokens: null })),
  'usage-fraction': (response, body) =>
    answerIn(body, response, spoken() + end({ prompt_tokens: 1.5, completion_tokens: 0.5 })),
}
