import { createServer } from 'node:http'
import next from 'next'
import { type Calls, listen, serveParent } from '@/bench/children'
import { loadCatalogue } from '@/lib/services/models/catalogue'

/** Runs as a process of its own: the built pages and API routes, all answered by Next, without our front. */
export type NextCalls = Calls & { listen: () => Promise<number> }

serveParent({
  async listen() {
    await loadCatalogue()
    const app = next({ dev: false, dir: process.cwd(), quiet: true })
    await app.prepare()
    const handle = app.getRequestHandler()
    return listen(createServer((request, response) => void handle(request, response)))
  },
} satisfies NextCalls)
