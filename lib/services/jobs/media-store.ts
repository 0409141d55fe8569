import 'server-only'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { getDb } from '@/lib/db/client'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'
import { createRowStore, MediaGone, type MediaStore, MediaTooLarge } from '@/lib/services/jobs/media-rows'

/**
 * Where this process keeps the files of jobs: beside the embedded database, which one process has, on its disk; where
 * processes share a PostgreSQL, and may be on different machines, in that.
 */
export async function mediaStore(): Promise<MediaStore> {
  const database = await getDb()
  if (database.kind === 'postgres') return createRowStore(database)
  return perProcess('job-media', () => createFileStore(path.join(config().dataDir, 'job-media')))
}

/** An id, and never a path. */
const NAME = /^[0-9a-f-]{36}$/
const READ_BYTES = 256 * 1024

/** Files in a folder, each under its id. */
export function createFileStore(folder: string): MediaStore {
  const fileOf = (id: string): string => {
    if (!NAME.test(id)) throw new RangeError('not an id of a file')
    return path.join(folder, id)
  }

  return {
    async write(id, bytes, maxBytes) {
      const file = fileOf(id)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const handle = await open(file, 'wx', 0o600)
      let length = 0
      try {
        for await (const chunk of bytes) {
          length += chunk.length
          if (length > maxBytes) throw new MediaTooLarge(`more than ${maxBytes} bytes`)
          await handle.writeFile(chunk)
        }
        // The job is charged when this is done: it should outlive a power cut as well as the ledger does.
        await handle.datasync()
      } catch (error) {
        await handle.close()
        await rm(file, { force: true })
        throw error
      }
      await handle.close()
      return length
    },
    async *read(id) {
      const stream = createReadStream(fileOf(id), { highWaterMark: READ_BYTES })
      try {
        // A stream without encoding gives buffers.
        for await (const chunk of stream) yield chunk as Buffer<ArrayBuffer>
      } catch (error) {
        throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new MediaGone('gone', { cause: error }) : error
      } finally {
        stream.destroy()
      }
    },
    remove: (id) => rm(fileOf(id), { force: true }),
    async olderThan(at) {
      const names = await readdir(folder).catch(() => [])
      const old: string[] = []
      for (const name of names.filter((name) => NAME.test(name))) {
        const facts = await stat(path.join(folder, name)).catch(() => undefined)
        if (facts && facts.mtime < at) old.push(name)
      }
      return old
    },
  }
}
