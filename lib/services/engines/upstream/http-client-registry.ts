import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'
import { EngineError } from '@/lib/services/engines/engine'
import { engineOptions } from '@/lib/services/engines/registry'
import { createUpstreamCalls, type UpstreamCalls } from '@/lib/services/engines/upstream/http-client'

type Kept = { options: string; calls: UpstreamCalls }

/**
 * The calls to the server behind an engine's name, one set of connections per process; made anew when the models file
 * says something else of it.
 *
 * @throws EngineError `offline` when there is no such engine: a reload took it away.
 */
export function upstreamCalls(name: string): UpstreamCalls {
  const kept = perProcess('upstream-calls', () => new Map<string, Kept>())
  const definition = engineOptions(name)
  if (!definition) throw new EngineError('offline', 'The model is not available at the moment. Choose another one.')
  const options = JSON.stringify(definition)
  const known = kept.get(name)
  if (known?.options === options) return known.calls
  const calls = createUpstreamCalls({ name, ...definition })
  kept.set(name, { options, calls })
  // What the old connections are doing still ends.
  known?.calls.close().catch(() => {})
  return calls
}
