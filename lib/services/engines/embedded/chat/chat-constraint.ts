/** What a request demands of the answer's form, as a grammar for the sampler. Runs in the child process. */
import { type Llama, LlamaGrammarEvaluationState, type LlamaModel } from 'node-llama-cpp'
import { type ChatRequest, type ChatTool, EngineError } from '../../engine.ts'
import { callGrammarOf, grammarOf } from './grammar/json-grammar.ts'

export type Constraint = {
  /** A fresh state of the grammar, one for each choice. */
  newState: () => LlamaGrammarEvaluationState
  /** The answer is a call of one of these tools, and of one only, whatever `parallel_tool_calls` allows. */
  tools: ChatTool[]
}

/** @throws EngineError `invalid-request` where the form cannot be had from this model. */
export async function constraintOf(
  request: ChatRequest,
  llama: Llama,
  model: LlamaModel,
): Promise<Constraint | undefined> {
  const tools = forcedTools(request)
  const text = tools.length > 0 ? callGrammarOf(tools.map(grammarTool)) : formatGrammar(request)
  if (text === undefined) return undefined
  const grammar = await llama.createGrammar({ grammar: text }).catch((cause) => {
    throw new EngineError('invalid-request', 'This model cannot follow the JSON schema: it never comes to a value.', {
      cause,
    })
  })
  return { newState: () => new LlamaGrammarEvaluationState({ model, grammar }), tools }
}

/** Tools of which one must be called. With `auto` none: models of this size do not call tools by themselves. */
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
