import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import next from 'next'
import { type Calls, serveParent } from '@/bench/children'
import { loadCatalogue } from '@/lib/services/models/catalogue'

/** Runs as a process of its own: the built pages and API routes, all answered by Next, without our front. */
export type NextCalls = Calls & { listen: () => Promise<number> }

serveParent({
  async listen() {
    await loadCatalogue()
    const app = next({ dev: false, dir: process.cwd(), quiet: true })
    await app.prepare()
    const handle = app.getRequestHandler()
    const server = createServer((request, response) => void handle(request, response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  },
} satisfies NextCalls)
