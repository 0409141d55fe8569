import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** What the upstream does with one request. Everything left out is the plain case. */
export type Script = {
  text?: string
  reasoning?: string
  /** Pieces of about four characters a second; 0 sends all at once. */
  tokensPerSecond?: number
  /** Silence before the first byte. */
  delayMs?: number
  /** Silences, each after so many pieces, for `ms` or until `ended`. */
  stall?: Stall | readonly Stall[]
  /** The socket is cut after so many pieces. */
  cutAfterPieces?: number
  /** An error event after so many pieces. */
  failAfterPieces?: number
  /** Refuses instead of answering. */
  error?: { status: number; message: string; code?: string; retryAfterSeconds?: number }
  cachedTokens?: number
  finishReason?: 'stop' | 'length'
}

type Stall = { afterPieces: number; ms?: number; ended?: Promise<unknown> }

export type UpstreamRequest = {
  body: { model: string; stream?: boolean; messages: { role: string; content: unknown }[] } & Record<string, unknown>
  /** Set when the other side went away before the end. */
  wasLeft: boolean
}

export type ScriptedUpstream = {
  /** For `baseUrls` of a models file. */
  baseUrl: string
  requests: UpstreamRequest[]
  /** Answers the next request so; called several times, the next ones in turn. */
  next(script: Script): void
  /** Answers all requests so that have no script of their own. */
  otherwise(script: Script): void
  /** Forgets all scripts and requests. */
  reset(): void
  close(): Promise<void>
}

const CHARS_PER_PIECE = 4
/** Longer than a journey needs to leave. */
const STALL_MS = 60_000
const MAX_BODY_BYTES = 4 * 1024 * 1024
const PLAIN: Script = { text: 'The tide comes in, the tide goes out.', tokensPerSecond: 60 }

/** A silence past the middle of a text: however slow the page is, there is a middle to leave it in. */
export const stallInMiddle = (text: string): Stall => ({
  afterPieces: Math.round((text.length / CHARS_PER_PIECE) * 0.6),
})

/**
 * An OpenAI-compatible model server that plays scripts: settable speed, silences, cuts and errors. Give its address to
 * an engine of a models file, and the page is tested through the real service.
 */
export async function startScriptedUpstream(port = 0): Promise<ScriptedUpstream> {
  const queue: Script[] = []
  const requests: UpstreamRequest[] = []
  let standing = PLAIN
  const server = createServer((request, response) => {
    void serve(request, response, requests, () => queue.shift() ?? standing).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    next: (script) => void queue.push(script),
    otherwise: (script) => {
      standing = script
    },
    reset: () => {
      queue.length = 0
      requests.length = 0
      standing = PLAIN
    },
    close: () => closeServer(server),
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  requests: UpstreamRequest[],
  takeScript: () => Script,
): Promise<void> {
  if (request.method === 'GET' && request.url === '/v1/models') {
    return sendJson(response, 200, { object: 'list', data: [{ id: 'scripted', object: 'model', owned_by: 'test' }] })
  }
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    return sendJson(response, 404, { error: { message: 'Not found', code: 'not_found' } })
  }
  const record: UpstreamRequest = { body: JSON.parse(await bodyOf(request)), wasLeft: false }
  requests.push(record)
  response.on('close', () => {
    record.wasLeft = !response.writableFinished
  })
  const script = takeScript()
  if (script.delayMs) await sleep(script.delayMs)
  if (script.error) return refuse(response, script.error)
  if (record.body.stream) return stream(response, record.body.model, script, inputTokens(record.body))
  const content = script.text ?? ''
  sendJson(response, 200, {
    ...head(record.body.model, 'chat.completion'),
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: script.finishReason ?? 'stop' }],
    usage: usageOf(script, inputTokens(record.body)),
  })
}

async function stream(response: ServerResponse, model: string, script: Script, input: number): Promise<void> {
  const chunk = head(model, 'chat.completion.chunk')
  const send = (fields: object) => response.write(`data: ${JSON.stringify({ ...chunk, ...fields })}\n\n`)
  const delta = (fields: object, finishReason: string | null = null) =>
    send({ choices: [{ index: 0, delta: fields, finish_reason: finishReason }] })
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  delta({ role: 'assistant', content: '' })

  const pieces = [
    ...cut(script.reasoning ?? '').map((text) => ({ reasoning_content: text })),
    ...cut(script.text ?? '').map((text) => ({ content: text })),
  ]
  const stalls = [script.stall ?? []].flat()
  const startedAt = performance.now()
  for (const [at, piece] of pieces.entries()) {
    if (response.destroyed) return
    if (at === script.cutAfterPieces) return void response.destroy()
    if (at === script.failAfterPieces) {
      send({ error: { message: 'The scripted engine failed.', type: 'server_error', code: 'engine_failed' } })
      return void response.end()
    }
    const stall = stalls.find(({ afterPieces }) => afterPieces === at)
    if (stall) {
      const { ms = STALL_MS, ended } = stall
      // Whoever leaves meanwhile ends it.
      await Promise.race([sleep(ms, undefined, { ref: false }), once(response, 'close'), ...(ended ? [ended] : [])])
    }
    if (script.tokensPerSecond) {
      // Paced by the clock, so that a slow timer is made up for.
      const dueMs = (at * 1000) / script.tokensPerSecond - (performance.now() - startedAt)
      if (dueMs > 1) await sleep(dueMs)
    }
    delta(piece)
  }
  delta({}, script.finishReason ?? 'stop')
  send({ choices: [], usage: usageOf(script, input) })
  response.end('data: [DONE]\n\n')
}

function refuse(
  response: ServerResponse,
  { status, message, code, retryAfterSeconds }: NonNullable<Script['error']>,
): void {
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds))
  sendJson(response, status, { error: { message, type: 'api_error', code: code ?? null } })
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const bytes of request) {
    body += bytes
    if (body.length > MAX_BODY_BYTES) throw new Error('body too large')
  }
  return body
}

function head(model: string, object: string) {
  return { id: 'chatcmpl-scripted', object, created: Math.floor(Date.now() / 1000), model }
}

function cut(text: string): string[] {
  return text.match(new RegExp(`[^]{1,${CHARS_PER_PIECE}}`, 'gu')) ?? []
}

function inputTokens(body: UpstreamRequest['body']): number {
  return Math.ceil(JSON.stringify(body.messages).length / CHARS_PER_PIECE)
}

function usageOf(script: Script, input: number) {
  const reasoning = cut(script.reasoning ?? '').length
  const output = reasoning + cut(script.text ?? '').length
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: Math.min(input, script.cachedTokens ?? 0) },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve())))
}
