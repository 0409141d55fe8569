import 'server-only'
import path from 'node:path'
import { getDb } from '@/lib/db/client'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'
import type { MediaStore } from '@/lib/services/jobs/media'
import { createFileStore } from '@/lib/services/jobs/media-files'
import { createRowStore } from '@/lib/services/jobs/media-rows'

/**
 * Where this process keeps the files of jobs: beside the embedded database, which one process has, on its disk; where
 * processes share a PostgreSQL, and may be on different machines, in that.
 */
export async function mediaStore(): Promise<MediaStore> {
  const database = await getDb()
  if (database.kind === 'postgres') return createRowStore(database)
  return perProcess('job-media', () => createFileStore(path.join(config().dataDir, 'job-media')))
}
