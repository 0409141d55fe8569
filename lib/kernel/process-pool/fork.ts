import 'server-only'
import type { ChildProcess } from 'node:child_process'
import { realpathSync } from 'node:fs'
import type { Socket } from 'node:net'
import path from 'node:path'
import { config } from '@/lib/kernel/config'

// Next's bundler takes the path given to an imported `fork` for a module to bundle, and fails on one made at run time.
const { fork } = process.getBuiltinModule('node:child_process')

const MAX_STDERR_CHARS = 8_000

export type Child = { process: ChildProcess; stderr: () => string }

export type ChildOptions = {
  flags?: string[]
  args?: string[]
  environment: Record<string, string> | 'inherited'
  messages: 'json' | 'clones'
}

/**
 * Starts a file of `lib/` as a child process that ends with its parent: the channel closes, and entries exit on
 * `disconnect`.
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
 * Flags of a child that may only read the code of this installation: no other files, writes, processes, or code from
 * strings. Network access is removed by `serve`.
 *
 * @param options.hasAddons allows native code, which no flag restricts.
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

export function keepAlive({ process: child }: Child, isKept: boolean): void {
  const verb = isKept ? 'ref' : 'unref'
  child[verb]()
  child.channel?.[verb]()
  // A pipe of a child is a socket, whatever its type says.
  ;(child.stderr as Socket | null)?.[verb]()
}
