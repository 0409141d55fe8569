import 'server-only'
import { type ChatMessage, type ChatTool, type ContentPart, textOf } from '@/lib/services/engines/engine'

/**
 * Messages in the field's wire form, built from the fields that the interface knows: nothing else that a caller put
 * beside them reaches a server.
 */
export function wireMessages(messages: ChatMessage[]): object[] {
  return messages.map(wireMessage)
}

export function wireTools(tools: ChatTool[]): object[] {
  return tools.map(({ function: { name, description, parameters, strict } }) => ({
    type: 'function',
    function: { name, description, parameters, strict },
  }))
}

function wireMessage(message: ChatMessage): object {
  const { role, name } = message
  const content = wireContent(message)
  if (role === 'tool') return { role, content, tool_call_id: message.tool_call_id, name }
  if (role === 'assistant') {
    const { tool_calls: calls, reasoning_content, reasoning_details, thought_signature } = message
    return { role, content, tool_calls: calls, reasoning_content, reasoning_details, thought_signature, name }
  }
  // Most chat templates know no developer role; servers that do read `system` as the same.
  return { role: role === 'developer' ? 'system' : role, content, name }
}

/**
 * Plain text wherever parts say no more than text does: many chat templates take a string and nothing else, and one
 * common server makes a message of each part. An array where a part is an image, sound or video, or marks a prefix for
 * the cache.
 */
function wireContent(message: ChatMessage): string | object[] | null {
  const { content } = message
  if (content === null || typeof content === 'string') return content
  return content.every(isPlainText) ? textOf({ content }) : content.map(wirePart)
}

const isPlainText = (part: ContentPart): boolean => part.type === 'text' && part.cache_control === undefined

/** The time to live is dropped: vendors that know one want a header with it, whose name differs. */
function wirePart(part: ContentPart): object {
  const cache = part.cache_control && { cache_control: { type: part.cache_control.type } }
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, ...cache }
    case 'image_url':
      return { type: 'image_url', image_url: { url: part.image_url.url }, ...cache }
    case 'input_audio':
      return {
        type: 'input_audio',
        input_audio: { data: part.input_audio.data, format: part.input_audio.format },
        ...cache,
      }
    case 'video_url':
      return { type: 'video_url', video_url: { url: part.video_url.url }, ...cache }
  }
}
