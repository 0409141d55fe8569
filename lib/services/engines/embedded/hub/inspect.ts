/** Serves one look at a model's files from a child process: a malformed or hostile file ends it, and nothing else. */
import { Worker } from 'node:worker_threads'
import type { ModelFacts } from './installed-model.ts'

export type InspectReport =
  | { type: 'facts'; facts: ModelFacts }
  /** `sentence` where the files are in order and cannot be used; otherwise they are broken. */
  | { type: 'refused'; detail: string; sentence?: string }

/** The files are in order, and this version cannot use them; its message says why. */
export class Unusable extends Error {}

/** Reports what `read` finds to the parent and ends the process; ends it earlier when it takes more memory. */
export function reportFacts(maxResidentBytes: number, read: () => Promise<ModelFacts>): void {
  process.on('disconnect', () => process.exit(1))
  if (!process.connected) process.exit(1)
  new Worker(new URL('../../../../kernel/process-pool/guard.ts', import.meta.url), {
    workerData: { parentProcessId: process.ppid, maxResidentBytes },
  }).unref()
  read().then(
    (facts) => report({ type: 'facts', facts }),
    (error: unknown) => {
      const detail = error instanceof Error ? error.message : String(error)
      report({ type: 'refused', detail, ...(error instanceof Unusable && { sentence: detail }) })
    },
  )
}

function report(message: InspectReport): void {
  process.send?.(message, undefined, undefined, () => process.exit(0))
}
