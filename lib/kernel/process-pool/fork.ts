import 'server-only'
import type { ChildProcess } from 'node:child_process'
import { realpathSync } from 'node:fs'
import type { Socket } from 'node:net'
import path from 'node:path'
import { config } from '@/lib/kernel/config'

// Next's bundler takes the path given to an imported `fork` for a module to bundle, and fails on one made at run time.
const { fork } = process.getBuiltinModule('node:child_process')

/** The end of what a child wrote to its standard error, kept for the log line about its death: what V8 says, and why. */
const MAX_STDERR_CHARS = 8_000

export type Child = { process: ChildProcess; stderr: () => string }

export type ChildOptions = {
  /** Of Node. Flags of this process (inspector ports, loaders of a test runner) are not meant for children. */
  flags?: string[]
  args?: string[]
  /** All that its environment holds; this process's own only for what reads nothing of strangers. */
  environment: Record<string, string> | 'inherited'
  /** Messages are JSON, or structured clones: bytes arrive as bytes. */
  messages: 'json' | 'clones'
}

/**
 * Starts a file of `lib/` as a child process, run by Node as it stands. A child ends with its parent, however that dies:
 * the channel closes, and entries exit on `disconnect`.
 */
export function forkChild(file: string, { flags = [], args = [], environment, messages }: ChildOptions): Child {
  const child = fork(path.join(config().root, 'lib', file), args, {
    execArgv: flags,
    // Native code that reads what strangers wrote gets no secrets to leak.
    ...(environment !== 'inherited' && { env: { NODE_ENV: 'production' as const, ...environment } }),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: messages === 'json' ? 'json' : 'advanced',
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-MAX_STDERR_CHARS)
  })
  return { process: child, stderr: () => stderr.trim() }
}

/**
 * Flags of a child that may read the code of this installation and nothing else: no other files, no writing, no
 * processes, no code made of strings. Threads are allowed. The network is not for these flags to take away.
 *
 * @param options.hasAddons it loads native code, which no flag holds back.
 */
export function lockedDown({ hasAddons = false }: { hasAddons?: boolean } = {}): string[] {
  const { root } = config()
  const named = ['lib', 'node_modules', 'package.json'].map((name) => path.join(root, name))
  // Modules are read by their real paths.
  const readable = new Set([...named, ...named.map((name) => realpathSync(name))])
  return [
    '--permission',
    ...[...readable].map((name) => `--allow-fs-read=${name}`),
    '--allow-worker',
    ...(hasAddons ? ['--allow-addons'] : []),
    '--disallow-code-generation-from-strings',
    '--no-warnings',
  ]
}

/** Whether this process stays up for the sake of a child. One that waits for work keeps nobody alive. */
export function keepAlive({ process: child }: Child, isKept: boolean): void {
  const verb = isKept ? 'ref' : 'unref'
  child[verb]()
  child.channel?.[verb]()
  // A pipe of a child is a socket, whatever its type says.
  ;(child.stderr as Socket | null)?.[verb]()
}
