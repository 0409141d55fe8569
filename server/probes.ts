import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Handler } from '@/server/front'

export type ProbeOptions = {
  isReady: () => Promise<boolean>
  metrics: () => Promise<string>
  metricsToken: string | undefined
}

export function createProbes({ isReady, metrics, metricsToken }: ProbeOptions): ReadonlyMap<string, Handler> {
  const readyz: Handler = async (_request, response) => {
    const ready = await isReady()
    answer(response, ready ? 200 : 503, ready ? 'ready\n' : 'not ready\n')
  }
  const measured: Handler = async (request, response) => {
    if (!isBearer(request, metricsToken!)) return answer(response, 401, 'wrong token\n')
    try {
      answer(response, 200, await metrics(), 'text/plain; version=0.0.4; charset=utf-8')
    } catch {
      answer(response, 503, 'not available\n')
    }
  }
  const probes: [string, Handler][] = [
    ['/healthz', (_request, response) => answer(response, 200, 'alive\n')],
    ['/readyz', readyz],
    ['/metrics', metricsToken === undefined ? (_request, response) => answer(response, 404, 'not found\n') : measured],
  ]
  return new Map(probes)
}

function answer(
  response: ServerResponse,
  status: number,
  body: string,
  contentType = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  response.end(body)
}

/** Hashes first: the comparison needs equal lengths, and the token's length is secret. */
function isBearer(request: IncomingMessage, token: string): boolean {
  const sent = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  return sent !== undefined && timingSafeEqual(sha256(sent), sha256(token))
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
