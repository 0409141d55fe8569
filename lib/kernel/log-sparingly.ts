import 'server-only'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'

const INTERVAL_MS = 1_000
const MAX_NAMES = 256

type Last = { at: number; skipped: number }

/**
 * Logs a fault at most once a second per name, since an outage fails a thousand requests a second. `skipped` counts
 * faults since the last line.
 */
export function logSparingly(name: string, facts: Record<string, unknown>, message: string): void {
  const lines = perProcess('sparing-log', () => new Map<string, Last>())
  const now = performance.now()
  const last = lines.get(name)
  if (last !== undefined && now - last.at < INTERVAL_MS) {
    last.skipped++
    return
  }
  if (last === undefined && lines.size >= MAX_NAMES) lines.clear()
  lines.set(name, { at: now, skipped: 0 })
  log().error(last?.skipped ? { ...facts, skipped: last.skipped } : facts, message)
}
