import { enableCompileCache } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseConfig } from '@/lib/kernel/config'
import { ensureBuilt } from '@/scripts/tools/build'
import { isPortFree } from '@/scripts/tools/free-port'
import { portTaken, startFault } from '@/server/announce'

// Next and React choose their build by it when they are loaded, and the server is loaded below.
Object.assign(process.env, { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' })

try {
  await start()
} catch (error) {
  console.error(startFault(error))
  process.exit(1)
}

async function start(): Promise<void> {
  // Not kept: the server reads the configuration again, with the version of the build that it runs.
  const settings = parseConfig(process.env)
  // Asked before anything that takes time.
  if (!(await isPortFree(settings.port, settings.host))) {
    console.error(portTaken(settings.port))
    process.exit(1)
  }
  if (!(await ensureBuilt(settings.root, { isCached: false }))) process.exit(1)
  // Compiled code of the packages is kept for the next start.
  enableCompileCache(path.join(settings.root, '.cache', 'compile'))
  await import(pathToFileURL(path.join(settings.root, 'dist', 'server.mjs')).href)
}
