import { buildSandbox, writeRouteTable } from '@/scripts/tools/build'
import { announce, startFault } from '@/server/announce'
import { serve } from '@/server/serve'

Object.assign(process.env, { NODE_ENV: 'development', NEXT_TELEMETRY_DISABLED: '1' })

try {
  await writeRouteTable(process.cwd())
  await buildSandbox(process.cwd())
  await serve({ isDevelopment: true })
  await announce()
} catch (error) {
  console.error(startFault(error))
  process.exit(1)
}
