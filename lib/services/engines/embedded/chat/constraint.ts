/** What an answer is constrained to: one call of a tool, or a format. Runs in the child process. */
import { type ChatRequest, type ChatTool, EngineError } from '../../engine.ts'
import { assertGrammar } from './grammar/check-grammar.ts'
import { callGrammarOf, grammarOf } from './grammar/json-grammar.ts'

type Constraint = {
  /** In GBNF. */
  grammar: string
  /** The answer calls exactly one of these tools, whatever `parallel_tool_calls` allows. */
  tools: ChatTool[]
}

/** Returns undefined where the answer is free. @throws EngineError `invalid-request` */
export function constraintOf(request: ChatRequest): Constraint | undefined {
  const tools = forcedTools(request)
  const grammar = tools.length > 0 ? callGrammarOf(tools.map(grammarTool)) : formatGrammar(request)
  if (grammar === undefined) return undefined
  assertGrammar(grammar)
  return { grammar, tools }
}

// Lists the tools of which one must be called; none with `auto`: models of this size do not call tools by themselves.
function forcedTools({ tools = [], toolChoice }: ChatRequest): ChatTool[] {
  if (toolChoice === undefined || toolChoice === 'auto' || toolChoice === 'none') return []
  const named =
    toolChoice === 'required' ? tools : tools.filter((tool) => tool.function.name === toolChoice.function.name)
  if (named.length === 0) throw new EngineError('invalid-request', 'tool_choice names no tool of this request.')
  return named
}

function grammarTool({ function: { name, parameters, strict = false } }: ChatTool) {
  return { name, isStrict: strict, ...(parameters && { parameters }) }
}

function formatGrammar({ responseFormat }: ChatRequest): string | undefined {
  if (responseFormat?.type === 'json_object') return grammarOf({ type: 'object' }, false)
  if (responseFormat?.type !== 'json_schema') return undefined
  const { schema, strict = false } = responseFormat.json_schema
  return grammarOf(schema, strict)
}
