import { availableParallelism } from 'node:os'
import { InferenceSession } from 'onnxruntime-node'

const MAX_THREADS = 2

/**
 * Opens an ONNX model, a file or its bytes, for a child process, on a fixed number of threads that sleep when there is
 * nothing to do.
 */
export function openSession(
  model: string | Uint8Array | undefined,
  maxThreads = MAX_THREADS,
): Promise<InferenceSession> {
  if (model === undefined) throw new Error('the parent did not say where the model is')
  const options = sessionOptions(maxThreads)
  // Two overloads, one for each kind of model.
  return typeof model === 'string' ? InferenceSession.create(model, options) : InferenceSession.create(model, options)
}

/** Returns how models run: on the CPU, with a fixed number of threads. */
export const sessionOptions = (maxThreads: number): InferenceSession.SessionOptions => ({
  executionProviders: ['cpu'],
  intraOpNumThreads: Math.min(maxThreads, availableParallelism()),
  interOpNumThreads: 1,
  // Threads that spin while they wait take the cores from the server, and are slower where cores are shared.
  extra: { session: { intra_op: { allow_spinning: '0' } } },
  logSeverityLevel: 3,
})
