import 'server-only'
import type { Database } from '@/lib/db/database'

/** Of one row: a statement moves no more, whatever the size of the file. */
const PIECE_BYTES = 1_048_576
/** Files that one look for leftovers tells of. */
const MAX_LISTED = 1_000

/** Rows of a megabyte in the database that the processes share. */
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

/** The same bytes in rows of one size. */
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

/** Files of jobs, by id. What is written becomes visible when a job names it; until then nobody asks for it. */
export interface MediaStore {
  /**
   * Keeps what comes under a new id.
   *
   * @returns how many bytes came.
   * @throws MediaTooLarge beyond `maxBytes`; nothing is kept then.
   */
  write(id: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<number>
  /** The bytes, by pulling. @throws MediaGone before or within them. */
  read(id: string): AsyncIterable<Uint8Array<ArrayBuffer>>
  /** Nothing when it is gone already. */
  remove(id: string): Promise<void>
  /** Ids of what was written before this moment, for what no job names. */
  olderThan(at: Date): Promise<string[]>
}

export class MediaGone extends Error {
  override name = 'MediaGone'
}

export class MediaTooLarge extends Error {
  override name = 'MediaTooLarge'
}
