import { backupBytes } from '@/components/history/archive/backup'
import { type ImportReport, importFile } from '@/components/history/archive/import'
import { ArchiveError } from '@/components/history/archive/limits'
import type { HistoryDatabase } from '@/lib/browser/storage/database'
import { msg } from '@/lib/i18n/t'

const BLOB_BYTES = 16 * 1024 * 1024
const SPEAK_EVERY_MS = 100

export type ArchiveJob = { kind: 'backup'; password?: string } | { kind: 'import'; file: File; password?: string }

export type ArchiveAnswer =
  | { kind: 'progress'; done: number; of: number }
  | { kind: 'saved'; file: Blob }
  | { kind: 'imported'; report: ImportReport }
  | { kind: 'stopped' }
  | { kind: 'failed'; message: string; needsPassword: boolean }

type Say = (answer: ArchiveAnswer) => void

export async function doJob(job: ArchiveJob, database: HistoryDatabase, signal: AbortSignal, say: Say): Promise<void> {
  try {
    const onProgress = progress(say)
    if (job.kind === 'import') {
      const report = await importFile(job.file, database, { password: job.password, onProgress, signal })
      return say({ kind: 'imported', report })
    }
    const { password } = job
    const file = await collected(backupBytes(database, { ...(password && { password }), onProgress, signal }))
    say({ kind: 'saved', file })
  } catch (error) {
    if (signal.aborted) return say({ kind: 'stopped' })
    const isOurs = error instanceof ArchiveError
    const message = isOurs
      ? error.message
      : msg('The browser could not finish the job. There may be too little space. Free up space and try again.')
    say({ kind: 'failed', message, needsPassword: isOurs && error.kind === 'password' })
  }
}

function progress(say: Say): (done: number, of: number) => void {
  let spokenAt = 0
  return (done, of) => {
    const now = performance.now()
    if (now - spokenAt < SPEAK_EVERY_MS && done < of) return
    spokenAt = now
    say({ kind: 'progress', done, of })
  }
}

async function collected(source: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<Blob> {
  const blobs: Blob[] = []
  let parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const bytes of source) {
    parts.push(bytes)
    size += bytes.length
    if (size < BLOB_BYTES) continue
    blobs.push(new Blob(parts))
    parts = []
    size = 0
  }
  return new Blob([...blobs, ...parts], { type: 'application/octet-stream' })
}
