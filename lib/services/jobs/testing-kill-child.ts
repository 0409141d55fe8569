import { setTimeout as sleep } from 'node:timers/promises'
import { type DatabaseOptions, openDatabase } from '@/lib/db/client'
import { EngineError } from '@/lib/services/engines/engine'
import { createRowStore } from '@/lib/services/jobs/media-store'
import { oneChunk } from '@/lib/services/jobs/testing'
import { startWorker } from '@/lib/services/jobs/worker'

const database = await openDatabase(JSON.parse(process.argv[2] ?? '') as DatabaseOptions)

startWorker({
  database,
  store: createRowStore(database),
  places: 6,
  handlers: {
    video: async (job, { note, signal }) => {
      const { isBad } = job.input as { isBad: boolean }
      if (job.ref === undefined) {
        await note({ begun: job.id })
        process.stdout.write(`begun ${job.id}\n`)
      } else {
        process.stdout.write(`resumed ${job.id}\n`)
      }
      await sleep(Math.random() * 60, undefined, { signal })
      if (isBad) throw new EngineError('content-policy', 'The model refused this content.')
      return { type: 'video/mp4', bytes: oneChunk(`film of ${job.id}`) }
    },
  },
})
