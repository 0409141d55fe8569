import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that systems give to outgoing connections, which could take a port between here and its use. */
const LOWEST = 12_000
const HIGHEST = 30_000
const MAX_TRIES = 50

/** A port of loopback that nothing listens on. Whoever asked should use it soon. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST))
    if (await isPortFree(port, '127.0.0.1')) return port
  }
  throw new Error(`no free port among ${MAX_TRIES} between ${LOWEST} and ${HIGHEST}`)
}

/** Whether a server could listen there now. */
export async function isPortFree(port: number, host: string): Promise<boolean> {
  const probe = createServer().listen({ port, host, exclusive: true })
  try {
    await once(probe, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
  probe.close()
  await once(probe, 'close')
  return true
}
