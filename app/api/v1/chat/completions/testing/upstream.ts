import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

type Answer = (
  body: Record<string, unknown>,
  response: ServerResponse,
  request: IncomingMessage,
) => void | Promise<void>

/**
 * An OpenAI-compatible server on loopback whose next answer a test writes: the other end of the real engine. `seen` holds
 * the bodies that arrived, `left` counts replies whose reader went away.
 */
export async function scriptedUpstream() {
  const upstream = { url: '', seen: [] as Record<string, unknown>[], left: 0, answer: sayHello as Answer }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    upstream.seen.push(body)
    response.on('close', () => {
      if (!response.writableFinished) upstream.left++
    })
    await upstream.answer(body, response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return upstream
}

export const USAGE = {
  prompt_tokens: 20,
  completion_tokens: 3,
  total_tokens: 23,
  prompt_tokens_details: { cached_tokens: 8 },
}

/** Begins an event stream and gives the function that writes one chunk. */
export function beginStream(response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  return (chunk: unknown) => response.write(`data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`)
}

export const delta = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
export const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }

/** Hello, there, friend: three tokens, in the form that was asked for. */
export function sayHello({ stream: isStreaming }: Record<string, unknown>, response: ServerResponse): void {
  if (!isStreaming) {
    const message = { role: 'assistant', content: 'Hello there friend' }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE }))
    return
  }
  const write = beginStream(response)
  for (const word of ['Hello', ' there', ' friend']) write(delta(word))
  write(stop)
  write({ choices: [], usage: USAGE })
  write('[DONE]')
  response.end()
}
