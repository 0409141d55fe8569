import 'server-only'
import { log } from '@/lib/kernel/log'
import { imageReader } from '@/lib/services/engines/registry'
import type { DocumentPart } from './parser-protocol'
import { cutText, dropInvisible } from './text-cut'

/** Recognition of one document's pictures stops after this; what has been read by then is the answer. */
const RECOGNITION_MS = 60_000

/** Puts the text of pictures in their place. Without a reader for them pictures say nothing. */
export async function readScans(
  parts: DocumentPart[],
  { maxChars, signal }: { maxChars: number; signal: AbortSignal },
): Promise<{ pieces: string[]; isTruncated: boolean }> {
  const deadline = AbortSignal.timeout(RECOGNITION_MS)
  const both = AbortSignal.any([signal, deadline])
  const pieces: string[] = []
  let room = maxChars
  for (const part of parts) {
    if (room <= 0) return { pieces, isTruncated: true }
    const read = 'text' in part ? part.text : await readImage(part.image, both)
    signal.throwIfAborted()
    if (read === undefined && deadline.aborted) return { pieces, isTruncated: true }
    const { text, isTruncated } = cutText(read ?? '', room)
    pieces.push(text)
    room -= text.length
    if (isTruncated) return { pieces, isTruncated }
  }
  return { pieces, isTruncated: false }
}

/** A picture that cannot be read is a picture without text: the rest of the document still counts. */
async function readImage(image: Uint8Array, signal: AbortSignal): Promise<string | undefined> {
  const reader = imageReader()
  if (!reader || signal.aborted) return
  try {
    const { text } = await reader.read(image, signal)
    return dropInvisible(text).trim()
  } catch (error) {
    if (!signal.aborted) log().warn({ err: error }, 'a picture of a document could not be read')
    return
  }
}
