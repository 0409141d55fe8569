import 'server-only'
import { meaningOfId } from '@/lib/services/rpc-nodes/calls'
import type { ScannedItem } from '@/lib/services/rpc-nodes/json/reply-item'
import type { Question } from '@/lib/services/rpc-nodes/node-question'
import type { ScannedReply } from '@/lib/services/rpc-nodes/reply'

/**
 * Whether a reply is to this question. A node, or a cache before it, may mix up its callers: a result under another id is
 * somebody else's. An error may have no id, since a node that cannot read a call cannot repeat it, and one error may answer
 * a whole batch: the node takes none, or not so large a one.
 */
export function isReplyTo({ isBatch, ids }: Question, { isBatch: isList, items }: ScannedReply): boolean {
  if (isBatch && isList) return areReplies(items, ids)
  const item = items[0]
  if (isList || item === undefined) return false
  if (isErrorWithoutId(item)) return true
  return (!isBatch || item.outcome === 'error') && ids.some((id) => id !== undefined && isOf(item, id))
}

/** Each call is answered at most once, and as many replies come as were asked for. */
function areReplies(items: readonly ScannedItem[], ids: Question['ids']): boolean {
  const asked = ids.filter((id) => id !== undefined)
  if (items.length < asked.length || items.length > ids.length) return false
  const waiting = new Map<string, number>()
  for (const id of asked) waiting.set(meaningOfId(id), (waiting.get(meaningOfId(id)) ?? 0) + 1)
  /** Calls that asked for no reply; some nodes answer them all the same. */
  let silent = ids.length - asked.length
  for (const item of items) {
    const key = meaningOfId(item.id ?? 'null')
    const left = waiting.get(key) ?? 0
    if (left > 0) waiting.set(key, left - 1)
    else if (hasNoId(item) && silent > 0) silent--
    else if (!isErrorWithoutId(item)) return false
  }
  return true
}

const isOf = ({ id = 'null' }: ScannedItem, asked: string): boolean =>
  id === asked || meaningOfId(id) === meaningOfId(asked)
const hasNoId = ({ id }: ScannedItem): boolean => id === undefined || id === 'null'
const isErrorWithoutId = (item: ScannedItem): boolean => item.outcome === 'error' && hasNoId(item)
