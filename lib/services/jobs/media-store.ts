import 'server-only'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'

export interface MediaStore {
  /**
   * Stores a stream under a new id.
   * @returns its length in bytes.
   * @throws MediaTooLarge beyond `maxBytes`; nothing is kept then.
   */
  write(id: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<number>
  read(id: string): AsyncIterable<Uint8Array<ArrayBuffer>>
  remove(id: string): Promise<void>
  olderThan(at: Date): Promise<string[]>
}

export class MediaGone extends Error {
  override name = 'MediaGone'
}

export class MediaTooLarge extends Error {
  override name = 'MediaTooLarge'
}

export async function mediaStore(): Promise<MediaStore> {
  const database = await getDb()
  if (database.kind === 'postgres') return createRowStore(database)
  return perProcess('job-media', () => createFileStore(path.join(config().dataDir, 'job-media')))
}

const NAME = /^[0-9a-f-]{36}$/
const READ_BYTES = 256 * 1024

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

const PIECE_BYTES = 1_048_576
const MAX_LISTED = 1_000

export function createRowStore(database: Database): MediaStore {
  const remove = async (id: string): Promise<void> => {
    await database.query('delete from job_media where media_id = $1', [id])
  }

  return {
    async write(id, bytes, maxBytes) {
      let length = 0
      let n = 0
      try {
        for await (const piece of inPieces(bytes)) {
          length += piece.length
          if (length > maxBytes) throw new MediaTooLarge(`more than ${maxBytes} bytes`)
          await database.query('insert into job_media (media_id, n, bytes) values ($1, $2, $3)', [id, n++, piece])
        }
      } catch (error) {
        // What cannot be removed now has no job, and is swept.
        await remove(id).catch(() => {})
        throw error
      }
      return length
    },
    async *read(id) {
      for (let n = 0; ; n++) {
        const [row] = await database.query<{ bytes: Uint8Array<ArrayBuffer> }>(
          'select bytes from job_media where media_id = $1 and n = $2',
          [id, n],
        )
        if (!row && n === 0) throw new MediaGone('gone')
        if (!row) return
        yield row.bytes
      }
    },
    remove,
    async olderThan(at) {
      const rows = await database.query<{ id: string }>(
        `select media_id::text as id from job_media where n = 0 and at < $1::timestamptz
         and not exists (select 1 from job j where j.media_id = job_media.media_id or j.input_id = job_media.media_id)
         limit ${MAX_LISTED}`,
        [at.toISOString()],
      )
      return rows.map(({ id }) => id)
    },
  }
}

async function* inPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    waiting.push(chunk)
    length += chunk.length
    while (length >= PIECE_BYTES) {
      const all = Buffer.concat(waiting)
      yield all.subarray(0, PIECE_BYTES)
      waiting = [all.subarray(PIECE_BYTES)]
      length -= PIECE_BYTES
    }
  }
  if (length > 0) yield Buffer.concat(waiting)
}
