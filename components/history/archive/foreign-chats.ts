import { type ForeignFile, fileIdOf } from '@/components/history/archive/foreign-files'
import { LIMITS } from '@/components/history/archive/limits'
import { isRecord } from '@/lib/browser/api'
import type { StoredThread } from '@/lib/browser/storage/chats'
import type { Message, Part } from '@/lib/browser/storage/records'

/** A chat of another service as ours, the files of its messages by message id, and counts of what was left out. */
export type Converted = { thread: StoredThread; files: Map<string, ForeignFile[]>; leftOut: Map<string, number> }

export type FindFile = (id: string, name: string) => ForeignFile | undefined

const MISSING_FILES = 'files that are not in the export'

type Draft = {
  id: string
  parentId: string
  role: 'user' | 'assistant'
  text: string
  reasoning?: string
  files?: ForeignFile[]
  createdAt: number
  modelId?: string
}

type Node = { id: string; parent: string; role: string; message: Record<string, unknown> | undefined }

/**
 * Converts a chat of a ChatGPT export. Its `mapping` is a tree: all versions are kept, `current_node` says which are
 * shown. Steps of tools and hidden instructions are left out, and what follows them moves up.
 */
export function fromChatGpt(item: Record<string, unknown>, now: number, find: FindFile): Converted | undefined {
  const id = foreignId('chatgpt', item.conversation_id ?? item.id)
  if (!id || !isRecord(item.mapping)) return undefined
  const leftOut = new Map<string, number>()
  const leave = (what: string, count = 1) => count > 0 && leftOut.set(what, (leftOut.get(what) ?? 0) + count)
  const createdAt = timeOf(item.create_time, now)
  const nodes = nodesOf(item.mapping)
  const drafts = new Map<string, Draft>()
  const nearest = new Map<string, string>()
  let modelId: string | undefined
  for (const node of inOrder(nodes)) {
    const above = nearest.get(node.parent) ?? ''
    nearest.set(node.id, above)
    const { message, role } = node
    if (!message || (role !== 'user' && role !== 'assistant' && role !== 'tool')) continue
    const metadata = isRecord(message.metadata) ? message.metadata : {}
    const isToTool = role === 'assistant' && typeof message.recipient === 'string' && message.recipient !== 'all'
    const { text, reasoning } = role === 'tool' ? { text: '', reasoning: '' } : chatGptText(message)
    const { files, missing } = chatGptFiles(message, metadata, find)
    leave(MISSING_FILES, missing)
    const isHidden = metadata.is_visually_hidden_from_conversation === true
    if (isHidden || isToTool || (!text && !reasoning && files.length === 0)) {
      if (isToTool || role === 'tool') leave('steps of tools')
      continue
    }
    const messageId = foreignId(`${id.slice(0, 12)}`, node.id) ?? node.id
    const model = textOrEmpty(metadata.model_slug).slice(0, 100)
    if (model) modelId = model
    drafts.set(messageId, {
      id: messageId,
      parentId: above,
      role: role === 'user' ? 'user' : 'assistant',
      text,
      files,
      createdAt: timeOf(message.create_time, createdAt),
      ...(reasoning && { reasoning }),
      ...(model && role !== 'user' && { modelId: model }),
    })
    nearest.set(node.id, messageId)
  }
  if (drafts.size === 0) return undefined
  const branches: Record<string, string> = {}
  let at = nearest.get(textOrEmpty(item.current_node)) ?? ''
  for (let draft = drafts.get(at); draft; draft = drafts.get(at)) {
    branches[draft.parentId] = draft.id
    at = draft.parentId
  }
  const head = { id, title: item.title, createdAt, updatedAt: timeOf(item.update_time, createdAt), modelId, branches }
  return { ...threadOf(head, [...drafts.values()], item.is_archived === true), leftOut }
}

function nodesOf(mapping: Record<string, unknown>): Map<string, Node> {
  const nodes = new Map<string, Node>()
  for (const [id, value] of Object.entries(mapping)) {
    if (!isRecord(value) || nodes.size >= LIMITS.messages) continue
    const message = isRecord(value.message) ? value.message : undefined
    const author = message && isRecord(message.author) ? message.author : {}
    nodes.set(id, { id, parent: textOrEmpty(value.parent), role: textOrEmpty(author.role), message })
  }
  return nodes
}

function inOrder(nodes: Map<string, Node>): Node[] {
  const children = Map.groupBy(nodes.values(), ({ parent }) => (nodes.has(parent) ? parent : ''))
  const order: Node[] = []
  const waiting = [...(children.get('') ?? [])].reverse()
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    order.push(node)
    waiting.push(...[...(children.get(node.id) ?? [])].reverse())
  }
  return order
}

function chatGptText(message: Record<string, unknown>): { text: string; reasoning: string } {
  const content = isRecord(message.content) ? message.content : {}
  const type = textOrEmpty(content.content_type)
  if (type === 'thoughts') {
    const thoughts = recordsOf(content.thoughts).map((thought) => textOrEmpty(thought.content))
    return { text: '', reasoning: thoughts.filter(Boolean).join('\n\n') }
  }
  if (type === 'reasoning_recap' || type === 'user_editable_context' || type === 'model_editable_context') {
    return { text: '', reasoning: '' }
  }
  if (type === 'code') return { text: fenced(textOrEmpty(content.text), textOrEmpty(content.language)), reasoning: '' }
  const parts = Array.isArray(content.parts) ? content.parts : []
  const texts = parts.map((part) => (typeof part === 'string' ? part : isRecord(part) ? textOrEmpty(part.text) : ''))
  return { text: texts.filter(Boolean).join('\n\n') || textOrEmpty(content.text), reasoning: '' }
}

