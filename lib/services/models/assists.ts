import 'server-only'
import { catalogue } from '@/lib/services/models/catalogue'
import { assistsOf } from '@/lib/services/models/resolve'

/** Which models read for one that cannot see or hear, by their ids. */
export type AssistList = { data: Record<string, { images?: string; audio?: string }> }

/**
 * The text models that others read for. The interface's own list has no place for it (its `capabilities` are closed), and
 * a page that did not know would keep people from sending what can be read.
 */
export function listAssists(now = Date.now()): AssistList {
  const data: AssistList['data'] = {}
  for (const model of catalogue().list('text', now)) {
    const { vision, audio } = assistsOf(model, undefined, now)
    if (vision || audio) data[model.id] = { ...(vision && { images: vision.id }), ...(audio && { audio: audio.id }) }
  }
  return { data }
}
