import {
  type Converted,
  type Draft,
  type FindFile,
  foreignId,
  MISSING_FILES,
  recordsOf,
  textOf,
  threadOf,
  timeOf,
} from '@/components/history/archive/foreign'
import type { ForeignFile } from '@/components/history/archive/foreign-files'
import { LIMITS } from '@/components/history/archive/limits'

/** The start of a chat, as Claude names it. */
const ROOT = '00000000-0000-4000-8000-000000000000'

/** A chat of a Claude export: a list of messages, with parents in newer ones. */
export function fromClaude(item: Record<string, unknown>, now: number, find: FindFile): Converted | undefined {
  const id = foreignId('claude', item.uuid)
  if (!id) return undefined
  const leftOut = new Map<string, number>()
  const leave = (what: string, count: number) => count > 0 && leftOut.set(what, (leftOut.get(what) ?? 0) + count)
  const createdAt = timeOf(item.created_at, now)
  const drafts: Draft[] = []
  const known = new Set<string>()
  /** Of each message of the file, the kept one at or above it. */
  const nearest = new Map<string, string>()
  for (const message of recordsOf(item.chat_messages).slice(0, LIMITS.messages)) {
    const role = message.sender === 'human' ? 'user' : message.sender === 'assistant' ? 'assistant' : undefined
    const own = foreignId('claude', message.uuid)
    const parent = textOf(message.parent_message_uuid)
    const above =
      parent && parent !== ROOT && nearest.has(parent) ? nearest.get(parent) : parent === ROOT ? '' : drafts.at(-1)?.id
    const uuid = textOf(message.uuid)
    nearest.set(uuid, above ?? '')
    const { text, reasoning, steps } = wordsOf(message)
    leave('steps of tools', steps)
    const { files, missing } = filesOf(message, own ?? '', find)
    leave(MISSING_FILES, missing)
    if (!role || !own || known.has(own) || (!text && !reasoning && files.length === 0)) continue
    drafts.push({
      id: own,
      parentId: above ?? '',
      role,
      text,
      files,
      createdAt: timeOf(message.created_at, createdAt),
      ...(reasoning && { reasoning }),
    })
    nearest.set(uuid, own)
    known.add(own)
  }
  if (drafts.length === 0) return undefined
  const head = { id, title: item.name, createdAt, updatedAt: timeOf(item.updated_at, createdAt) }
  return { ...threadOf(head, drafts), leftOut }
}

function wordsOf(message: Record<string, unknown>): { text: string; reasoning: string; steps: number } {
  const said: string[] = []
  const thought: string[] = []
  let steps = 0
  for (const part of recordsOf(message.content)) {
    if (part.type === 'text') said.push(textOf(part.text))
    else if (part.type === 'thinking') thought.push(textOf(part.thinking))
    else steps += 1
  }
  const text = said.filter(Boolean).join('\n\n') || textOf(message.text)
  return { text, reasoning: thought.filter(Boolean).join('\n\n'), steps }
}

/** Of documents the export has the words; pictures are in it only where it says so by their names or ids. */
function filesOf(
  message: Record<string, unknown>,
  messageId: string,
  find: FindFile,
): { files: ForeignFile[]; missing: number } {
  const documents = recordsOf(message.attachments).flatMap((file, index): ForeignFile[] => {
    const words = textOf(file.extracted_content)
    const name = textOf(file.file_name).slice(0, 200) || 'document.txt'
    return words ? [{ id: `${messageId}-${index}`, name, source: words.slice(0, LIMITS.text) }] : []
  })
  const named = recordsOf(message.files ?? message.files_v2).map((file) =>
    find(textOf(file.file_uuid ?? file.uuid), textOf(file.file_name).slice(0, 200)),
  )
  const found = named.filter((file) => file !== undefined)
  return { files: [...documents, ...found], missing: named.length - found.length }
}
