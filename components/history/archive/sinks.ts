import { JSONParser } from '@streamparser/json'
import { Unzip, UnzipInflate } from 'fflate'
import { ArchiveError, DepthGuard, LIMITS } from '@/components/history/archive/limits'
import { msg } from '@/lib/i18n/t'

/**
 * A ZIP is unpacked in steps of this size: what comes out may be a thousand times as much, and is counted only then.
 */
const UNZIP_BYTES = 16 * 1024

export type Sink = { write: (bytes: Uint8Array<ArrayBuffer>) => void; end: () => void }

/** Calls back with each chat of a JSON file: an item of its list, or of the list `chats` or `conversations` in it. */
export function jsonItems(onItem: (item: unknown) => void): Sink {
  const guard = new DepthGuard()
  let pending = 0
  let fault: unknown
  const parser = new JSONParser({ paths: ['$.*', '$.chats.*', '$.conversations.*'], keepStack: false })
  parser.onValue = ({ value }) => {
    pending = 0
    onItem(value)
  }
  parser.onError = (error) => {
    fault = error
  }
  const check = () => {
    if (fault instanceof ArchiveError) throw fault
    if (fault) throw new ArchiveError('invalid', msg('The file is incomplete: its JSON cannot be read to the end.'))
  }
  return {
    write(bytes) {
      guard.see(bytes)
      pending += bytes.length
      parser.write(bytes)
      check()
      if (pending > LIMITS.item) throw new ArchiveError('too-large', msg('One chat in the file is larger than 64 MB.'))
    },
    end() {
      if (!parser.isEnded) parser.end()
      check()
    },
  }
}

export function lines(onLine: (line: string) => void): Sink {
  const decoder = new TextDecoder()
  let rest = ''
  return {
    write(bytes) {
      const all = (rest + decoder.decode(bytes, { stream: true })).split('\n')
      rest = all.pop() ?? ''
      if (rest.length > LIMITS.item)
        throw new ArchiveError('too-large', msg('One record in the backup is larger than 64 MB.'))
      for (const line of all) if (line) onLine(line)
    },
    end() {
      if (rest) onLine(rest)
    },
  }
}

export function wholeFile(onFile: (file: Blob) => void): Sink {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  return {
    write(bytes) {
      size += bytes.length
      if (size > LIMITS.blob) throw new ArchiveError('too-large', msg('One file in the backup is larger than 256 MB.'))
      parts.push(bytes)
    },
    end: () => onFile(new Blob(parts)),
  }
}

/**
 * Reads a ZIP as a stream. `open` says who takes an entry; others are not unpacked. The output is bounded. @throws
 * ArchiveError.
 */
export function unzip(open: (name: string) => Sink | undefined, fileSize: number): Sink {
  const maxBytes = Math.min(LIMITS.unpacked, Math.max(LIMITS.ratioFloor, fileSize * LIMITS.ratio))
  let unpacked = 0
  let entries = 0
  let openEntries = 0
  let fault: unknown
  const reader = new Unzip((entry) => {
    entries += 1
    if (entries > LIMITS.entries) throw new ArchiveError('too-large', msg('The ZIP file contains too many files.'))
    const sink = open(entry.name)
    if (!sink) return
    openEntries += 1
    entry.ondata = (error, bytes, isLast) => {
      if (error) fault ??= error
      if (fault) return
      try {
        unpacked += bytes.length
        if (unpacked > maxBytes)
          throw new ArchiveError('too-large', msg('The ZIP file unpacks to far more data than a chat history.'))
        if (bytes.length > 0) sink.write(bytes as Uint8Array<ArrayBuffer>)
        if (isLast) {
          openEntries -= 1
          sink.end()
        }
      } catch (thrown) {
        fault = thrown
      }
    }
    entry.start()
  })
  reader.register(UnzipInflate)
  const push = (bytes: Uint8Array, isLast: boolean) => {
    try {
      reader.push(bytes, isLast)
    } catch (thrown) {
      fault ??= thrown
    }
    if (fault instanceof ArchiveError) throw fault
    if (fault || (isLast && openEntries > 0))
      throw new ArchiveError('invalid', msg('The ZIP file is damaged or incomplete.'))
  }
  const write = (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; at += UNZIP_BYTES) push(bytes.subarray(at, at + UNZIP_BYTES), false)
  }
  return { write, end: () => push(new Uint8Array(), true) }
}
