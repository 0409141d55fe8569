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
import { type ForeignFile, fileIdOf } from '@/components/history/archive/foreign-files'
import { LIMITS } from '@/components/history/archive/limits'
import { isRecord } from '@/lib/browser/api'

type Node = { id: string; parent: string; role: string; message: Record<string, unknown> | undefined }

/**
 * A chat of a ChatGPT export. Its `mapping` is a tree: all versions are kept, `current_node` says which are shown. Steps
 * in between (tools, hidden instructions) are left out, and what follows them moves up; a picture that a tool made is kept.
 */
export function fromChatGpt(item: Record<string, unknown>, now: number, find: FindFile): Converted | undefined {
  const id = foreignId('chatgpt', item.conversation_id ?? item.id)
  if (!id || !isRecord(item.mapping)) return undefined
  const leftOut = new Map<string, number>()
  const leave = (what: string, count = 1) => count > 0 && leftOut.set(what, (leftOut.get(what) ?? 0) + count)
  const createdAt = timeOf(item.create_time, now)
  const nodes = nodesOf(item.mapping)
  const kept = new Map<string, Draft>()
  /** Of each node, the kept one at or above it. */
  const nearest = new Map<string, string>()
  let modelId: string | undefined
  for (const node of inOrder(nodes)) {
    const above = nearest.get(node.parent) ?? ''
    nearest.set(node.id, above)
    const { message, role } = node
    if (!message || (role !== 'user' && role !== 'assistant' && role !== 'tool')) continue
    const metadata = isRecord(message.metadata) ? message.metadata : {}
    const isToTool = role === 'assistant' && typeof message.recipient === 'string' && message.recipient !== 'all'
    const { text, reasoning } = role === 'tool' ? { text: '', reasoning: '' } : wordsOf(message)
    const { files, missing } = filesOf(message, metadata, find)
    leave(MISSING_FILES, missing)
    const isHidden = metadata.is_visually_hidden_from_conversation === true
    if (isHidden || isToTool || (!text && !reasoning && files.length === 0)) {
      if (isToTool || role === 'tool') leave('steps of tools')
      continue
    }
    const messageId = foreignId(`${id.slice(0, 12)}`, node.id) ?? node.id
    const model = textOf(metadata.model_slug).slice(0, 100)
    if (model) modelId = model
    kept.set(messageId, {
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
  if (kept.size === 0) return undefined
  const branches: Record<string, string> = {}
  let at = nearest.get(textOf(item.current_node)) ?? ''
  for (let draft = kept.get(at); draft; draft = kept.get(at)) {
    branches[draft.parentId] = draft.id
    at = draft.parentId
  }
  const head = { id, title: item.title, createdAt, updatedAt: timeOf(item.update_time, createdAt), modelId, branches }
  return { ...threadOf(head, [...kept.values()], item.is_archived === true), leftOut }
}

function nodesOf(mapping: Record<string, unknown>): Map<string, Node> {
  const nodes = new Map<string, Node>()
  for (const [id, value] of Object.entries(mapping)) {
    if (!isRecord(value) || nodes.size >= LIMITS.messages) continue
    const message = isRecord(value.message) ? value.message : undefined
    const author = message && isRecord(message.author) ? message.author : {}
    nodes.set(id, { id, parent: textOf(value.parent), role: textOf(author.role), message })
  }
  return nodes
}

/** Parents before their children, siblings as the file has them; what hangs from nothing begins anew. */
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

function wordsOf(message: Record<string, unknown>): { text: string; reasoning: string } {
  const content = isRecord(message.content) ? message.content : {}
  const type = textOf(content.content_type)
  if (type === 'thoughts') {
    const thoughts = recordsOf(content.thoughts).map((thought) => textOf(thought.content))
    return { text: '', reasoning: thoughts.filter(Boolean).join('\n\n') }
  }
  if (type === 'reasoning_recap' || type === 'user_editable_context' || type === 'model_editable_context') {
    return { text: '', reasoning: '' }
  }
  if (type === 'code') return { text: fenced(textOf(content.text), textOf(content.language)), reasoning: '' }
  const parts = Array.isArray(content.parts) ? content.parts : []
  const said = parts.map((part) => (typeof part === 'string' ? part : isRecord(part) ? textOf(part.text) : ''))
  return { text: said.filter(Boolean).join('\n\n') || textOf(content.text), reasoning: '' }
}

/** What a message shows and what was attached to it, each once. What was spoken is there as words, and not sent as sound. */
function filesOf(
  message: Record<string, unknown>,
  metadata: Record<string, unknown>,
  find: FindFile,
): { files: ForeignFile[]; missing: number } {
  const content = isRecord(message.content) ? message.content : {}
  const shown = recordsOf(content.parts).flatMap((part) =>
    part.content_type === 'image_asset_pointer' ? [fileIdOf(textOf(part.asset_pointer)) ?? ''] : [],
  )
  const names = new Map<string, string>(shown.map((id) => [id, '']))
  for (const attached of recordsOf(metadata.attachments)) names.set(textOf(attached.id), textOf(attached.name))
  const found = [...names].map(([id, name]) => find(id, name.slice(0, 200)))
  const files = found.filter((file) => file !== undefined)
  return { files, missing: found.length - files.length }
}

const fenced = (code: string, language: string): string =>
  code ? `\`\`\`${/^\w{1,20}$/.test(language) && language !== 'unknown' ? language : ''}\n${code}\n\`\`\`` : ''
