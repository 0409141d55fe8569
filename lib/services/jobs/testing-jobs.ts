import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, expect } from 'vitest'
import type { Database } from '@/lib/db/database'
import { mediaStore } from '@/lib/services/jobs/media-store'
import { brokenJobs } from '@/lib/services/jobs/testing'
import { startWorker, type Worker, type WorkerOptions } from '@/lib/services/jobs/worker'

type ProviderRequest = {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: Record<string, unknown>
}
type Answer = (received: ProviderRequest, response: ServerResponse) => void

export async function scriptedProvider() {
  const provider = { url: '', seen: [] as ProviderRequest[], answer: (() => {}) as Answer }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const received = {
      method: request.method ?? '',
      path: (request.url ?? '').replace(/^\/v1/, ''),
      headers: request.headers,
      body: text.startsWith('{') ? JSON.parse(text) : {},
    }
    provider.seen.push(received)
    provider.answer(received, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return provider
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

export function sendBytes(response: ServerResponse, bytes: Uint8Array): void {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes.length })
  response.end(bytes)
}

export const VIDEO = Buffer.concat([
  Buffer.from([0, 0, 0, 24]),
  Buffer.from('ftypisom\0\0\0\0isommp42'),
  Buffer.alloc(5_000, 7),
])

/**
 * Starts the worker of a test. Call once, at the top of the file: after each test it stops and the queue is dropped; at
 * the end of the file the money of all jobs must fit.
 */
export function testWorker(database: Database): (handlers: WorkerOptions['handlers']) => Promise<void> {
  let worker: Worker | undefined
  afterEach(async () => {
    await worker?.stop()
    worker = undefined
    await database.query(
      `select drop_jobs(array(select id from job where state in ('queued', 'running')), 'failed', null)`,
    )
  })
  afterAll(async () => expect(await brokenJobs(database)).toEqual([]))
  return async (handlers) => {
    worker = startWorker({ database, store: await mediaStore(), handlers })
  }
}
