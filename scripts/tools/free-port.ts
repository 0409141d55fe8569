import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the ports that systems give to outgoing connections, which could take one between its choice and its use.
const MIN_PORT = 12_000
const MAX_PORT = 30_000
const MAX_TRIES = 50

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const port = MIN_PORT + Math.floor(Math.random() * (MAX_PORT - MIN_PORT))
    if (await isPortFree(port, '127.0.0.1')) return port
  }
  throw new Error(`no free port among ${MAX_TRIES} between ${MIN_PORT} and ${MAX_PORT}`)
}

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
