import 'server-only'
import { inBlocks } from '@/lib/access/window-blocks'
import { memoryWindows, type WindowStore } from '@/lib/access/window-store'
import { sharedByPostgres } from '@/lib/access/windows-postgres'
import { sharedByRedis } from '@/lib/access/windows-redis'
import { config } from '@/lib/core/config'
import { perProcess } from '@/lib/core/per-process'

/** The windows of this installation: memory for a single process, shared in blocks when there are several. */
export function windows(): WindowStore {
  return perProcess('windows', () => {
    const { redisUrl, workers } = config()
    if (redisUrl) return inBlocks(sharedByRedis(redisUrl))
    return workers > 1 ? inBlocks(sharedByPostgres()) : memoryWindows()
  })
}
