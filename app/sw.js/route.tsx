import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { config } from '@/lib/kernel/config'

/** Read when it is asked for: the build has its id only when it is done. */
export const dynamic = 'force-dynamic'

/**
 * The head of the service worker. It names the build, so that browsers see that there is another one; the rest is
 * `public/service-worker.js`. Served from the root, because a worker looks after what is below its own address.
 */
export async function GET(): Promise<Response> {
  const build = await buildId()
  // In development pages change all the time, and none is kept.
  if (build === undefined) return new Response('', { status: 404 })
  const file = `/service-worker.js?${encodeURIComponent(build)}`
  return new Response(`self.BUILD = ${JSON.stringify(build)}\nimportScripts(${JSON.stringify(file)})\n`, {
    headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' },
  })
}

async function buildId(): Promise<string | undefined> {
  if (process.env.NODE_ENV !== 'production') return undefined
  const id = await readFile(path.join(config().root, '.next', 'BUILD_ID'), 'utf8').catch(() => undefined)
  return id?.trim()
}
