/** Messages → tokens, by the chat template that the model file brings. Runs in the child process. */
import {
  type ChatHistoryItem,
  type ChatWrapper,
  JinjaTemplateChatWrapper,
  type LlamaModel,
  type Token,
} from 'node-llama-cpp'
import { type ChatMessage, type ChatTool, EngineError, textOf } from '../../engine.ts'

/** @throws Error when the model file has no chat template. */
export function chatWrapperOf(model: LlamaModel): ChatWrapper {
  const template = model.fileInfo.metadata.tokenizer?.chat_template
  if (!template) throw new Error('the model file has no chat template')
  // Tools are said in words where they are forced; the template's own way to call them is not used.
  return new JinjaTemplateChatWrapper({ template, tokenizer: model.tokenizer, functionCallMessageTemplate: 'noJinja' })
}

/**
 * The prompt's tokens, up to where the assistant begins to speak. Only the template's own words become control
 * tokens: the library keeps what people wrote apart, and `<|im_end|>` in a message is read as the text it is.
 *
 * @throws EngineError `invalid-request` when the template refuses the conversation.
 */
export function promptTokens(
  model: LlamaModel,
  wrapper: ChatWrapper,
  messages: ChatMessage[],
  tools: ChatTool[],
): Token[] {
  const chatHistory = historyOf(messages, tools)
  let tokens: Token[]
  try {
    tokens = wrapper.generateContextState({ chatHistory }).contextText.tokenize(model.tokenizer)
  } catch (cause) {
    throw new EngineError('invalid-request', "The model's chat template does not take this sequence of messages.", {
      cause,
    })
  }
  const { bos, shouldPrependBosToken } = model.tokens
  return shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens
}

/** System messages come first and as one: templates take one, at the start, or overlook it. */
function historyOf(messages: ChatMessage[], tools: ChatTool[]): ChatHistoryItem[] {
  const isSystem = ({ role }: ChatMessage) => role === 'system' || role === 'developer'
  const system = [...messages.filter(isSystem).map(textOf), ...tools.map(describe)].join('\n\n')
  const turns = messages.filter((message) => !isSystem(message)).map(turnOf)
  return [
    ...(system === '' ? [] : [{ type: 'system' as const, text: system }]),
    ...turns,
    { type: 'model', response: [] },
  ]
}

function turnOf(message: ChatMessage): ChatHistoryItem {
  if (message.role === 'assistant') return { type: 'model', response: [textOf(message) + callsOf(message)] }
  if (message.role === 'tool')
    return { type: 'user', text: `Result of ${message.name ?? 'the tool'}:\n${textOf(message)}` }
  return { type: 'user', text: textOf(message) }
}

function callsOf({ tool_calls: calls = [] }: Extract<ChatMessage, { role: 'assistant' }>): string {
  return calls
    .map(({ function: { name, arguments: text } }) => `\n{"name": ${JSON.stringify(name)}, "arguments": ${text}}`)
    .join('')
}

function describe({ function: { name, description, parameters } }: ChatTool): string {
  const about = description ? `, which does: ${description}` : ''
  return `Call the function ${name}${about}. Its parameters: ${JSON.stringify(parameters ?? {})}`
}
