import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { listen, serveParent } from '@/bench/children'
import { answerText, type MockCalls, type Plan, TOKEN } from '@/bench/settings'

/** Runs as a process of its own: an OpenAI-compatible server whose answers cost almost nothing to make. */

const HEAD = { id: 'chatcmpl-mock', created: 1_784_332_800, model: 'mock' }
const BYTES_PER_TOKEN = 4

let plan: Plan = { tokens: 1, paceMs: 0, firstTokenMs: 0, tokensPerEvent: 1, hasOwnWrites: false }
const stats = { requests: 0, left: 0, running: 0 }

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.destroy(error as Error))
})
server.keepAliveTimeout = 60_000

serveParent({
  listen: () => listen(server),
  plan(wanted: Plan) {
    plan = wanted
  },
  stats: () => ({ ...stats }),
} satisfies MockCalls)

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  stats.requests++
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  const promptTokens = Math.ceil(text.length / BYTES_PER_TOKEN)
  // Small answers are looked at without parsing: a mock that is itself the bottleneck measures nothing.
  const isStreaming = /"stream":\s*true/.test(text)
  if (isStreaming) await stream(response, promptTokens, plan)
  else await whole(response, promptTokens, plan)
}

async function whole(response: ServerResponse, promptTokens: number, { firstTokenMs, ...now }: Plan): Promise<void> {
  if (firstTokenMs > 0) await sleep(firstTokenMs)
  const message = { role: 'assistant', content: answerText(now) }
  const body = JSON.stringify({
    ...HEAD,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'stop', logprobs: null }],
    usage: usage(promptTokens, now.tokens),
  })
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body)
}

async function stream(response: ServerResponse, promptTokens: number, now: Plan): Promise<void> {
  stats.running++
  let isComplete = false
  response.once('close', () => {
    stats.running--
    if (!isComplete) stats.left++
  })
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  if (now.firstTokenMs > 0) {
    response.flushHeaders()
    await sleep(now.firstTokenMs)
  }
  response.write(event({ role: 'assistant', content: '' }))
  const written =
    now.text === undefined ? await writeTokens(response, now) : await writeText(response, now.text, now.paceMs)
  if (response.destroyed) return
  isComplete = true
  response.write(event({}, 'stop'))
  response.write(frame({ ...HEAD, object: 'chat.completion.chunk', choices: [], usage: usage(promptTokens, written) }))
  response.end('data: [DONE]\n\n')
}

async function writeTokens(response: ServerResponse, now: Plan): Promise<number> {
  const token = event({ content: TOKEN.repeat(now.tokensPerEvent) })
  for (let sent = 0; sent < now.tokens && !response.destroyed; sent += now.tokensPerEvent) {
    const hasRoom = response.write(token)
    if (now.paceMs > 0) await sleep(now.paceMs)
    else if (now.hasOwnWrites) await nextTurn()
    else if (!hasRoom) await Promise.race([once(response, 'drain'), once(response, 'close')])
  }
  return now.tokens
}

/** Writes a text at an even pace: what a timer was late for comes with the next token. @returns the tokens written */
async function writeText(response: ServerResponse, text: string, paceMs: number): Promise<number> {
  const startedAt = performance.now()
  let sent = 0
  while (sent < text.length && !response.destroyed) {
    const due = paceMs > 0 ? Math.ceil((performance.now() - startedAt) / paceMs) * BYTES_PER_TOKEN : text.length
    for (; sent < Math.min(due, text.length); sent += BYTES_PER_TOKEN) {
      response.write(event({ content: text.slice(sent, sent + BYTES_PER_TOKEN) }))
    }
    await sleep(Math.max(1, paceMs / 2))
  }
  return Math.ceil(text.length / BYTES_PER_TOKEN)
}

function event(delta: object, finish: string | null = null): string {
  const choice = { index: 0, delta, logprobs: null, finish_reason: finish }
  return frame({ ...HEAD, object: 'chat.completion.chunk', choices: [choice] })
}

const frame = (value: object): string => `data: ${JSON.stringify(value)}\n\n`

const usage = (prompt: number, completion: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
})
