import { DatabaseInUseError } from '@/lib/db/folder-lock'
import { DatabaseStartError } from '@/lib/db/server-start'
import { ConfigError, config } from '@/lib/kernel/config'
import { DataFolderError } from '@/lib/kernel/data-folder'

export function startFault(error: unknown): string {
  if (error instanceof ConfigError) return `Invalid configuration:\n  ${error.message.replaceAll('\n', '\n  ')}`
  if ([DataFolderError, DatabaseInUseError, DatabaseStartError].some((kind) => error instanceof kind))
    return (error as Error).message
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return portTaken(config().port)
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

export const portTaken = (port: number): string =>
  `Port ${port} is in use by another program. Stop it, or choose another port: PORT=${port + 1} npm start`
