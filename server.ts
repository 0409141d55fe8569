import cluster from 'node:cluster'
import { closeDb, getDb } from '@/lib/db/client'
import { config } from '@/lib/kernel/config'
import { prepareDataFolder } from '@/lib/kernel/data-folder'
import { announce, prepareDefaultModel, prepareEmbeddedModel, startFault } from '@/server/announce'
import { runWorkers } from '@/server/cluster'
import { startSandbox } from '@/server/sandbox'
import { serve } from '@/server/serve'

async function main(): Promise<void> {
  const { workers, root, drainGraceMs } = config()
  if (cluster.isWorker || workers === 1) {
    await serve({ isDevelopment: false })
    if (cluster.isWorker) return
    await announce()
    await prepareEmbeddedModel()
    return
  }
  await prepareDataFolder()
  // Migrates once, and has the local chains, before the workers come. The chains end with this process.
  await Promise.all([getDb(), startSandbox()])
  await runWorkers({ count: workers, root, drainGraceMs })
  await announce()
  await closeDb()
  // The workers offer it when it is there.
  await prepareDefaultModel()
}

// Awaited here: a start that is left hanging then ends with a fault of Node's, and not as if all were well.
await main().catch((error: unknown) => {
  process.stderr.write(`${startFault(error)}\n`)
  process.exit(1)
})
