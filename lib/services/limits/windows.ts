import 'server-only'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'
import { redis } from '@/lib/services/limits/redis'
import { inBlocks } from '@/lib/services/limits/window-blocks'
import { memoryWindows, type WindowStore } from '@/lib/services/limits/window-store'
import { sharedByPostgres } from '@/lib/services/limits/windows-postgres'
import { sharedByRedis } from '@/lib/services/limits/windows-redis'

/**
 * Where this installation counts its limits. A PostgreSQL may serve other processes on other machines, which this one
 * cannot see, so limits are always shared there; the embedded database serves one process.
 */
export function limitStore(): 'memory' | 'postgres' | 'redis' {
  const { redisUrl, databaseUrl } = config()
  if (redisUrl) return 'redis'
  return databaseUrl ? 'postgres' : 'memory'
}

/** The windows of this installation: memory for a single process, shared in blocks when there may be several. */
export function windows(): WindowStore {
  return perProcess('windows', () => {
    const store = limitStore()
    if (store === 'memory') return memoryWindows()
    return inBlocks(store === 'redis' ? sharedByRedis(redis()) : sharedByPostgres())
  })
}
