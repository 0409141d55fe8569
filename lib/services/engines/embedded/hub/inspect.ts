/** Serves one look at a model's files from a child process: a malformed or hostile file ends it, and nothing else. */
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
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

/** The runtime lays weights out anew while it loads them. */
const COPIES_OF_WEIGHTS = 2

type OnnxFiles = {
  folder: string
  networks: string[] /** Of the runtime and its computations, beside the weights. */
  workBytes: number
}

/** Reports what `read` finds in ONNX files, from which a model is loaded whole. */
export async function reportOnnxFacts(
  { folder, networks, workBytes }: OnnxFiles,
  read: (weightBytes: number) => Promise<ModelFacts>,
): Promise<void> {
  const sizes = await Promise.all(networks.map(async (name) => (await stat(path.join(folder, name))).size))
  const weightBytes = sizes.reduce((sum, size) => sum + size, 0)
  reportFacts(workBytes + COPIES_OF_WEIGHTS * weightBytes, () => read(weightBytes))
}

const MAX_TYPE_CHARS = 60

/** @throws Unusable when `config.json` says that the model is of none of these types. */
export async function assertType(
  folder: string,
  types: string[],
  { about, advice }: { about: string; advice: string },
) {
  const { model_type } = JSON.parse(await readFile(path.join(folder, 'config.json'), 'utf8')) as {
    model_type?: unknown
  }
  const type = String(model_type).slice(0, MAX_TYPE_CHARS)
  if (!types.includes(type)) throw new Unusable(`${about} of the type ${type} cannot be run by this version. ${advice}`)
}
