import 'server-only'
import type { ChildProcess } from 'node:child_process'
import path from 'node:path'
import { config } from '@/lib/core/config'

// Next's bundler takes the path given to an imported `fork` for a module to bundle, and fails on one made at run time.
const { fork } = process.getBuiltinModule('node:child_process')

/** The end of what a child wrote to its standard error, kept for the log line about its death. */
const STDERR_LIMIT = 2_000

export type EngineChild = { process: ChildProcess; stderr: () => string }

/**
 * Starts an entry of this folder as a child process, run by Node as it stands. A child ends with its parent, however
 * that dies: the channel closes, and the entries exit on `disconnect`.
 */
export function forkEntry(
  entry: 'chat-worker.ts' | 'weights-worker.ts',
  options: { isIsolated: boolean },
): EngineChild {
  const file = path.join(config().root, 'lib', 'engines', 'embedded', entry)
  const child = fork(file, [], {
    // Flags of this process (inspector ports, loaders of a test runner) are not meant for children. Proxy settings of
    // the environment are: fetch honours them with this flag.
    execArgv: ['--use-env-proxy'],
    // Native code that reads what strangers wrote gets no secrets to leak.
    ...(options.isIsolated && { env: { NODE_ENV: 'production' as const } }),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_LIMIT)
  })
  return { process: child, stderr: () => stderr.trim() }
}
