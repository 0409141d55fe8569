import 'server-only'
import path from 'node:path'
import { type Child, forkChild } from '@/lib/kernel/process-pool/fork'

/** A file of this folder that Node runs as it stands. */
export type EngineEntry = `${string}.ts`

/** Starts an entry of this folder as a child process. One that is not isolated has the environment of the server. */
export function forkEntry(entry: EngineEntry, options: { isIsolated: boolean; isBinary?: boolean }): Child {
  return forkChild(path.join('services', 'engines', 'embedded', entry), {
    // Proxy settings of the environment are meant for children: fetch honours them with this flag.
    flags: ['--use-env-proxy'],
    environment: options.isIsolated ? {} : 'inherited',
    // JSON is what chat speaks; samples and pictures pass as they are.
    messages: options.isBinary ? 'clones' : 'json',
  })
}
