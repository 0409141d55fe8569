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
