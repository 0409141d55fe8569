import { Agent, type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FuzzRequest } from '@/e2e/servers/fuzz/requests'

export type FuzzReply = { status: number; headers: Headers; bytes: Buffer; text: string; ms: number }

const TIMEOUT_MS = 30_000
const MAX_REPLY_BYTES = 64_000_000

/** One connection for each that sends at a time. */
export const newAgent = (connections: number): Agent => new Agent({ keepAlive: true, maxSockets: connections })

/**
 * Sends a request as it is, whatever a better client would say to it.
 *
 * @throws Error when no whole reply comes.
 */
export async function send(
  { method, address, headers, body }: FuzzRequest,
  credentials: Record<string, string>,
  { baseUrl, agent }: { baseUrl: string; agent: Agent },
): Promise<FuzzReply> {
  const { hostname, port, pathname } = new URL(baseUrl)
  const startedAt = performance.now()
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request({
      hostname,
      port,
      path: pathname + address,
      method,
      agent,
      timeout: TIMEOUT_MS,
      headers: { ...headers, ...credentials, ...(body && { 'content-length': String(body.length) }) },
    })
    outgoing.once('response', resolve)
    outgoing.once('timeout', () => outgoing.destroy(new Error('no reply in time')))
    outgoing.once('error', reject)
    outgoing.end(body)
  })
  const bytes = decoded(incoming, await wholeBody(incoming))
  const pairs = incoming.rawHeaders.flatMap((name, at, all): [string, string][] =>
    at % 2 ? [] : [[name, all[at + 1]!]],
  )
  return {
    status: incoming.statusCode!,
    headers: new Headers(pairs),
    bytes,
    text: bytes.toString(),
    ms: performance.now() - startedAt,
  }
}

async function wholeBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_REPLY_BYTES) throw new Error('a reply without end')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function decoded({ headers }: IncomingMessage, bytes: Buffer): Buffer {
  if (bytes.length === 0) return bytes
  const encoding = headers['content-encoding']
  if (encoding === 'br') return brotliDecompressSync(bytes)
  return encoding === 'gzip' ? gunzipSync(bytes) : bytes
}

/** Longer bodies are not printed in the words of a shell. */
const MAX_PRINTED_BYTES = 1_500

/** The request for a shell; a key stands there by the name of its variable. */
export function curlOf(
  { method, address, headers, body, caller }: FuzzRequest,
  credentials: Record<string, string>,
): string {
  const isKey = caller.endsWith('KEY')
  const all = Object.entries({ ...headers, ...(isKey ? { authorization: `Bearer $${caller}` } : credentials) })
  const lines = all.flatMap(([name, value]) => [value].flat().map((one) => `-H "${shown(`${name}: ${one}`)}"`))
  const encoded = body?.subarray(0, MAX_PRINTED_BYTES).toString('base64')
  const rest = (body?.length ?? 0) - MAX_PRINTED_BYTES
  const data = encoded === undefined ? [] : ['--data-binary @-']
  const command = ['curl -i -X', method, ...lines, ...data, `"$BASE_URL${shown(address)}"`].join(' ')
  if (encoded === undefined) return command
  return `echo ${encoded} | base64 -d | ${command}${rest > 0 ? ` # ${rest} bytes are left out` : ''}`
}

const shown = (text: string): string => text.slice(0, 300).replace(/["\\`]/g, '\\$&')
