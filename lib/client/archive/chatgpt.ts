import { isRecord } from '@/lib/client/api'
import {
  type Converted,
  type Draft,
  foreignId,
  recordsOf,
  textOf,
  threadOf,
  timeOf,
} from '@/lib/client/archive/foreign'
import { LIMITS } from '@/lib/client/archive/limits'

type Node = { id: string; parent: string; role: string; message: Record<string, unknown> | undefined }

/**
 * A chat of a ChatGPT export. Its `mapping` is a tree: all versions are kept, `current_node` says which are shown. Steps
 * in between (tools, hidden instructions) are left out, and what follows them moves up.
 */
export function fromChatGpt(item: Record<string, unknown>, now: number): Converted | undefined {
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
    if (!message || (role !== 'user' && role !== 'assistant')) {
      if (message && role === 'tool') leave('steps of tools')
      continue
    }
    const { text, reasoning, files } = wordsOf(message)
    leave('files that the export does not link to their message', files)
    const metadata = isRecord(message.metadata) ? message.metadata : {}
    const isHidden = metadata.is_visually_hidden_from_conversation === true
    const isToTool = role === 'assistant' && typeof message.recipient === 'string' && message.recipient !== 'all'
    if (isHidden || isToTool || (!text && !reasoning)) {
      if (isToTool) leave('steps of tools')
      continue
    }
    const messageId = foreignId(`${id.slice(0, 12)}`, node.id) ?? node.id
    const model = textOf(metadata.model_slug).slice(0, 100)
    if (model) modelId = model
    kept.set(messageId, {
      id: messageId,
      parentId: above,
      role,
      text,
      createdAt: timeOf(message.create_time, createdAt),
      ...(reasoning && { reasoning }),
      ...(model && role === 'assistant' && { modelId: model }),
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
  return { thread: threadOf(head, [...kept.values()], item.is_archived === true), leftOut }
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

function wordsOf(message: Record<string, unknown>): { text: string; reasoning: string; files: number } {
  const content = isRecord(message.content) ? message.content : {}
  const type = textOf(content.content_type)
  const parts = Array.isArray(content.parts) ? content.parts : []
  let files = 0
  const said = parts.flatMap((part) => {
    if (typeof part === 'string') return part ? [part] : []
    if (!isRecord(part)) return []
    if (typeof part.text === 'string') return [part.text]
    files += 1
    return []
  })
  if (type === 'thoughts') {
    const thoughts = recordsOf(content.thoughts).map((thought) => textOf(thought.content))
    return { text: '', reasoning: thoughts.filter(Boolean).join('\n\n'), files }
  }
  if (type === 'reasoning_recap' || type === 'user_editable_context' || type === 'model_editable_context') {
    return { text: '', reasoning: '', files: 0 }
  }
  if (type === 'code') return { text: fenced(textOf(content.text), textOf(content.language)), reasoning: '', files }
  return { text: said.join('\n\n') || textOf(content.text), reasoning: '', files }
}

const fenced = (code: string, language: string): string =>
  code ? `\`\`\`${/^\w{1,20}$/.test(language) && language !== 'unknown' ? language : ''}\n${code}\n\`\`\`` : ''