function chatGptFiles(
  message: Record<string, unknown>,
  metadata: Record<string, unknown>,
  find: FindFile,
): { files: ForeignFile[]; missing: number } {
  const content = isRecord(message.content) ? message.content : {}
  const shown = recordsOf(content.parts).flatMap((part) =>
    part.content_type === 'image_asset_pointer' ? [fileIdOf(textOrEmpty(part.asset_pointer)) ?? ''] : [],
  )
  const names = new Map<string, string>(shown.map((id) => [id, '']))
  for (const attached of recordsOf(metadata.attachments))
    names.set(textOrEmpty(attached.id), textOrEmpty(attached.name))
  const found = [...names].map(([id, name]) => find(id, name.slice(0, 200)))
  const files = found.filter((file) => file !== undefined)
  return { files, missing: found.length - files.length }
}

const fenced = (code: string, language: string): string =>
  code ? `\`\`\`${/^\w{1,20}$/.test(language) && language !== 'unknown' ? language : ''}\n${code}\n\`\`\`` : ''

const ROOT = '00000000-0000-4000-8000-000000000000'

export function fromClaude(item: Record<string, unknown>, now: number, find: FindFile): Converted | undefined {
  const id = foreignId('claude', item.uuid)
  if (!id) return undefined
  const leftOut = new Map<string, number>()
  const leave = (what: string, count: number) => count > 0 && leftOut.set(what, (leftOut.get(what) ?? 0) + count)
  const createdAt = timeOf(item.created_at, now)
  const drafts: Draft[] = []
  const known = new Set<string>()
  const nearest = new Map<string, string>()
  for (const message of recordsOf(item.chat_messages).slice(0, LIMITS.messages)) {
    const role = message.sender === 'human' ? 'user' : message.sender === 'assistant' ? 'assistant' : undefined
    const own = foreignId('claude', message.uuid)
    const parent = textOrEmpty(message.parent_message_uuid)
    const above =
      parent && parent !== ROOT && nearest.has(parent) ? nearest.get(parent) : parent === ROOT ? '' : drafts.at(-1)?.id
    const uuid = textOrEmpty(message.uuid)
    nearest.set(uuid, above ?? '')
    const { text, reasoning, steps } = claudeText(message)
    leave('steps of tools', steps)
    const { files, missing } = claudeFiles(message, own ?? '', find)
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

function claudeText(message: Record<string, unknown>): { text: string; reasoning: string; steps: number } {
  const texts: string[] = []
  const thought: string[] = []
  let steps = 0
  for (const part of recordsOf(message.content)) {
    if (part.type === 'text') texts.push(textOrEmpty(part.text))
    else if (part.type === 'thinking') thought.push(textOrEmpty(part.thinking))
    else steps += 1
  }
  const text = texts.filter(Boolean).join('\n\n') || textOrEmpty(message.text)
  return { text, reasoning: thought.filter(Boolean).join('\n\n'), steps }
}

function claudeFiles(
  message: Record<string, unknown>,
  messageId: string,
  find: FindFile,
): { files: ForeignFile[]; missing: number } {
  const documents = recordsOf(message.attachments).flatMap((file, index): ForeignFile[] => {
    const text = textOrEmpty(file.extracted_content)
    const name = textOrEmpty(file.file_name).slice(0, 200) || 'document.txt'
    return text ? [{ id: `${messageId}-${index}`, name, source: text.slice(0, LIMITS.text) }] : []
  })
  const named = recordsOf(message.files ?? message.files_v2).map((file) =>
    find(textOrEmpty(file.file_uuid ?? file.uuid), textOrEmpty(file.file_name).slice(0, 200)),
  )
  const found = named.filter((file) => file !== undefined)
  return { files: [...documents, ...found], missing: named.length - found.length }
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

/** Builds a chat. Ids derive from those of the other service, so that a second import adds nothing. */
function threadOf(head: Head, drafts: readonly Draft[], isArchived = false): Pick<Converted, 'thread' | 'files'> {
  const { id, title, createdAt, updatedAt, branches = {} } = head
  const content = typeof title === 'string' && title.trim() ? title.trim().slice(0, MAX_TITLE_CHARS) : 'Imported chat'
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
    title: content,
    isNamed: true,
    createdAt,
    updatedAt,
    modelId: head.modelId ?? '',
    branches,
    ...(isArchived && { isArchived }),
  }
  return { thread: { conversation, messages, parts, receipts: [] }, files }
}

/** Derives our id from another service's: the same each time, and never one of this browser's own. */
function foreignId(service: string, given: unknown): string | undefined {
  if (typeof given !== 'string' || given === '') return undefined
  const plain = `${service}-${given}`
  return /^[\w-]{1,64}$/.test(plain) ? plain : `${service}-${fingerprint(given)}`
}

function timeOf(given: unknown, otherwise: number): number {
  const time = typeof given === 'number' ? given * 1000 : typeof given === 'string' ? Date.parse(given) : Number.NaN
  return Number.isFinite(time) && time > 0 && time < 8.64e15 ? Math.round(time) : otherwise
}

const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')
const recordsOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : [])

/** FNV-1a, twice with other seeds: malformed ids are rare, and only have to differ. */
function fingerprint(text: string): string {
  let a = 0x811c9dc5
  let b = 0x01000193
  for (let at = 0; at < text.length; at += 1) {
    a = Math.imul(a ^ text.charCodeAt(at), 0x01000193)
    b = Math.imul(b ^ text.charCodeAt(at), 0x85ebca6b)
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0')
}
