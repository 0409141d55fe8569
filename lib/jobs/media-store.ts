import 'server-only'
import path from 'node:path'
import { getDb } from '@/lib/db/client'
import type { MediaStore } from '@/lib/jobs/media'
import { createFileStore } from '@/lib/jobs/media-files'
import { createRowStore } from '@/lib/jobs/media-rows'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'

/**
 * Where this process keeps the files of jobs: beside the embedded database, which one process has, on its disk; where
 * processes share a PostgreSQL, and may be on different machines, in that.
 */
export async function mediaStore(): Promise<MediaStore> {
  const database = await getDb()
  if (database.kind === 'postgres') return createRowStore(database)
  return perProcess('job-media', () => createFileStore(path.join(config().dataDir, 'job-media')))
}
