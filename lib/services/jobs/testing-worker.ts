import { afterAll, afterEach, expect } from 'vitest'
import type { Database } from '@/lib/db/database'
import { mediaStore } from '@/lib/services/jobs/media-store'
import { brokenJobs } from '@/lib/services/jobs/testing'
import { startWorker, type Worker, type WorkerOptions } from '@/lib/services/jobs/worker'

/**
 * Starts the worker of a test. Once per file, at its top: after each test its worker stops and what is queued still is
 * dropped; when the file ends, no job's money may be off.
 */
export function testWorker(database: Database): (handlers: WorkerOptions['handlers']) => Promise<void> {
  let worker: Worker | undefined
  afterEach(async () => {
    await worker?.stop()
    worker = undefined
    await database.query(
      `select drop_jobs(array(select id from job where state in ('queued', 'running')), 'failed', null)`,
    )
  })
  afterAll(async () => expect(await brokenJobs(database)).toEqual([]))
  return async (handlers) => {
    worker = startWorker({ database, store: await mediaStore(), handlers })
  }
}
