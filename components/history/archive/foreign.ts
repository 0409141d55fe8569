import type { ForeignFile } from '@/components/history/archive/foreign-files'
import { LIMITS } from '@/components/history/archive/limits'
import { isRecord } from '@/lib/browser/api'
import type { StoredThread } from '@/lib/browser/storage/chats'
import type { Message, Part } from '@/lib/browser/storage/records'

/** A chat of another service as ours, the files of its messages by their ids, and what could not be taken, counted by what it is. */
export type Converted = { thread: StoredThread; files: Map<string, ForeignFile[]>; leftOut: Map<string, number> }

/** What a message of another service is called to have brought along; what the export lacks is not found. */
export type FindFile = (id: string, name: string) => ForeignFile | undefined

/** What is not in the export, as the report counts it. */
export const MISSING_FILES = 'files that are not in the export'

/** One message before it has its place. Its files are read when it is stored. */
export type Draft = {
  id: string
  parentId: string
  role: 'user' | 'assistant'
  text: string
  reasoning?: string
  files?: ForeignFile[]
  createdAt: number
  modelId?: string
}

type Head = {
  id: string
  title: unknown
  createdAt: number
  updatedAt: number
  modelId?: string | undefined
  branches?: Record<string, string>
}

const MAX_TITLE_CHARS = 200

/** Puts messages together to a chat. The ids are made of those of the other service, so that a second import adds nothing. */
export function threadOf(
  head: Head,
  drafts: readonly Draft[],
  isArchived = false,
): Pick<Converted, 'thread' | 'files'> {
  const { id, title, createdAt, updatedAt, branches = {} } = head
  const words = typeof title === 'string' && title.trim() ? title.trim().slice(0, MAX_TITLE_CHARS) : 'Imported chat'
  const messages: Message[] = []
  const parts: Part[] = []
  const files: Converted['files'] = new Map()
  for (const draft of drafts) {
    const { text, reasoning, files: brought = [], ...fields } = draft
    messages.push({ ...fields, conversationId: id, status: 'done' })
    const part = { messageId: draft.id, conversationId: id }
    if (reasoning) parts.push({ ...part, i: 0, type: 'reasoning', payload: reasoning.slice(0, LIMITS.text) })
    if (text) parts.push({ ...part, i: 1, type: 'text', payload: text.slice(0, LIMITS.text) })
    if (brought.length > 0) files.set(draft.id, brought.slice(0, LIMITS.files))
  }
  const conversation = {
    id,
    title: words,
    isNamed: true,
    createdAt,
    updatedAt,
    modelId: head.modelId ?? '',
    branches,
    ...(isArchived && { isArchived }),
  }
  return { thread: { conversation, messages, parts, receipts: [] }, files }
}

/** An id of ours for one of another service: the same each time, and never one of this browser's own. */
export function foreignId(service: string, given: unknown): string | undefined {
  if (typeof given !== 'string' || given === '') return undefined
  const plain = `${service}-${given}`
  return /^[\w-]{1,64}$/.test(plain) ? plain : `${service}-${fingerprint(given)}`
}

/** Seconds or a date as Unix milliseconds; `otherwise` for what is neither. */
export function timeOf(given: unknown, otherwise: number): number {
  const time = typeof given === 'number' ? given * 1000 : typeof given === 'string' ? Date.parse(given) : Number.NaN
  return Number.isFinite(time) && time > 0 && time < 8.64e15 ? Math.round(time) : otherwise
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
export const recordsOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : []

/** FNV-1a, twice with other beginnings: ids that are no ids are rare, and only have to differ. */
function fingerprint(text: string): string {
  let a = 0x811c9dc5
  let b = 0x01000193
  for (let at = 0; at < text.length; at += 1) {
    a = Math.imul(a ^ text.charCodeAt(at), 0x01000193)
    b = Math.imul(b ^ text.charCodeAt(at), 0x85ebca6b)
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0')
}
