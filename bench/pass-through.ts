import { Agent, createServer, type IncomingMessage, request as requestUpstream, type ServerResponse } from 'node:http'
import { type Calls, listen, serveParent } from '@/bench/children'

/**
 * Runs as a process of its own: what plain Node needs to hand a request on and its answer back, bytes as they come,
 * without looking at anything. The measure that our server is held against.
 */
export type PassThroughCalls = Calls & { listen: (upstreamPort: number) => Promise<number> }

const agent = new Agent({ keepAlive: true, maxSockets: 1_024 })
let upstreamPort = 0

const server = createServer({ noDelay: true }, forward)
server.keepAliveTimeout = 60_000

serveParent({
  async listen(port: number) {
    upstreamPort = port
    return listen(server)
  },
} satisfies PassThroughCalls)

function forward(request: IncomingMessage, response: ServerResponse): void {
  const { host: _, connection: __, ...headers } = request.headers
  const upstream = requestUpstream(
    { agent, host: '127.0.0.1', port: upstreamPort, method: request.method, path: request.url, headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    },
  )
  upstream.once('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
  response.once('close', () => {
    if (!response.writableFinished) upstream.destroy()
  })
  request.pipe(upstream)
}
